package struct LinkCounters: Sendable, Equatable {
    /// Whole frames from the cuff.
    package var frames = 0
    /// Frames with a wrong check, if a gap began with one.
    package var badChecks = 0
    /// Bytes from the cuff.
    package var bytes = 0
    /// Bytes outside frames.
    package var skippedBytes = 0
    /// Readings admitted, including failed measurements, without duplicates and filtered ones.
    package var readings = 0
    /// Failed measurements among `readings`.
    package var failures = 0
    /// Live events emitted to the sinks.
    package var liveEvents = 0
    /// Live samples dropped because a sink was slow.
    package var thinned = 0
    /// Readings repeated within the conversation.
    package var duplicates = 0
    /// Readings outside the requested selection; they stay in the cuff.
    package var filtered = 0
    /// The number of pauses because of full sinks.
    package var pauses = 0
    /// Their total time.
    package var paused = Duration.zero

    package init() {}

    package static func += (a: inout LinkCounters, b: LinkCounters) {
        let counts: [WritableKeyPath<LinkCounters, Int>] = [
            \.frames, \.badChecks, \.bytes, \.skippedBytes, \.readings, \.failures, \.liveEvents, \.thinned, \.duplicates, \.filtered,
            \.pauses,
        ]
        for count in counts { a[keyPath: count] += b[keyPath: count] }
        a.paused += b.paused
    }
}
