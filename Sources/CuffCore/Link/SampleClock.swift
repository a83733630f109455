/// The offset of a cuff's counter from the host's clock, estimated by the sample with the shortest delay.
struct SampleClock: Sendable {
    /// Larger differences mean a restarted counter or lost samples.
    static let tolerance = Duration.milliseconds(500)
    private var offset: Duration?

    mutating func arrived(_ sampled: Duration, at now: Duration) {
        let found = now - sampled
        guard let offset, found - offset < Self.tolerance else { return self.offset = found }
        self.offset = min(offset, found)
    }

    func time(of sampled: Duration) -> Duration { sampled + (offset ?? .zero) }
}
