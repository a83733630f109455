/// Something in the database that breaks SQLite's rules or the program's own. `Store.check` finds it; nothing is repaired by that.
package enum StoreProblem: Hashable, Sendable, CustomStringConvertible {
    /// SQLite's own check found this.
    case integrity(String)
    /// A reading under something that is not an id.
    case notAnID(String)
    /// A reading of a source that is not in the table of sources.
    case withoutSource(id: String, source: Int64)
    /// A type that no version of the program wrote.
    case unknownType(id: String, type: String)
    /// A reading that lacks a value its type needs, or has an invalid time: the second text names the column.
    case unreadable(id: String, column: String)
    /// A tombstone holds more than the id.
    case tombstoneHolds(id: String, column: String)
    /// A line of a deleted reading still waits to be sent.
    case deletedLineWaits(id: String)
    /// A line for a sink that is not in the table of sinks.
    case lineWithoutSink(id: String, sink: Int64)
    /// A line that waits, and is empty.
    case emptyLine(id: String, sink: Int64)
    /// A series that cannot be unpacked, or holds another number of samples than it says.
    case damagedSeries(number: Int64)
    /// A series of a source that is not in the table of sources.
    case seriesWithoutSource(number: Int64)

    /// A row that is not as it was written: its checksum says so.
    case changed(id: String)
    case changedSource(number: Int64)
    case changedLine(id: String, sink: Int64)
    /// A row with a cell that holds more than anything that is stored here; `nil` where it is not known in which table.
    case tooLarge(table: String?)

    /// A remark has an unknown word for its key.
    case unknownRemark(id: String, key: String)
    /// An earlier revision of a reading that is not here or was deleted.
    case earlierOfNone(id: String)

    /// The rule that is broken: the value of `rule` in JSON.
    package var rule: String {
        switch self {
        case .integrity: "integrity"
        case .notAnID: "id"
        case .withoutSource, .seriesWithoutSource: "source"
        case .unknownType: "type"
        case .unreadable, .unknownRemark: "value"
        case .tombstoneHolds, .deletedLineWaits, .earlierOfNone: "deleted"
        case .lineWithoutSink, .emptyLine: "outbox"
        case .damagedSeries: "series"
        case .changed, .changedSource, .changedLine: "checksum"
        case .tooLarge: "size"
        }
    }

    /// Which reading it is about; `nil` where it is about none.
    package var id: String? {
        switch self {
        case .notAnID(let id), .withoutSource(let id, _), .unknownType(let id, _), .unreadable(let id, _), .tombstoneHolds(let id, _),
            .deletedLineWaits(let id), .lineWithoutSink(let id, _), .emptyLine(let id, _), .unknownRemark(let id, _),
            .earlierOfNone(let id), .changed(let id), .changedLine(let id, _):
            id
        case .changedSource, .tooLarge, .integrity, .damagedSeries, .seriesWithoutSource: nil
        }
    }

    package var description: String {
        switch self {
        case .integrity(let text): text
        case .notAnID(let id): "a reading is stored under `\(id)`, which is not an id"
        case .withoutSource(let id, let source): "reading \(id) belongs to source \(source), which does not exist"
        case .unknownType(let id, let type): "reading \(id) has the unknown type `\(type)`"
        case .unreadable(let id, let column): "reading \(id) cannot be read: \(column) is missing or malformed"
        case .tombstoneHolds(let id, let column): "reading \(id) was deleted, but its \(column) is still there"
        case .deletedLineWaits(let id): "reading \(id) was deleted, but a line of it is still queued"
        case .lineWithoutSink(let id, let sink): "a line of reading \(id) is queued for sink \(sink), which does not exist"
        case .emptyLine(let id, let sink): "the line of reading \(id) that is queued for sink \(sink) is empty"
        case .unknownRemark(let id, let key): "the \(key) of reading \(id) is not a known word"
        case .earlierOfNone(let id): "an earlier revision of reading \(id) is kept, but the reading is not"
        case .changed(let id): "reading \(id) has changed on the disk: its checksum does not match"
        case .changedSource(let number): "source \(number) has changed on the disk: its checksum does not match"
        case .changedLine(let id, let sink):
            "the line of reading \(id) that is queued for sink \(sink) has changed on the disk: its checksum does not match"
        case .tooLarge(let table):
            "a row\(table.map { " of the table \($0)" } ?? "") holds more than \(RowChecksum.largestCell >> 20) MiB in one cell"
        case .damagedSeries(let number): "series \(number) cannot be unpacked"
        case .seriesWithoutSource(let number): "series \(number) belongs to a source that does not exist"
        }
    }
}
