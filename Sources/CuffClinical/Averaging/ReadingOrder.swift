import CuffCore

/// Sorts readings that arrive almost in the order of their time, in constant memory.
///
/// A database is ordered by the cuffs' own clocks: a corrected clock, a second cuff or a repeated hour displaces readings by a few
/// places.
package struct ReadingOrder: Sendable {
    /// The number of readings held back: enough for two cuffs in a home plan whose clocks differ by more than a year.
    static let usualCapacity = 4096

    private let capacity: Int
    private var held: [(time: Timestamp, reading: HomeReading)] = []
    private var oldest = 0
    private var latest: Timestamp?
    /// Whether a reading arrived after a later one was passed on: the readings must be sorted otherwise.
    package private(set) var isBroken = false

    package init(capacity: Int = usualCapacity) { self.capacity = max(1, capacity) }

    /// Adds a reading, and passes on the oldest if too many are held. One without a time is passed on at once.
    package mutating func add(_ reading: HomeReading, pass: (HomeReading) -> Void) {
        guard let time = reading.time else { return pass(reading) }
        if let latest, time < latest { isBroken = true }
        var place = held.count
        while place > oldest, time < held[place - 1].time { place -= 1 }
        if place == held.count { held.append((time, reading)) } else { held.insert((time, reading), at: place) }
        guard held.count - oldest > capacity else { return }
        passOldest(pass)
    }

    package mutating func finish(pass: (HomeReading) -> Void) {
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
