import CuffCore

/// Puts readings that come almost in the order of their time into that order, in constant memory.
///
/// A database is ordered by the cuffs' own clocks: a clock that was corrected, a second cuff or an hour that a change of the
/// zone repeats move readings by a few places.
public struct ReadingOrder: Sendable {
    /// As many readings are held back: more than a year of a home plan lies between two cuffs whose clocks differ by a month.
    public static let usualCapacity = 4096

    private let capacity: Int
    private var held: [(time: Timestamp, reading: HomeReading)] = []
    private var oldest = 0
    private var latest: Timestamp?
    /// Whether a reading came so late that one of a later time has been passed on already: the readings must be sorted otherwise.
    public private(set) var isBroken = false

    /// Holds back up to `capacity` readings.
    public init(capacity: Int = usualCapacity) { self.capacity = max(1, capacity) }

    /// Takes a reading and passes on the oldest where too many are held. One without a time is passed on at once.
    public mutating func add(_ reading: HomeReading, pass: (HomeReading) -> Void) {
        guard let time = reading.time else { return pass(reading) }
        if let latest, time < latest { isBroken = true }
        var place = held.count
        while place > oldest, time < held[place - 1].time { place -= 1 }
        if place == held.count { held.append((time, reading)) } else { held.insert((time, reading), at: place) }
        guard held.count - oldest > capacity else { return }
        passOldest(pass)
    }

    /// Passes on everything that is held.
    public mutating func finish(pass: (HomeReading) -> Void) {
        while oldest < held.count { passOldest(pass) }
    }

    private mutating func passOldest(_ pass: (HomeReading) -> Void) {
        latest = held[oldest].time
        pass(held[oldest].reading)
        oldest += 1
        if oldest >= capacity {
            held.removeFirst(oldest)
            oldest = 0
        }
    }
}
