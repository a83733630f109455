/// Consecutive entries of one source with the cuff's identity: the unit passed to sinks.
public struct ReadingBatch: Sendable {
    /// The source's number in the pipeline; 0 outside of one.
    public var source: Int
    /// The id of the driver.
    public var driver: DriverID
    /// The storage key: the reported identity, else what the host knows; empty if unknown.
    public var device: String
    /// What the cuff reported about itself.
    public var identity: DeviceIdentity?
    /// The readings and live events, in the order the cuff sent them.
    public var entries: BatchEntries
    /// The number of readings the source had emitted at the end of this batch, duplicates included.
    public var through: Int

    /// Creates a batch.
    public init(
        source: Int = 0, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, entries: BatchEntries = BatchEntries(),
        through: Int = 0
    ) {
        self.source = source
        self.driver = driver
        self.device = device
        self.identity = identity
        self.entries = entries
        self.through = through
    }

    /// Creates a batch from a list of entries.
    public init(
        source: Int = 0, driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, entries: [BatchEntry], through: Int = 0
    ) {
        self.init(source: source, driver: driver, device: device, identity: identity, entries: BatchEntries(entries), through: through)
    }

    /// The number of readings.
    public var readings: Int { entries.readings.count }

    /// Whether this batch can be merged with `earlier`: same cuff, same source.
    package func continues(_ earlier: ReadingBatch) -> Bool {
        source == earlier.source && device == earlier.device && identity == earlier.identity
    }
}
