import CuffClinical
import CuffCore

package struct ImportSummary: Sendable {
    /// The file without its folder.
    package var file = ""
    package var layouts: [String] = []
    /// Readings of the file.
    package var read = 0
    /// Readings that the database does not have.
    package var new = 0
    /// Readings that the database has under the same id.
    package var known = 0
    /// Stored readings with a later version in the file.
    package var revised = 0
    /// Readings that a cuff or another import delivered.
    package var duplicates = 0
    /// Readings that may be stored ones, in another zone.
    package var suspects = 0
    /// Readings that were deleted here before.
    package var deleted = 0
    /// Records that cannot be read.
    package var refused = 0
    /// Records that are not readings, such as averages.
    package var skipped = 0
    /// Readings whose time has no zone.
    package var withoutZone = 0
    /// The zone in which such times are read; `nil` for that of this machine.
    package var zoneName: String?
    package var includesSuspects = false
    /// Titles of columns that are not read.
    package var unused: [String] = []
    package var complaints: [ImportComplaint] = []
    /// The first readings that are not stored yet, with the result for each.
    package var lines: [Line] = []
    /// The name of the import; `nil` if nothing was imported.
    package var name: String?
    /// Why reading stopped before the end; readings before it count.
    package var fault: IngestError?

    package struct Line: Sendable {
        package var reading: Reading
        package var place: ImportPlace
        /// `new`, `revision` or `suspect`.
        package var word: String
        /// The reading that a suspect may be.
        package var other: Reading.ID?
    }

    /// At most this many complaints and lines are kept; the counts include all.
    package static let mostLines = 1000

    mutating func add(_ complaint: ImportComplaint) {
        if complaint.reason.isLoss { refused += 1 } else { skipped += 1 }
        if complaints.count < Self.mostLines { complaints.append(complaint) }
    }

    mutating func add(_ line: Line) { if lines.count < Self.mostLines { lines.append(line) } }
}
