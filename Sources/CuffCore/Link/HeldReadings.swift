/// Readings received before the host's clock was synchronised (it may begin at 1970). Sinks got them with the cuff's own time. Once the
/// clock is right, each gets its true times from the monotonic clock, as the next revision of the same reading.
struct HeldReadings: Sendable {
    /// Twice the largest documented memory of a cuff (250 records). Beyond that the oldest keep the cuff's own time.
    static let limit = 512
    /// The interval between checks of the clock.
    static let interval = Duration.seconds(30)
    /// Smaller errors of the receive time, in milliseconds, are not corrected.
    private static let tolerance: Int64 = 60_000

    private struct Held: Sendable {
        var reading: Reading
        var device: String
        var identity: DeviceIdentity?
        var elapsed: Duration
    }
    private var held: [Held] = []
    /// The cuff's clock, and when it was read.
    private var shown: (time: DeviceTime, elapsed: Duration)?

    var isEmpty: Bool { held.isEmpty }

    /// Holds a reading that has no reliable time. A later revision replaces the earlier one; the ledger drops
    /// repetitions, because it knows more readings than are held.
    mutating func note(_ reading: Reading, device: String, identity: DeviceIdentity?, at elapsed: Duration) {
        if reading.revision > 0 { held.removeAll { $0.reading.id == reading.id && $0.device == device } }
        held.append(Held(reading: reading, device: device, identity: identity, elapsed: elapsed))
        // Removing the first moves all others, so many are removed at once.
        if held.count >= Self.limit + Self.limit / 4 { held.removeFirst(held.count - Self.limit) }
    }

    mutating func note(_ time: DeviceTime, at elapsed: Duration) { shown = (time, elapsed) }

    /// Compares the cuff's clock with the host's, now right, and returns the readings whose times change, in batches of one cuff.
    mutating func place(by clock: inout ClockCorrection, driver: DriverID, at now: LinkTime, through: Int) -> [ReadingBatch] {
        guard let wall = now.wall else { return [] }
        func instant(_ elapsed: Duration) -> Timestamp {
            Timestamp(milliseconds: wall.milliseconds - (now.elapsed - elapsed).milliseconds)
        }
        if let shown { clock.compare(shown.time, at: instant(shown.elapsed)) }
        var batches: [ReadingBatch] = []
        // Pending readings are completed later, with the right clock.
        for one in held.suffix(Self.limit) where !one.reading.isPending && one.reading.revision < Reading.highestRevision {
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
                batches.append(ReadingBatch(driver: driver, device: one.device, identity: one.identity, through: through))
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
