import CuffCore
import SQLite

/// A checksum in each row of the program's tables, xxHash of its columns, against flipped bits on the disk: SQLite checks the
/// structure of a page, not its content.
///
/// An SQL function of each connection computes it, so every statement that writes a row can set it. NULL columns are skipped and
/// the others hashed with their index, so adding a column changes no checksum.
enum RowChecksum {
    /// Its arguments are the columns in order.
    static let function = "cuff_checksum"

    struct Table: Sendable {
        let name: String
        let columns: [String]
        /// Columns that are never NULL in an undamaged row.
        var required: [String] = []

        /// With these columns only, as before a later migration.
        func first(_ count: Int) -> Table { Table(name: name, columns: Array(columns.prefix(count))) }

        /// The SQL for the checksum that a row should have. `prefix` selects the row: `excluded.`.
        func expression(_ prefix: String = "") -> String {
            "\(RowChecksum.function)(\(columns.map { "\(prefix)\"\($0)\"" }.joined(separator: ", ")))"
        }

        /// Whether a row is unchanged. Rows without a checksum are from an earlier version, or were edited by another program,
        /// which must set it to NULL. A flipped bit in a row's list of types can move all columns behind it by one, and the last ones
        /// are NULL then. `typeof`: SQLite takes IS NOT NULL for true where the table declares it. `iif`, because SQLite evaluates
        /// both sides of an OR.
        var isIntact: String {
            let unverified = required.isEmpty ? ["1"] : required.map { "typeof(\(name).\($0)) <> 'null'" }
            let isUnchanged = "\(name).checksum = \(expression("\(name)."))"
            return "iif(\(name).checksum IS NULL, \(unverified.joined(separator: " AND ")), \(isUnchanged))"
        }

        func seal(_ condition: String) -> String { "UPDATE \(name) SET checksum = \(expression()) WHERE \(condition)" }
    }

    static let reading = Table(name: "reading", columns: ReadingColumn.names, required: ["type", "origin", "raw"])
    static let source = Table(name: "source", columns: ["driver", "device", "manufacturer", "model", "serial", "firmware", "details"])
    static let series = Table(
        name: "series",
        columns: [
            "type", "code", "unit", "source", "reading", "start", "end", "count", "min", "max", "avg", "last", "sdnn_ms", "samples",
            "metadata",
        ])
    static let earlier = Table(
        name: "earlier",
        columns: [
            "id", "revision", "replaced", "systolic_mmHg", "diastolic_mmHg", "pulse_per_min", "user", "flags", "measured", "raw",
        ])
    /// The columns that are sent; those of the delivery state are not covered.
    static let outbox = Table(name: "outbox", columns: ["sink", "id", "revision", "pending", "line"])

    /// The largest text or blob accepted: a hundred times the longest record. SQLite allocates two or three times its size.
    static let largestCell = 8 << 20

    /// Prepares a connection for a possibly hostile file.
    static func prepare(_ db: SQLiteConnection) throws(SQLiteError) {
        db.distrustFile(longest: largestCell)
        try db.define(function) { value($0) }
    }

    private static func value(_ arguments: SQLiteArguments) -> Int64 {
        var hash: UInt64 = 0
        for index in 0..<arguments.count {
            let kind = arguments.kind(index)
            let seed = hash &+ UInt64(index) &* 8
            func add(_ number: Int64, _ kind: SQLiteArguments.Kind) {
                hash = withUnsafeBytes(of: number.littleEndian) { XXHash64.hash($0, seed: seed &+ UInt64(kind.rawValue)) }
            }
            switch kind {
            case .null: continue
            case .integer: add(arguments.integer(index), kind)
            case .double:
                // A REAL column stores 128.0 as 128: both must have the same checksum.
                let double = arguments.double(index)
                if let whole = Int64(exactly: double) { add(whole, .integer) } else { add(Int64(bitPattern: double.bitPattern), kind) }
            case .text, .blob: hash = arguments.withBytes(index) { XXHash64.hash($0, seed: seed &+ UInt64(kind.rawValue)) }
            }
        }
        return Int64(bitPattern: hash)
    }
}
