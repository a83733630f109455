import CuffCore
import SQLite

extension Store {
    /// The row number of a source, which is inserted if new.
    static func number(_ driver: DriverID, _ device: String, _ identity: DeviceIdentity?, in db: SQLiteConnection) throws -> Int64 {
        let number = try db.first(
            """
            INSERT INTO source (driver, device, manufacturer, model, serial, firmware, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, \(RowChecksum.function)(?1, ?2, ?3, ?4, ?5, ?6))
            ON CONFLICT (driver, device) DO UPDATE SET
              manufacturer = coalesce(excluded.manufacturer, manufacturer), model = coalesce(excluded.model, model),
              serial = coalesce(excluded.serial, serial), firmware = coalesce(excluded.firmware, firmware),
              checksum = iif(\(RowChecksum.source.isIntact), \(RowChecksum.function)(
                source.driver, source.device, coalesce(excluded.manufacturer, source.manufacturer),
                coalesce(excluded.model, source.model), coalesce(excluded.serial, source.serial),
                coalesce(excluded.firmware, source.firmware)), source.checksum)
            RETURNING number
            """, driver.description, device, identity?.manufacturer, identity?.model, identity?.serial, identity?.firmware
        ) { $0.integer(0) }
        return number ?? 0
    }
}
