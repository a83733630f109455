import GRDB

/// A blood pressure as the database gives it back. Numbers are as stored; texts are ISO 8601.
public struct StoredReading: Sendable, Hashable {
    /// The printed id of the reading.
    public var id: String
    /// The best known time of the measurement: `measured`, else what the cuff's clock said, else the arrival.
    public var time: String?
    /// Systolic pressure in mmHg.
    public var systolic: Double
    /// Diastolic pressure in mmHg.
    public var diastolic: Double
    /// Mean pressure in mmHg; `nil` where the cuff sent none.
    public var mean: Double?
    /// Beats per minute; `nil` where the cuff sent none.
    public var pulse: Double?
    /// The user slot; `nil` where the cuff sent none.
    public var user: Int?
    /// The flag words of the reading.
    public var flags: [String]
    /// The rule behind `time`: `synced`, `corrected`, `device_time`, `receive_time`, `unset`; `nil` when none was applied.
    public var clock: String?
    /// What the cuff's clock showed, ISO 8601 without a zone; `nil` for none.
    public var deviceTime: String?
    /// The best known time, RFC 3339; `nil` for none.
    public var measured: String?
    /// When the reading was received, RFC 3339 in UTC; `nil` for none.
    public var received: String?
    /// The word of the reading's origin.
    public var origin: String
    /// The model of the cuff; `nil` where it is unknown.
    public var model: String?
    /// The identity under which the reading is stored; may be empty.
    public var device: String
    /// The id of the driver.
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
