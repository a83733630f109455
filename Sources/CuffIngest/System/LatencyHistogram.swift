/// Durations, counted in steps from half a millisecond to ten seconds.
package struct LatencyHistogram: Sendable, Equatable {
    /// Upper bounds in microseconds, with one more step above the last. An fsync takes 0.1 ms in a host's cache and 10 ms on a
    /// rotating disk; a locked database times out after 5 s.
    static let bounds: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
    ]

    private(set) var counts = [Int](repeating: 0, count: LatencyHistogram.bounds.count + 1)
    private(set) var sum = Duration.zero
    package private(set) var count = 0
    package private(set) var longest = Duration.zero

    mutating func add(nanoseconds: Int64) {
        let microseconds = max(0, nanoseconds) / 1000
        counts[Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count] += 1
        let duration = Duration.nanoseconds(max(0, nanoseconds))
        sum += duration
        longest = max(longest, duration)
        count += 1
    }

    /// The upper bound of the step of this quantile; `nil` if empty, or beyond the last step.
    func bound(of share: Double) -> Duration? {
        guard count > 0 else { return nil }
        var left = Int((Double(count) * share).rounded(.up))
        for (index, bound) in Self.bounds.enumerated() {
            left -= counts[index]
            if left <= 0 { return .microseconds(bound) }
        }
        return nil
    }

    /// `42 writes, half within 1 ms, 99 % within 3.2 ms, longest 3.2 ms`. `noun` is singular.
    func sentence(_ noun: String) -> String {
        guard count > 0 else { return "no \(noun)s" }
        // A step may end above the longest duration.
        func within(_ share: Double) -> String { bound(of: share).map { "within \(Self.text(min($0, longest)))" } ?? "over 10 s" }
        return "\(Plural.text(count, noun)), half \(within(0.5)), 99 % \(within(0.99)), longest \(Self.text(longest))"
    }

    static func text(_ duration: Duration) -> String {
        let microseconds = duration.nanoseconds / 1000
        if microseconds < 10_000 { return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms" }
        if microseconds < 1_000_000 { return "\(microseconds / 1000) ms" }
        return "\(microseconds / 1_000_000).\(microseconds % 1_000_000 / 100_000) s"
    }
}
