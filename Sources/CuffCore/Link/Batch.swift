/// Consecutive entries of one source, with the identity of the cuff: the unit in which sinks receive readings.
public struct Batch: Sendable {
    /// The number that the pipeline gave the source; 0 outside of a pipeline.
    public var source: Int
    /// The id of the driver.
    public var driver: DriverID
    /// The key under which the cuff's readings are stored: the identity that it reported, else what the host knows; empty when unknown.
    public var device: String
    /// What the cuff reported about itself.
    public var identity: DeviceIdentity?
    /// The readings and live events, in the order in which the cuff sent them.
    public var entries: Entries
    /// How many readings the source had emitted at the end of this batch, duplicates included.
    public var through: Int

    /// Sets each property as given.
    public init(
        source: Int = 0, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, entries: Entries = Entries(),
        through: Int = 0
    ) {
        self.source = source
        self.driver = driver
        self.device = device
        self.identity = identity
        self.entries = entries
        self.through = through
    }

    /// The same with a list of entries.
    public init(
        source: Int = 0, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, entries: [Entry], through: Int = 0
    ) {
        self.init(source: source, driver: driver, device: device, identity: identity, entries: Entries(entries), through: through)
    }

    /// How many of the entries are readings.
    public var readings: Int { entries.readings.count }

    /// Whether this batch can be merged with `earlier`: the same cuff on the same source.
    package func continues(_ earlier: Batch) -> Bool {
        source == earlier.source && device == earlier.device && identity == earlier.identity
    }
}
