/// A violation of SQLite's rules or the program's own, found by `Store.check`, which repairs nothing.
package enum StoreProblem: Hashable, Sendable, CustomStringConvertible {
    case integrity(String)
    case notAnID(String)
    case withoutSource(id: String, source: Int64)
    case unknownType(id: String, type: String)
    /// A reading with a missing or invalid value in the named column.
    case unreadable(id: String, column: String)
    case tombstoneHolds(id: String, column: String)
    case deletedLineWaits(id: String)
    case lineWithoutSink(id: String, sink: Int64)
    case emptyLine(id: String, sink: Int64)
    /// A series that cannot be unpacked, or has another number of samples than its row says.
    case damagedSeries(number: Int64)
    case seriesWithoutSource(number: Int64)

    case changed(id: String)
    case changedSource(number: Int64)
    case changedLine(id: String, sink: Int64)
    /// A row with a cell that is too large; `nil` if the table is unknown.
    case tooLarge(table: String?)

    case unknownRemark(id: String, key: String)
    /// A previous revision of a reading that does not exist.
    case earlierOfNone(id: String)

    /// The broken rule: `rule` in JSON.
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
