/// Whether an anonymised recording still says what the original said, and no longer who it was: both are replayed.
public enum RedactionCheck {
    /// What is wrong with it.
    public enum Fault: Error, Sendable, Hashable {
        /// The shift puts this time outside of what the cuff can write.
        case timeOutOfRange(DeviceTime)
        /// Reading or event number `number`, from 1, has other values or another state.
        case differs(number: Int)
        /// Reading number `number`, from 1, does not have its time shifted.
        case notShifted(number: Int)
        /// The two give different numbers of readings or events.
        case count(before: Int, after: Int)
        /// The frames of the two are not judged alike.
        case otherFrames
        /// An id or a serial number is the same as before, or its text is still there.
        case identityRemains
        /// A time that the cuff's own clock showed, or that was set, is the same as before.
        case clockRemains
    }

    /// What a replay showed, as far as it has to agree.
    private struct Facts {
        var readings: [Reading] = []
        var live = 0
        var identities: [String] = []
        var clocks: [DeviceTime] = []
        var frames = 0
        var skipped = 0

        /// Adds what the replay showed since the last time, and empties it: a long recording has many effects and few facts.
        mutating func add(_ replay: inout Replay) {
            for effect in replay.effects {
                switch effect {
                case .submit(let batch):
                    readings += batch.entries.readings
                    live += batch.entries.count - batch.entries.readings.count
                case .notify(.identified(let identity)):
                    // The model is no secret, also where it is all that a monitor is known by.
                    identities += [identity.id, identity.serial].compactMap { $0 }.filter { !$0.isEmpty && $0 != identity.model }
                case .notify(.clock(let time, _)): clocks.append(time)
                default: break
                }
            }
            replay.effects.removeAll(keepingCapacity: true)
        }
    }

    /// Throws where the rewritten recording may not be given away; answers how many readings both give.
    @discardableResult
    public static func check(
        _ original: [CaptureItem], _ redaction: CaptureRedaction, driver: CuffDriver, options: [String: String] = [:]
    ) throws(Fault) -> Int {
        if let time = redaction.work.unshifted { throw .timeOutOfRange(time) }
        let days = Int64(redaction.work.days)
        let before = facts(original, driver, options)
        let after = facts(redaction.items, driver, options)
        guard before.readings.count == after.readings.count, before.live == after.live else {
            throw .count(before: before.readings.count + before.live, after: after.readings.count + after.live)
        }
        for (index, (old, new)) in zip(before.readings, after.readings).enumerated() {
            guard old.content == new.content, old.flags == new.flags, old.user == new.user, old.origin == new.origin,
                old.trigger == new.trigger, old.sequence == new.sequence, old.isPending == new.isPending
            else { throw .differs(number: index + 1) }
            guard isShifted(old.clock, new.clock, days) else { throw .notShifted(number: index + 1) }
        }
        guard before.frames == after.frames, before.skipped == after.skipped else { throw .otherFrames }
        guard before.clocks.count == after.clocks.count,
            zip(before.clocks, after.clocks).allSatisfy({ isShifted(DeviceClock($0), DeviceClock($1), days) })
        else { throw .clockRemains }
        try checkIdentities(before.identities, after.identities, redaction.items)
        return after.readings.count
    }

    private static func isShifted(_ old: DeviceClock, _ new: DeviceClock, _ days: Int64) -> Bool {
        switch (old, new) {
        case (.time(let old), .time(let new)), (.derived(let old), .derived(let new)):
            old.wallSeconds + days * 86400 == new.wallSeconds && old.hundredths == new.hundredths && old.precision == new.precision
                && old.utcOffset == new.utcOffset
        case (.absent, .absent), (.unset, .unset), (.impossible, .impossible): true
        default: false
        }
    }

    /// An id of zeros or of one letter tells nothing, and may stay.
    private static func checkIdentities(_ before: [String], _ after: [String], _ items: [CaptureItem]) throws(Fault) {
        let telling = before.filter { Set($0.filter { $0.isLetter || $0.isNumber }.uppercased()).subtracting("0A").count > 0 }
        if telling.contains(where: after.contains) { throw .identityRemains }
        var text: [UInt8] = []
        for item in items {
            switch item.content {
            case .fromCuff(let bytes), .toCuff(let bytes): text += bytes
            case .event: break
            }
        }
        let whole = String(decoding: text, as: UTF8.self)
        for identity in telling where identity.utf8.count >= 4 && whole.contains(identity) { throw .identityRemains }
    }

    private static func facts(_ items: [CaptureItem], _ driver: CuffDriver, _ options: [String: String]) -> Facts {
        var replay = Replay(LinkState.Setup(driver, options: options))
        var facts = Facts()
        for item in items {
            replay.play(item)
            facts.add(&replay)
        }
        replay.end()
        replay.flush()
        facts.add(&replay)
        facts.frames = replay.link.counters.frames
        facts.skipped = replay.link.counters.skippedBytes
        return facts
    }
}
