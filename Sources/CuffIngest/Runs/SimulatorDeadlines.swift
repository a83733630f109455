import CuffCore

/// A simulated cuff's timers, in nanoseconds of `HostClock.monotonic`.
struct SimulatorDeadlines {
    private var armed: [TimerID: Int64] = [:]

    var next: Int64? { armed.values.min() }
    mutating func arm(_ timer: TimerID, _ due: Int64) { armed[timer] = due }
    mutating func disarm(_ timer: TimerID) { armed[timer] = nil }
    mutating func removeAll() { armed.removeAll() }

    mutating func takeDue(at now: Int64) -> TimerID? {
        let first = armed.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
        guard let first, first.value <= now else { return nil }
        armed[first.key] = nil
        return first.key
    }
}
