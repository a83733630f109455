/// The offset of a cuff's own counter from the host's clock. The sample that arrived soonest after it was counted is the best estimate.
struct SampleClock: Sendable {
    /// Beyond this the counter began anew, or samples in between did not arrive.
    static let tolerance = Duration.milliseconds(500)
    private var offset: Duration?

    mutating func arrived(_ sampled: Duration, at now: Duration) {
        let found = now - sampled
        guard let offset, found - offset < Self.tolerance else { return self.offset = found }
        self.offset = min(offset, found)
    }

    func time(of sampled: Duration) -> Duration { sampled + (offset ?? .zero) }
}
