import GRDB

/// A blood pressure as the database gives it back. Numbers are as stored; texts are ISO 8601.
public struct StoredReading: Sendable, Hashable {
    public var id: String
    /// The best known time of the measurement: `measured`, else what the cuff's clock said, else the arrival.
    public var time: String?
    public var systolic: Double
    public var diastolic: Double
    public var mean: Double?
    public var pulse: Double?
    public var user: Int?
    public var flags: [String]
    /// The rule behind `time`: `synced`, `corrected`, `device_time`, `receive_time`, `unset`; `nil` when none was applied.
    public var clock: String?
    public var deviceTime: String?
    public var measured: String?
    public var received: String?
    public var origin: String
    public var model: String?
    public var device: String
    public var driver: String
}

extension Store {
    /// The latest blood pressures, oldest first. `nil` gives all.
    public func latest(_ count: Int?) throws(IngestError) -> [StoredReading] {
        do {
            return try queue.read { db in
                let rows = try Row.fetchAll(
                    db, sql: "SELECT * FROM (SELECT * FROM readings ORDER BY id DESC LIMIT ?) ORDER BY id",
                    arguments: [count ?? -1])
                return rows.map(StoredReading.init)
            }
        } catch {
            throw Self.translated(error, path)
        }
    }

    /// Id of the latest reading by the time of its measurement.
    func lastID() throws(IngestError) -> String? {
        do {
            return try queue.read { db in
                try String.fetchOne(db, sql: "SELECT id FROM reading WHERE type <> '\(Self.tombstone)' ORDER BY id DESC LIMIT 1")
            }
        } catch {
            throw Self.translated(error, path)
        }
    }

    /// How many readings of every kind there are; deleted ones do not count.
    public func count() throws(IngestError) -> Int {
        do {
            return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reading WHERE type <> '\(Self.tombstone)'") ?? 0 }
        } catch {
            throw Self.translated(error, path)
        }
    }
}

extension StoredReading {
    init(_ row: Row) {
        id = row["id"]
        time = row["time"]
        systolic = row["systolic_mmHg"]
        diastolic = row["diastolic_mmHg"]
        mean = row["mean_mmHg"]
        pulse = row["pulse_per_min"]
        user = row["user"]
        flags = (row["flags"] as String?)?.split(separator: ",").map(String.init) ?? []
        clock = row["clock"]
        deviceTime = row["device_time"]
        measured = row["measured"]
        received = row["received"]
        origin = row["origin"]
        model = row["model"]
        device = row["device"] ?? ""
        driver = row["driver"] ?? ""
    }
}
