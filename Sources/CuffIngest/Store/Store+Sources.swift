import CuffCore
import GRDB

extension Store {
    /// The number of a source, which is added where it is new.
    static func number(_ driver: DriverID, _ device: String, _ identity: DeviceIdentity?, in db: Database) throws -> Int64 {
        let number = try Int64.fetchOne(
            db,
            sql: """
                INSERT INTO source (driver, device, manufacturer, model, serial, firmware) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (driver, device) DO UPDATE SET
                  manufacturer = coalesce(excluded.manufacturer, manufacturer), model = coalesce(excluded.model, model),
                  serial = coalesce(excluded.serial, serial), firmware = coalesce(excluded.firmware, firmware)
                RETURNING number
                """,
            arguments: [
                driver.description, device, identity?.manufacturer, identity?.model, identity?.serial,
                identity?.firmware,
            ])
        return number ?? 0
    }
}
