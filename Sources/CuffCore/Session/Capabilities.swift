/// The capabilities of a family, known without contacting a cuff.
public struct Capabilities: OptionSet, Sendable, Hashable {
    /// One bit per word of `words`, in order.
    public let rawValue: UInt32
    /// Unnamed bits are ignored.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reads the memory on request.
    public static let storedReadings = Capabilities(rawValue: 1 << 0)
    /// Receives results sent unasked.
    public static let push = Capabilities(rawValue: 1 << 1)
    /// Receives cuff pressures during a measurement.
    public static let livePressure = Capabilities(rawValue: 1 << 2)
    /// Starts a measurement: the cuff inflates.
    public static let measure = Capabilities(rawValue: 1 << 3)
    /// Stops a measurement.
    public static let stop = Capabilities(rawValue: 1 << 4)
    /// Reads the cuff's clock.
    public static let readClock = Capabilities(rawValue: 1 << 5)
    /// Sets the cuff's clock.
    public static let setClock = Capabilities(rawValue: 1 << 6)
    /// The memory distinguishes several persons.
    public static let users = Capabilities(rawValue: 1 << 7)
    /// Switches the cuff's automatic measurements.
    public static let schedule = Capabilities(rawValue: 1 << 8)
    /// Erases the cuff's memory.
    public static let erase = Capabilities(rawValue: 1 << 9)
    /// Reads model, serial number, version or the like.
    public static let information = Capabilities(rawValue: 1 << 10)
    /// Sets the start and end of the automatic window on the cuff.
    public static let scheduleWindow = Capabilities(rawValue: 1 << 11)
    /// Sets the interval of the cuff's automatic measurements (`CuffDriver.cycles`).
    public static let scheduleInterval = Capabilities(rawValue: 1 << 12)
    /// Measures from start to stop, with a reading for every beat.
    public static let continuous = Capabilities(rawValue: 1 << 13)
    /// The cuff deletes a reading once it is acknowledged.
    public static let forgets = Capabilities(rawValue: 1 << 14)

    /// The names of the capabilities, in bit order.
    public static let words: [String] = [
        "stored_readings", "push", "live_pressure", "measure", "stop", "read_clock", "set_clock", "users", "schedule",
        "erase", "information", "schedule_window", "schedule_interval", "continuous", "forgets",
    ]

    /// The names of the set capabilities, in bit order.
    public var words: [String] {
        Self.words.indices.filter { rawValue & (1 << UInt32($0)) != 0 }.map { Self.words[$0] }
    }
}
