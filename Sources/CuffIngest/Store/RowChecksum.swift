import CuffCore
import SQLite

/// A checksum in each row of the program's tables: the xxHash of its columns, for bits that flip on a disk. SQLite checks the form
/// of a page and not its content.
///
/// It is computed by an SQL function of each connection, so that every statement that writes a row can state it. Columns that are
/// NULL count for nothing and each other one with its place, so a column that a later version adds changes no checksum.
enum RowChecksum {
    /// The function's name in SQL; its arguments are the row's columns in their order.
    static let function = "cuff_checksum"

    /// A table whose rows have a checksum.
    struct Table: Sendable {
        let name: String
        let columns: [String]

        /// The checksum that a row should have. `prefix` names the row: `excluded.`.
        func expression(_ prefix: String = "") -> String {
            "\(RowChecksum.function)(\(columns.map { "\(prefix)\"\($0)\"" }.joined(separator: ", ")))"
        }

        /// Whether a row is as it was written. One without a checksum was edited by another program, which must take it away, or is an
        /// earlier version's.
        var isIntact: String { "(\(name).checksum IS NULL OR \(name).checksum = \(expression("\(name).")))" }

        /// States the checksum of the rows that a condition names.
        func seal(_ condition: String) -> String { "UPDATE \(name) SET checksum = \(expression()) WHERE \(condition)" }
    }

    static let reading = Table(name: "reading", columns: ReadingColumn.names)
    static let source = Table(name: "source", columns: ["driver", "device", "manufacturer", "model", "serial", "firmware"])
    static let series = Table(
        name: "series",
        columns: [
            "type", "code", "unit", "source", "reading", "start", "end", "count", "min", "max", "avg", "last", "sdnn_ms", "samples",
        ])
    static let earlier = Table(
        name: "earlier",
        columns: [
            "id", "revision", "replaced", "systolic_mmHg", "diastolic_mmHg", "pulse_per_min", "user", "flags", "measured", "raw",
        ])
    /// What is sent, as long as it waits; the columns of the conversation are not part of it.
    static let outbox = Table(name: "outbox", columns: ["sink", "id", "revision", "pending", "line"])

    /// The largest text or blob that is read: a hundred times the longest record. SQLite asks for two or three times the size.
    static let largestCell = 8 << 20

    /// Makes a connection ready for a file that somebody else may have made.
    static func prepare(_ db: SQLiteConnection) throws(SQLiteError) {
        db.distrustFile(longest: largestCell)
        try db.define(function) { value($0) }
    }

    private static func value(_ arguments: SQLiteArguments) -> Int64 {
        var hash: UInt64 = 0
        for index in 0..<arguments.count {
            var kind = arguments.kind(index)
            var number: Int64 = 0
            switch kind {
            case .null: continue
            case .integer: number = arguments.integer(index)
            case .double:
                // A number column keeps 128.0 as 128: both have one checksum.
                let double = arguments.double(index)
                let whole = Int64(exactly: double)
                if whole != nil { kind = .integer }
                number = whole ?? Int64(bitPattern: double.bitPattern)
            case .text, .blob: break
            }
            let seed = hash &+ UInt64(index) &* 8 &+ UInt64(kind.rawValue)
            hash =
                kind == .text || kind == .blob
                ? arguments.withBytes(index) { XXHash64.hash($0, seed: seed) }
                : withUnsafeBytes(of: number.littleEndian) { XXHash64.hash($0, seed: seed) }
        }
        return Int64(bitPattern: hash)
    }
}
