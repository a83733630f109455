import CuffCore
import GRDB
import GRDBSQLite
import Glibc

extension SinkKind {
    /// A SQLite database.
    public static let sqlite = SinkKind(
        "sqlite", help: "a database, for `cuff show`, `stats`, `report`, `export` and `sqlite3`", example: "sqlite:bp.db",
        durability: .onRegularFiles, traits: .database,
        latest: { (path) throws(IngestError) in access(path, F_OK) == 0 ? try Store(path, access: .read).lastID() : nil }
    ) { (spec, context) throws(IngestError) in
        try SQLiteSink(path: spec.path, patients: context.patients) { context.onFault(spec.name, $0) }
    }
}

/// Readings in an SQLite database: one transaction per batch, one row per reading whatever runs brought it.
final class SQLiteSink: Sink, @unchecked Sendable {
    let label: String
    let isDurable: Bool
    private let store: Store
    private struct SourceKey: Hashable {
        var driver: DriverID
        var device: String
    }
    /// Sources of committed transactions, with what was last said of them.
    private var sources: [SourceKey: (number: Int64, identity: DeviceIdentity?)] = [:]
    /// The opening of the database whose numbers `sources` holds.
    private var generation = 0
    private let row = ReadingRow()

    private let patients: [DriverID: @Sendable ([UInt8]) -> String?]

    init(
        path: String, patients: [DriverID: @Sendable ([UInt8]) -> String?] = [:],
        notices: @escaping @Sendable (IngestError) -> Void = { _ in }
    ) throws(IngestError) {
        self.patients = patients
        label = "sqlite:\(path)"
        store = try Store(path, access: .write, notices: notices)
        isDurable = SinkSpec.isRegularFile(path) == true
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        do {
            var source: Int64 = 0
            let repeated = try store.commit { db in
                source = try number(of: batch, in: db)
                return try insert(batch, source, in: db)
            }
            if sources.count >= 1024 { sources.removeAll() }
            sources[SourceKey(driver: batch.driver, device: batch.device)] = (source, batch.identity)
            // Of a withdrawn reading only the id stays, in the pages of the file too. It is withdrawn where another program holds them.
            if batch.entries.readings.contains(where: \.isWithdrawal) { try? store.overwriteRemains() }
            return repeated
        } catch {
            throw Store.translated(error, store.path)
        }
    }

    private func insert(_ batch: Batch, _ source: Int64, in db: Database) throws -> Int {
        row.statement = try db.cachedStatement(sql: ReadingRow.insert).sqliteStatement
        defer { row.statement = nil }
        let patient = patients[batch.driver]
        var repeated = 0
        for index in inOrderOfIDs(batch.entries.readings) {
            let reading = batch.entries.readings[index]
            if reading.isWithdrawal { try Store.delete([reading.id.description], in: db) }
            let result = row.step(reading, source: source, patient: patient.flatMap { $0(reading.raw.array) })
            guard result == SQLITE_DONE else {
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: result),
                    message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
            }
            if sqlite3_changes(db.sqliteConnection) == 0 { repeated += 1 }
            // Where the reading was not here, its tombstone keeps a copy out that comes later.
            if reading.isWithdrawal { try Store.delete([reading.id.description], in: db) }
        }
        return repeated
    }

    /// The order of the table, so that a page is found and written once for all of the batch that belongs there.
    private func inOrderOfIDs(_ readings: [Reading]) -> [Int] {
        let keys = readings.map { ($0.id.sortKey, $0.id.hash) }
        return keys.indices.sorted { keys[$0] < keys[$1] }
    }

    private func number(of batch: Batch, in db: Database) throws -> Int64 {
        if generation != store.generation {
            sources.removeAll()
            generation = store.generation
        }
        if let known = sources[SourceKey(driver: batch.driver, device: batch.device)], known.identity == batch.identity {
            return known.number
        }
        return try Store.number(batch.driver, batch.device, batch.identity, in: db)
    }

    func close() throws(IngestError) {
        try store.close()
    }
}
