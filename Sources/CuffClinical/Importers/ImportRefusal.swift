import CuffCore

/// Why one record of a file does not become a reading.
package enum ImportRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    // Not a reading: nothing is lost.
    /// A mean of several readings.
    case average(String)
    /// A record without any pressure: a note, a weight.
    case noPressures
    /// A record of this program without a value.
    case noValue
    /// The sender withdrew it, or has not finished it.
    case status(String)
    /// Another kind of record.
    case otherKind(String)
    /// The program writes zeros for a measurement that failed.
    case zeros

    // A record that cannot be read: a reading may be lost.
    /// One of the two pressures is missing.
    case half
    /// There is a day and no time of day, or no time at all.
    case noTime(String)
    /// A text that is not a date and time of this layout.
    case unreadableTime(String)
    /// A date that does not exist, or one before 1990 or after 2099.
    case impossibleTime(String)
    /// A cell that is not a number; `column` names it.
    case unreadableNumber(column: String, text: String)
    /// Values that are not physiologically possible, or in another unit than the file says.
    case implausible(String)
    case unknownUnit(String)
    case unknownUser(String)
    case unknownZone(String)
    /// A line with another number of cells than the header.
    case cells(found: Int, expected: Int)
    /// The structure of the record is damaged.
    case malformed(String)
    /// Longer than any record can be.
    case tooLong(limit: Int)
    /// The reading is imported, the end of its note is not.
    case longNote
    /// A line of a later version of this program: ``schema(of:)``.
    case unknownSchema(String)
    /// Bytes of unknown meaning are not zero.
    case unknownBytes(String)

    /// Whether a reading may be lost by it; otherwise the record is not a reading.
    package var isLoss: Bool {
        switch self {
        case .average, .noPressures, .noValue, .status, .otherKind, .zeros: false
        default: true
        }
    }

    package var description: String {
        switch self {
        case .average(let what): "an average, not a reading\(what.isEmpty ? "" : " (\(what))")"
        case .noPressures: "no pressures"
        case .noValue: "no value"
        case .status(let status): "status \(status)"
        case .otherKind(let kind): "not a reading of a kind that is imported (\(kind))"
        case .zeros: "zeros: a failed measurement"
        case .half: "half a blood pressure"
        case .noTime(let text): text.isEmpty ? "no time" : "a day without a time (`\(text)`)"
        case .unreadableTime(let text): "unreadable time `\(text)`"
        case .impossibleTime(let text): "impossible time `\(text)`"
        case .unreadableNumber(let column, let text): "\(column): `\(text)` is not a number"
        case .implausible(let text): "implausible values \(text)"
        case .unknownUnit(let text): "unknown unit `\(text)`"
        case .unknownUser(let text): "unknown user `\(text)`"
        case .unknownZone(let text): "unknown zone `\(text)`"
        case .cells(let found, let expected): "\(found) cells, the header has \(expected)"
        case .malformed(let what): "malformed: \(what)"
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .longNote: "its note was cut at \(Remarks.Key.note.longest) bytes"
        case .unknownSchema(let text):
            "schema `\(text)` is not known, only schema \(OwnReading.schema): use a later version of cuff"
        case .unknownBytes(let text): "unknown bytes `\(text)` are not zero"
        }
    }
}

package struct ImportComplaint: Sendable, Hashable {
    package var place: ImportPlace
    package var reason: ImportRefusal

    package init(_ place: ImportPlace, _ reason: ImportRefusal) { (self.place, self.reason) = (place, reason) }
}

/// Why a whole file cannot be read.
package enum ImportFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// No layout fits. `firstLine` is that of the text; empty if the file is not text.
    case unknownLayout(firstLine: String)
    /// The layout is recognised but not read; `missing` says what is not documented.
    case unsupported(layout: String, missing: String)
    /// A column that a reading needs is not in the header.
    case missingColumn(String, header: [String])
    /// A column of the mapping is not in the header.
    case unmappedColumn(String, header: [String])
    /// `example` can be read with the day first or with the month first, and so can every other date of the file. With `other`, the
    /// first is of a date with the day first, the second of one with the month first.
    case ambiguousDates(example: String, other: String? = nil)
    /// The file has no header, and its numbers do not show which column is which.
    case needsMapping
    /// An invalid mapping or option.
    case badOption(String)
    /// The file ends within a record, or its structure is damaged.
    case damaged(String)
    /// More than this importer keeps in memory.
    case tooMany(what: String, limit: Int)
    /// Readings of several persons in a layout whose names are not stored.
    case severalPersons

    package var description: String {
        switch self {
        case .unknownLayout(let line):
            "unknown layout"
                + (line.isEmpty ? "" : "; its first line is `\(line)`")
                + "; looked for \(Importer.all.map(\.name).joined(separator: ", "))"
        case .unsupported(let layout, let missing): "\(layout) cannot be read: \(missing)"
        case .missingColumn(let name, let header): "no column for \(name) in the header `\(header.joined(separator: ", "))`"
        case .unmappedColumn(let name, let header): "no column `\(name)` in the header `\(header.joined(separator: ", "))`"
        case .ambiguousDates(let day, let month?): "dates of both orders: `\(day)` begins with the day, `\(month)` with the month"
        case .ambiguousDates(let example, nil): "dates such as `\(example)` can be read in two ways"
        case .needsMapping: "no header, and the numbers do not show which column is which"
        case .badOption(let text): text
        case .damaged(let what): "damaged file: \(what)"
        case .tooMany(let what, let limit): "more than \(limit) \(what)"
        case .severalPersons: "readings of several persons would be joined, because names of persons are not stored"
        }
    }
}
