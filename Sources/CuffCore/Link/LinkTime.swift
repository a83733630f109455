/// The time of an event.
public struct LinkTime: Sendable, Hashable {
    /// Monotonic: the host's clock since a fixed beginning, or the capture's own time.
    public var elapsed: Duration
    /// The wall clock; `nil` for recorded bytes without a known time.
    public var wall: Timestamp?
    /// The host's clock was not synchronised.
    public var isHostClockUnsynchronised: Bool

    /// Creates a time.
    public init(elapsed: Duration, wall: Timestamp? = nil, isHostClockUnsynchronised: Bool = false) {
        self.elapsed = elapsed
        self.wall = wall
        self.isHostClockUnsynchronised = isHostClockUnsynchronised
    }

    /// The wall clock may be used to judge a cuff's clock and to time readings.
    var isHostClockRight: Bool { !isHostClockUnsynchronised && wall.map { $0 >= .release } ?? false }
}
