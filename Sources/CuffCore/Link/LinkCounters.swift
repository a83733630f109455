/// What went through a link, counted.
public struct LinkCounters: Sendable, Equatable {
    /// Whole frames from the cuff.
    public var frames = 0
    /// Frames whose check did not hold, as far as gaps began with one.
    public var badChecks = 0
    /// Bytes from the cuff.
    public var bytes = 0
    /// Of these, bytes that belong to no frame.
    public var skippedBytes = 0
    /// Readings admitted, failed measurements included, duplicates and filtered ones not.
    public var readings = 0
    /// Of the readings, measurements that failed.
    public var failures = 0
    /// Live events emitted to the sinks.
    public var liveEvents = 0
    /// Live samples left out because a sink was slow.
    public var thinned = 0
    /// Readings that had come before in the same conversation.
    public var duplicates = 0
    /// Readings outside of what was asked for; they stay in the cuff.
    public var filtered = 0
    /// How often, and for how long, the link waited for the sinks.
    public var pauses = 0
    /// The total time of the pauses.
    public var paused = Duration.zero

    /// Every count is zero.
    public init() {}

    /// Adds each count of `b` to that of `a`.
    public static func += (a: inout LinkCounters, b: LinkCounters) {
        a.frames += b.frames
        a.badChecks += b.badChecks
        a.bytes += b.bytes
        a.skippedBytes += b.skippedBytes
        a.readings += b.readings
        a.failures += b.failures
        a.liveEvents += b.liveEvents
        a.thinned += b.thinned
        a.duplicates += b.duplicates
        a.filtered += b.filtered
        a.pauses += b.pauses
        a.paused += b.paused
    }
}
