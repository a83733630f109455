/// What a family can do, queryable before anything is asked of a cuff.
public struct Capabilities: OptionSet, Sendable, Hashable {
    /// One bit for each word of `words`, in their order.
    public let rawValue: UInt32
    /// Any bits; bits without a word mean nothing.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Its memory can be read on request.
    public static let storedReadings = Capabilities(rawValue: 1 << 0)
    /// It sends results unasked.
    public static let push = Capabilities(rawValue: 1 << 1)
    /// It sends the pressure in the cuff while it measures.
    public static let livePressure = Capabilities(rawValue: 1 << 2)
    /// A measurement can be started from here: the cuff inflates.
    public static let measure = Capabilities(rawValue: 1 << 3)
    /// A measurement can be stopped from here.
    public static let stop = Capabilities(rawValue: 1 << 4)
    /// Its clock can be read.
    public static let readClock = Capabilities(rawValue: 1 << 5)
    /// Its clock can be set.
    public static let setClock = Capabilities(rawValue: 1 << 6)
    /// Its memory keeps several persons apart.
    public static let users = Capabilities(rawValue: 1 << 7)
    /// Its automatic measurements can be switched.
    public static let schedule = Capabilities(rawValue: 1 << 8)
    /// Its memory can be erased from here.
    public static let erase = Capabilities(rawValue: 1 << 9)
    /// It sends model, serial number, version or the like.
    public static let information = Capabilities(rawValue: 1 << 10)
    /// The automatic window's start and end can be set on the cuff.
    public static let scheduleWindow = Capabilities(rawValue: 1 << 11)
    /// The time between its own automatic measurements can be set on the cuff (`CuffDriver.cycles`).
    public static let scheduleInterval = Capabilities(rawValue: 1 << 12)
    /// It measures from start to stop, a reading for every beat, instead of once.
    public static let continuous = Capabilities(rawValue: 1 << 13)
    /// It forgets a reading once its storage is acknowledged.
    public static let forgets = Capabilities(rawValue: 1 << 14)

    /// The words of the capabilities, in the order of their bits.
    public static let words: [String] = [
        "stored_readings", "push", "live_pressure", "measure", "stop", "read_clock", "set_clock", "users", "schedule",
        "erase", "information", "schedule_window", "schedule_interval", "continuous", "forgets",
    ]

    /// The words of the capabilities that are set, in the order of their bits.
    public var words: [String] {
        Self.words.indices.filter { rawValue & (1 << UInt32($0)) != 0 }.map { Self.words[$0] }
    }
}
