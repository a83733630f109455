import CuffCore

package struct ExportContext: Sendable {
    /// The zone of times without their own zone.
    package var zone: ZoneTable
    /// Whether the user chose the zone. Otherwise it is this computer's, which may differ from the cuffs'.
    package var isZoneChosen = true
    /// Whether readings of some persons, cuffs or types are not selected. A deleted reading may be one of these.
    package var isPartial = false
    /// The inflations in a cuff's averages; only for a format that `writesExclusions`.
    package var partsOfAverages: Set<Reading.ID> = []
    /// Readings that an earlier export of the same name reported as deleted.
    package var withdrawn: Set<Reading.ID> = []
    package var made: Timestamp
    package var source: HealthSource
    package var host: String

    package init(zone: ZoneTable, made: Timestamp, source: HealthSource, host: String) {
        (self.zone, self.made, self.source, self.host) = (zone, made, source, host)
    }
}

/// The contents that a format supports, and the parts of a reading to write.
package struct ExportParts: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let values = ExportParts(rawValue: 1)
    /// The events of a reading: an irregular pulse, a high or a low heart rate.
    package static let events = ExportParts(rawValue: 2)
    /// Series of quantities: cuff pressures over time.
    package static let quantitySeries = ExportParts(rawValue: 4)
    package static let heartbeatSeries = ExportParts(rawValue: 8)
    /// Arrays of samples of a signal.
    package static let waveformSeries = ExportParts(rawValue: 16)
}

/// Writes one export: the beginning, any number of readings and series, the end. Its memory does not grow with the number of
/// readings.
package protocol ExportWriter {
    /// The persons whose values could not be distinguished in the output. An export with more than one is refused.
    func indistinct(among persons: Persons) -> Persons
    /// Writes the beginning.
    mutating func begin(to text: inout TextBuffer)
    /// Writes one reading, or throws why it is left out and writes nothing.
    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission)
    /// Writes one series; `user` is the slot of the reading that owns it, `person` the person's name, if there is one. It is called only for kinds in the exporter's `parts`.
    mutating func append(
        _ series: HealthSeries, user: Int?, person: String?, from provenance: Provenance, to text: inout TextBuffer)
    /// Writes that a reading of an earlier export is deleted; returns `false`, and writes nothing, if the format cannot say that.
    mutating func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool
    /// Writes the end.
    mutating func end(to text: inout TextBuffer)
}

extension ExportWriter {
    /// It names the person of each value.
    package func indistinct(among persons: Persons) -> Persons { Persons([]) }
    package mutating func begin(to text: inout TextBuffer) {}
    /// Series are ignored.
    package mutating func append(
        _ series: HealthSeries, user: Int?, person: String?, from provenance: Provenance, to text: inout TextBuffer
    ) {}
    /// Deletions cannot be written.
    package mutating func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool { false }
    package mutating func end(to text: inout TextBuffer) {}
}
