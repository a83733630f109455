/// Readings that came while the host's clock was not right: what is known of them later, when it is.
///
/// A host's clock may begin at 1970 and be set by a time server after minutes. What a cuff sent meanwhile is with the sinks, as
/// the cuff said it. The time that has passed since is known, so once the clock is right each gets its true reception and
/// is placed, as the next revision of the same reading.
struct HeldReadings: Sendable {
    /// Twice the largest documented memory of a cuff (250 records). The oldest go first, and stay as the cuff said them.
    static let limit = 512
    /// How often the clock is asked while something is held.
    static let interval = Duration.seconds(30)
    /// A reception that turns out to be less than this off is no news.
    private static let tolerance: Int64 = 60_000

    private struct Held: Sendable {
        var reading: Reading
        var device: String
        var identity: DeviceIdentity?
        var elapsed: Duration
    }
    private var held: [Held] = []
    /// What the cuff's clock showed meanwhile, and when.
    private var told: (time: DeviceTime, elapsed: Duration)?

    var isEmpty: Bool { held.isEmpty }

    /// The reading goes to the sinks without a time that can be relied upon. A completed one takes the place of what it
    /// completes.
    mutating func note(_ reading: Reading, device: String, identity: DeviceIdentity?, at elapsed: Duration) {
        held.removeAll { $0.reading.id == reading.id && $0.device == device }
        held.append(Held(reading: reading, device: device, identity: identity, elapsed: elapsed))
        if held.count > Self.limit { held.removeFirst() }
    }

    /// The cuff's clock showed this.
    mutating func note(_ time: DeviceTime, at elapsed: Duration) { told = (time, elapsed) }

    /// The host's clock is right: compares the cuff's with it, and gives the readings that have another time by that, in batches
    /// of one cuff. Nothing is held afterwards.
    mutating func place(by clock: inout ClockCorrection, at now: LinkTime, through: Int) -> [LinkBatch] {
        guard let wall = now.wall else { return [] }
        func instant(_ elapsed: Duration) -> Timestamp {
            Timestamp(milliseconds: wall.milliseconds - (now.elapsed - elapsed).milliseconds)
        }
        if let told { clock.compare(told.time, at: instant(told.elapsed)) }
        var batches: [LinkBatch] = []
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
                batches.append(LinkBatch(device: one.device, identity: one.identity, through: through))
            }
            batches[batches.count - 1].entries.append(.reading(new))
        }
        held.removeAll()
        told = nil
        return batches
    }

    private static func differ(_ a: Timestamp?, _ b: Timestamp?) -> Bool {
        guard let a, let b else { return a != b }
        return (a.milliseconds - b.milliseconds).magnitude >= tolerance
    }
}

extension LinkState {
    /// The readings of this range go to the sinks now; the host's clock is not right.
    mutating func hold(_ range: Range<Int>) {
        guard clock != nil, now.wall != nil, !now.isHostClockRight, !setup.isRecorded else { return }
        for index in range { held.note(entries.readings[index], device: ledger.device, identity: identity, at: now.elapsed) }
        if !held.isEmpty { deadlines.arm(.hostClock, at: now.elapsed + HeldReadings.interval) }
    }

    /// Places what was held, once the host's clock is right.
    mutating func placeHeld(_ effects: inout [LinkEffect]) {
        guard !held.isEmpty, now.isHostClockRight, var clock else { return }
        flush(into: &effects)
        for batch in held.place(by: &clock, at: now, through: emitted) { effects.append(.submit(batch)) }
        self.clock = clock
        deadlines.disarm(.hostClock)
    }
}
