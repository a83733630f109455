/// Detects lost heart beats, by the interval in each beat and the arrival times.
package struct BeatGap: Sendable, Hashable {
    private var last: Duration?

    package init() {}

    /// Records a beat at `elapsed` with its interval in milliseconds; returns whether beats before it were lost, i.e. its arrival is later
    /// than the interval allows. The host's own delays are below a quarter of a second.
    package mutating func note(_ interval: UInt16, at elapsed: Duration) -> Bool {
        defer { last = elapsed }
        return last.map { elapsed - $0 > Duration.milliseconds(Int64(interval)) * 1.6 + .milliseconds(250) } ?? false
    }

    /// Forgets the last beat, for another measurement.
    package mutating func reset() { last = nil }
}
