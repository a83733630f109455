/// Counts of one link.
public struct LinkCounters: Sendable, Equatable {
    /// Whole frames from the cuff.
    public var frames = 0
    /// Frames with a wrong check, if a gap began with one.
    public var badChecks = 0
    /// Bytes from the cuff.
    public var bytes = 0
    /// Bytes outside frames.
    public var skippedBytes = 0
    /// Readings admitted, including failed measurements, without duplicates and filtered ones.
    public var readings = 0
    /// Failed measurements among `readings`.
    public var failures = 0
    /// Live events emitted to the sinks.
    public var liveEvents = 0
    /// Live samples dropped because a sink was slow.
    public var thinned = 0
    /// Readings repeated within the conversation.
    public var duplicates = 0
    /// Readings outside the requested selection; they stay in the cuff.
    public var filtered = 0
    /// The number of pauses because of full sinks.
    public var pauses = 0
    /// Their total time.
    public var paused = Duration.zero

    /// All counts zero.
    public init() {}

    /// Adds the counts of `b`.
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
