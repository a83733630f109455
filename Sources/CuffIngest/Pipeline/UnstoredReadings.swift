import CuffCore

/// Readings that were received and not stored, and how many of them the cuff still has.
public struct UnstoredReadings: Sendable, Hashable, CustomStringConvertible {
    /// Readings received and not stored.
    public var readings = 0
    /// How many of them the cuff still has, unacknowledged or in its memory.
    public var inTheCuff = 0
    /// The sink that did not store them, if others may have; else empty.
    package var sink = ""

    /// Sets each property.
    public init(readings: Int = 0, inTheCuff: Int = 0) {
        self.readings = readings
        self.inTheCuff = inTheCuff
    }

    /// The counts as a sentence.
    public var description: String {
        let place = sink.isEmpty ? "" : " by \(sink)"
        let what = (readings == 1 ? "1 reading was not stored" : "\(readings) readings were not stored") + place
        if inTheCuff == readings { return "\(what), but the cuff still has \(readings == 1 ? "it" : "them")" }
        let gone = "cuffs that send unasked do not repeat readings"
        return inTheCuff == 0 ? "\(what), and \(gone)" : "\(what); \(inTheCuff) of them the cuff still has, the others not: \(gone)"
    }

    /// `isKept`: the cuff repeats unacknowledged readings.
    mutating func add(_ batch: borrowing ReadingBatch, isKept: Bool) {
        readings += batch.readings
        for index in batch.entries.readings.indices {
            if isKept || batch.entries.readings[index].origin == .memory { inTheCuff += 1 }
        }
    }
}
