import CuffCore
import SQLite

extension Store {
    /// The row number of a source, which is inserted if new.
    static func number(_ driver: DriverID, _ device: String, _ identity: DeviceIdentity?, in db: SQLiteConnection) throws -> Int64 {
        let number = try db.first(
            """
            INSERT INTO source (driver, device, manufacturer, model, serial, firmware, details, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, \(RowChecksum.function)(?1, ?2, ?3, ?4, ?5, ?6, ?7))
            ON CONFLICT (driver, device) DO UPDATE SET
              manufacturer = coalesce(excluded.manufacturer, manufacturer), model = coalesce(excluded.model, model),
              serial = coalesce(excluded.serial, serial), firmware = coalesce(excluded.firmware, firmware),
              details = coalesce(excluded.details, details),
              checksum = iif(\(RowChecksum.source.isIntact), \(RowChecksum.function)(
                source.driver, source.device, coalesce(excluded.manufacturer, source.manufacturer),
                coalesce(excluded.model, source.model), coalesce(excluded.serial, source.serial),
                coalesce(excluded.firmware, source.firmware), coalesce(excluded.details, source.details)), source.checksum)
            RETURNING number
            """, driver.description, device, identity?.manufacturer, identity?.model, identity?.serial, identity?.firmware,
            identity.flatMap { $0.storedDetails.isEmpty ? nil : JSONOutput($0.storedDetails).string }
        ) { $0.integer(0) }
        return number ?? 0
    }
}

extension DeviceIdentity {
    fileprivate var storedDetails: [String: String] {
        var details: [String: String] = [:]
        for path in Self.storedPaths { details[path.name] = self[keyPath: path.value] }
        return details
    }

    mutating func restoreDetails(_ text: String?) {
        let details = JSONValue.texts(in: text)
        for path in Self.storedPaths { self[keyPath: path.value] = details[path.name] }
    }

    private static var storedPaths: [(name: String, value: WritableKeyPath<DeviceIdentity, String?>)] {
        [("hardware", \.hardware), ("software", \.software), ("udi", \.udi)]
    }
}
