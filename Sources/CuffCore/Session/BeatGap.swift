/// Whether heart beats were lost between two that arrived: by what the later one tells of its interval, and by when both came.
public struct BeatGap: Sendable, Hashable {
    private var last: Duration?

    /// Before the first beat.
    public init() {}

    /// A beat came at `elapsed` and tells that it is so many milliseconds after the one before. Answers whether others were lost
    /// between the two. A beat that was lost leaves more time than its successor tells; the host's own delays are below a quarter
    /// of a second.
    public mutating func note(_ interval: UInt16, at elapsed: Duration) -> Bool {
        defer { last = elapsed }
        return last.map { elapsed - $0 > Duration.milliseconds(Int64(interval)) * 1.6 + .milliseconds(250) } ?? false
    }

    /// Another measurement begins.
    public mutating func reset() { last = nil }
}
