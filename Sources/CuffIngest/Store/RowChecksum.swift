import CLinux
import CuffCore
import GRDBSQLite

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
    static let largestCell: Int32 = 8 << 20

    /// Makes a connection ready for a file that somebody else may have made.
    static func prepare(_ connection: OpaquePointer?) {
        _ = clinux_sqlite_defend(UnsafeMutableRawPointer(connection))
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, largestCell)
        // Triggers and views of the file must not call it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        sqlite3_create_function_v2(
            connection, function, -1, flags, nil,
            { context, count, values in sqlite3_result_int64(context, RowChecksum.value(count, values)) }, nil, nil, nil)
    }

    private static func value(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) -> Int64 {
        var hash: UInt64 = 0
        guard let values else { return 0 }
        for index in 0..<Int(count) {
            let value = values[index]
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            // A number column keeps 128.0 as 128: both have one checksum.
            var kind = type
            var number: Int64 = 0
            if type == SQLITE_INTEGER { number = sqlite3_value_int64(value) }
            if type == SQLITE_FLOAT {
                let double = sqlite3_value_double(value)
                let whole = Int64(exactly: double)
                kind = whole == nil ? type : SQLITE_INTEGER
                number = whole ?? Int64(bitPattern: double.bitPattern)
            }
            let seed = hash &+ UInt64(index) &* 8 &+ UInt64(kind)
            guard type == SQLITE_TEXT || type == SQLITE_BLOB else {
                hash = withUnsafeBytes(of: number.littleEndian) { XXHash64.hash($0, seed: seed) }
                continue
            }
            let start = type == SQLITE_TEXT ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
            let length = Int(sqlite3_value_bytes(value))
            hash = XXHash64.hash(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length), seed: seed)
        }
        return Int64(bitPattern: hash)
    }
}
