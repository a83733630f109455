/// What a family can do, queryable before anything is asked of a cuff.
public struct Capabilities: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let storedReadings = Capabilities(rawValue: 1 << 0)
    public static let push = Capabilities(rawValue: 1 << 1)
    public static let livePressure = Capabilities(rawValue: 1 << 2)
    public static let measure = Capabilities(rawValue: 1 << 3)
    public static let stop = Capabilities(rawValue: 1 << 4)
    public static let readClock = Capabilities(rawValue: 1 << 5)
    public static let setClock = Capabilities(rawValue: 1 << 6)
    public static let users = Capabilities(rawValue: 1 << 7)
    public static let schedule = Capabilities(rawValue: 1 << 8)
    public static let erase = Capabilities(rawValue: 1 << 9)
    public static let information = Capabilities(rawValue: 1 << 10)
    /// The automatic window's start and end can be set on the cuff.
    public static let scheduleWindow = Capabilities(rawValue: 1 << 11)
    /// The time between its own automatic measurements can be set on the cuff (`CuffDriver.cycles`).
    public static let scheduleInterval = Capabilities(rawValue: 1 << 12)
    /// It measures from start to stop, a reading for every beat, instead of once.
    public static let continuous = Capabilities(rawValue: 1 << 13)
    /// It forgets a reading once it hears that it was stored.
    public static let forgets = Capabilities(rawValue: 1 << 14)

    public static let words: [String] = [
        "stored_readings", "push", "live_pressure", "measure", "stop", "read_clock", "set_clock", "users", "schedule",
        "erase", "information", "schedule_window", "schedule_interval", "continuous", "forgets",
    ]

    public var words: [String] {
        Self.words.indices.filter { rawValue & (1 << UInt32($0)) != 0 }.map { Self.words[$0] }
    }
}
