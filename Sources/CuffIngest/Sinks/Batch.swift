import CuffCore

/// Consecutive entries of one source, with who the cuff is: what a sink is handed at a time.
public struct Batch: Sendable {
    /// The number the pipeline gave the source.
    public var source: Int
    /// The id of the driver.
    public var driver: DriverID
    /// The key under which the cuff's readings are kept: what it told, else what the host knows; empty when unknown.
    public var device: String
    /// What the cuff told about itself.
    public var identity: DeviceIdentity?
    /// The readings and live events, in order.
    public var entries: Entries
    /// How many readings the source's session had emitted at the end of this batch, duplicates included.
    public var through: Int

    /// Sets each property as given.
    public init(
        source: Int, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, entries: Entries = Entries(),
        through: Int = 0
    ) {
        self.source = source
        self.driver = driver
        self.device = device
        self.identity = identity
        self.entries = entries
        self.through = through
    }

    init(source: Int, driver: DriverID, link: consuming LinkBatch) {
        self.init(
            source: source, driver: driver, device: link.device, identity: link.identity, entries: link.entries, through: link.through)
    }

    /// The same with a list of entries.
    public init(
        source: Int, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, entries: [Entry],
        through: Int = 0
    ) {
        self.init(
            source: source, driver: driver, device: device, identity: identity, entries: Entries(entries),
            through: through)
    }

    /// How many of the entries are readings.
    public var readings: Int { entries.readings.count }

    func continues(_ earlier: Batch) -> Bool {
        source == earlier.source && device == earlier.device && identity == earlier.identity
    }
}
