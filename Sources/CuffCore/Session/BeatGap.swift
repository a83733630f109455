/// Whether heart beats were lost between two that arrived: by the interval in the later one, and by the times of both.
public struct BeatGap: Sendable, Hashable {
    private var last: Duration?

    /// Before the first beat.
    public init() {}

    /// A beat came at `elapsed` with an interval of so many milliseconds. Answers whether others were lost between the two. A beat that was
    /// lost leaves more time than the interval of the next one; the host's own delays are below a quarter of a second.
    public mutating func note(_ interval: UInt16, at elapsed: Duration) -> Bool {
        defer { last = elapsed }
        return last.map { elapsed - $0 > Duration.milliseconds(Int64(interval)) * 1.6 + .milliseconds(250) } ?? false
    }

    /// Another measurement begins.
    public mutating func reset() { last = nil }
}
