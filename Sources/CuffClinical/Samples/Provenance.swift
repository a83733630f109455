import CuffCore

/// Which cuff a stored reading is from: the name of its driver, the identity its readings are stored under, and what is
/// known of the cuff beside.
public struct Provenance: Sendable, Hashable {
    /// The id of the driver.
    public var driver: String
    /// The identity under which the readings are stored; empty where it is unknown.
    public var device: String
    /// What the cuff told of itself.
    public var identity: DeviceIdentity

    /// Sets each property as given.
    public init(driver: String, device: String = "", identity: DeviceIdentity = DeviceIdentity()) {
        self.driver = driver
        self.device = device
        self.identity = identity
    }

    /// As people know the cuff: its make and model, else its identity, else the driver.
    public var name: String {
        let parts = [identity.manufacturer, identity.model].compactMap { $0 }.filter { !$0.isEmpty }
        if !parts.isEmpty { return parts.joined(separator: " ") }
        return device.isEmpty ? driver : device
    }
}
