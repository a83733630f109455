/// Readings that came while the host's clock was not right, until it is. A host's clock may begin at 1970 and be set by a time server after
/// minutes. What a cuff sent in the meantime went to the sinks with the cuff's own time. The time that has passed since is known, so once
/// the clock is right each reading gets its true reception and its place, as the next revision of the same reading.
struct HeldReadings: Sendable {
    /// Twice the largest documented memory of a cuff (250 records). Beyond that the oldest keep the cuff's own time.
    static let limit = 512
    /// How often the clock is checked while readings are held.
    static let interval = Duration.seconds(30)
    /// A time of reception that was wrong by less than this, in milliseconds, is not corrected.
    private static let tolerance: Int64 = 60_000

    private struct Held: Sendable {
        var reading: Reading
        var device: String
        var identity: DeviceIdentity?
        var elapsed: Duration
    }
    private var held: [Held] = []
    /// What the cuff's clock showed in the meantime, and when.
    private var shown: (time: DeviceTime, elapsed: Duration)?

    var isEmpty: Bool { held.isEmpty }

    /// The reading goes to the sinks without a time that can be relied upon. A completed one takes the place of what it completes.
    mutating func note(_ reading: Reading, device: String, identity: DeviceIdentity?, at elapsed: Duration) {
        held.removeAll { $0.reading.id == reading.id && $0.device == device }
        held.append(Held(reading: reading, device: device, identity: identity, elapsed: elapsed))
        if held.count > Self.limit { held.removeFirst() }
    }

    /// The cuff's clock showed this.
    mutating func note(_ time: DeviceTime, at elapsed: Duration) { shown = (time, elapsed) }

    /// The host's clock is right: compares the cuff's with it, and gives the readings that have another time by that, in batches
    /// of one cuff. Nothing is held afterwards.
    mutating func place(by clock: inout ClockCorrection, driver: DriverID, at now: LinkTime, through: Int) -> [Batch] {
        guard let wall = now.wall else { return [] }
        func instant(_ elapsed: Duration) -> Timestamp {
            Timestamp(milliseconds: wall.milliseconds - (now.elapsed - elapsed).milliseconds)
        }
        if let shown { clock.compare(shown.time, at: instant(shown.elapsed)) }
        var batches: [Batch] = []
        // What is pending is completed later, by a clock that is right.
        for one in held where !one.reading.isPending && one.reading.revision < Reading.highestRevision {
            let old = one.reading
            var new = old
            (new.measured, new.measuredOffset, new.rule) = (nil, 0, .none)
            new.received = instant(one.elapsed)
            new.isHostClockUnsynchronised = false
            clock.apply(to: &new)
            guard new.rule != old.rule || Self.differ(new.measured, old.measured) || Self.differ(new.received, old.received) else {
                continue
            }
            new.revision += 1
            if batches.last?.device != one.device || batches.last?.identity != one.identity {
                batches.append(Batch(driver: driver, device: one.device, identity: one.identity, through: through))
            }
            batches[batches.count - 1].entries.append(.reading(new))
        }
        held.removeAll()
        shown = nil
        return batches
    }

    private static func differ(_ a: Timestamp?, _ b: Timestamp?) -> Bool {
        guard let a, let b else { return a != b }
        return (a.milliseconds - b.milliseconds).magnitude >= tolerance
    }
}
