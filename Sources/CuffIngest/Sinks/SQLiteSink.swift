import CuffCore
import Glibc
import SQLite

extension SinkKind {
    /// A SQLite database.
    public static let sqlite = SinkKind(
        "sqlite", help: "a database, for `cuff show`, `stats`, `report`, `export` and `sqlite3`", example: "sqlite:bp.db",
        durability: .onRegularFiles, traits: .database,
        latest: { (path) throws(IngestError) in access(path, F_OK) == 0 ? try Store(path, access: .read).lastID() : nil }
    ) { (spec, context) throws(IngestError) in
        let sink = try SQLiteSink(path: spec.path, patients: context.patients, person: context.person) { context.onFault(spec.name, $0) }
        sink.store.redelivery = context.redelivery
        return sink
    }
}

/// Readings in an SQLite database: one transaction per delivery, one row per reading. Sinks whose outbox is in the same file follow
/// it: their lines are part of the transaction.
final class SQLiteSink: GroupingSink, @unchecked Sendable {
    let label: String
    let isDurable: Bool
    let store: Store
    private let followers = Locked<[OutgoingSink]>([])
    /// Only followers need alerts.
    var takesAlerts: Bool { followers.withLock { $0.contains { $0.takesAlerts } } }
    private struct SourceKey: Hashable {
        var driver: DriverID
        var device: String
    }
    /// Sources of committed transactions, with their last identity.
    private var sources: [SourceKey: (number: Int64, identity: DeviceIdentity?)] = [:]
    /// The database generation of the numbers in `sources`.
    private var generation = 0
    /// Whether the readings of the last write were so scattered that larger transactions would save page writes. False with an outbox,
    /// whose size is limited, or when the volume is nearly full.
    private(set) var isScattered = false

    private let patients: [DriverID: @Sendable ([UInt8]) -> String?]
    /// Whose all readings are that are new here; `nil`: as their cuffs and slots are bound.
    private let person: String?

    convenience init(
        path: String, patients: [DriverID: @Sendable ([UInt8]) -> String?] = [:], person: String? = nil,
        notices: @escaping @Sendable (IngestError) -> Void = { _ in }
    ) throws(IngestError) {
        self.init(try Store(path, access: .write, notices: notices), patients: patients, person: person)
    }

    /// Writes into an open database.
    init(_ store: Store, patients: [DriverID: @Sendable ([UInt8]) -> String?] = [:], person: String? = nil) {
        (self.store, self.patients, self.person) = (store, patients, person)
        label = "sqlite:\(store.path)"
        isDurable = SinkSpec.isRegularFile(store.path) == true
    }

    /// Makes a sink a follower. Must be called before the first write.
    func lead(_ follower: OutgoingSink) { followers.withLock { $0.append(follower) } }

    func write(_ batches: [ReadingBatch]) throws(IngestError) -> Int {
        let followers = followers.withLock { $0 }
        do throws(IngestError) {
            var parts: [(sink: OutgoingSink, put: Outbox.Put)] = []
            for follower in followers where try follower.makeRoom(for: batches) { parts.append((follower, Outbox.Put())) }
            var numbers: [SourceKey: (number: Int64, identity: DeviceIdentity?)] = [:]
            let repeated = try store.commit { db in
                var (repeated, deleted) = (0, Set<Reading.ID>())
                // A batch of alerts needs no source.
                for batch in batches where batch.readings > 0 {
                    let source = try number(of: batch, in: db)
                    numbers[SourceKey(driver: batch.driver, device: batch.device)] = (source, batch.identity)
                    repeated += try insert(batch, source, &deleted, in: db)
                }
                for index in parts.indices { try parts[index].sink.put(batches, except: deleted, in: db, &parts[index].put) }
                return repeated
            }
            let pages = store.takePagesWritten()
            let readings = batches.reduce(0) { $0 + $1.readings }
            isScattered = followers.isEmpty && 4 * pages > readings && LogLimit.takesLongTransactions(store.path)
            if sources.count + numbers.count > 1024 { sources.removeAll() }
            sources.merge(numbers) { $1 }
            for part in parts { part.sink.committed(batches, part.put) }
            // Only the id of a withdrawn reading is kept, also in the pages of the file. Fails silently while another program
            // reads.
            if batches.contains(where: { $0.entries.readings.contains(where: \.isWithdrawal) }) { try? store.overwriteRemains() }
            return repeated
        } catch {
            for follower in followers { follower.rolledBack() }
            throw error
        }
    }

    /// Returns how many readings were known; adds to `deleted` those of them that were deleted here.
    private func insert(_ batch: ReadingBatch, _ source: Int64, _ deleted: inout Set<Reading.ID>, in db: SQLiteConnection) throws -> Int {
        let row = try ReadingRow(db)
        let patient = patients[batch.driver]
        var repeated = 0
        for index in inOrderOfIDs(batch.entries.readings) {
            let reading = batch.entries.readings[index]
            // First, because the notice of the deletion needs the row.
            if reading.isWithdrawal { try store.delete([reading.id.description], in: db, isExpected: false) }
            let before = db.totalChanges
            try row.write(reading, source: source, patient: patient.flatMap { $0(reading.raw.array) }, person: person)
            let isNew = db.changes > 0
            if !isNew { repeated += 1 }
            if reading.isWithdrawal {
                // A tombstone for an unknown reading rejects a later copy.
                try store.delete([reading.id.description], in: db)
                continue
            }
            // One change is this row. Otherwise a trigger may have interfered, so the row is checked.
            guard !isNew || db.totalChanges != before &+ 1 else { continue }
            if try store.confirm(reading, isNew: isNew, in: db) == .deleted { deleted.insert(reading.id) }
        }
        return repeated
    }

    /// In the order of the table, so that each page is found and written once per batch.
    private func inOrderOfIDs(_ readings: [Reading]) -> [Int] {
        let keys = readings.map { ($0.id.sortKey, $0.id.hash) }
        return keys.indices.sorted { keys[$0] < keys[$1] }
    }

    private func number(of batch: ReadingBatch, in db: SQLiteConnection) throws -> Int64 {
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
