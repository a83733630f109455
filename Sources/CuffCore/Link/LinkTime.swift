/// When something happened to a link.
public struct LinkTime: Sendable, Hashable {
    /// Time since a fixed beginning that never runs backwards: the host's monotonic clock, or a capture's own time.
    public var elapsed: Duration
    /// The wall clock; `nil` for recorded bytes without a known time.
    public var wall: Timestamp?
    /// The host's clock was not synchronised with any other at that moment.
    public var isHostClockUnsynchronised: Bool

    /// Sets each property as given.
    public init(elapsed: Duration, wall: Timestamp? = nil, isHostClockUnsynchronised: Bool = false) {
        self.elapsed = elapsed
        self.wall = wall
        self.isHostClockUnsynchronised = isHostClockUnsynchronised
    }

    /// A cuff's clock may be compared with this one, and readings be placed by it.
    var isHostClockRight: Bool { !isHostClockUnsynchronised && wall.map { $0 >= .release } ?? false }
}
