import CuffCore

/// The cuff of a stored reading: its driver, the identity under which its readings are stored, and further facts.
public struct Provenance: Sendable, Hashable {
    /// The id of the driver.
    public var driver: String
    /// The identity under which the readings are stored; empty if unknown.
    public var device: String
    /// What the cuff reports about itself.
    public var identity: DeviceIdentity

    /// Sets each property as given.
    public init(driver: String, device: String = "", identity: DeviceIdentity = DeviceIdentity()) {
        self.driver = driver
        self.device = device
        self.identity = identity
    }

    /// The name for people: make and model, or the identity, or the driver.
    public var name: String {
        let parts = [identity.manufacturer, identity.model].compactMap { $0 }.filter { !$0.isEmpty }
        if !parts.isEmpty { return parts.joined(separator: " ") }
        return device.isEmpty ? driver : device
    }
}
