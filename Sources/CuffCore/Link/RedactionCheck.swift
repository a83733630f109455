/// Replays an original and its redacted recording to check that readings agree and identities differ.
package enum RedactionCheck {
    /// A difference that makes the redaction invalid.
    package enum Fault: Error, Sendable, Hashable {
        case timeOutOfRange(DeviceTime)
        /// Reading or event number `number`, from 1, has other values or another state.
        case differs(number: Int)
        /// The time of reading number `number`, from 1, is not shifted.
        case notShifted(number: Int)
        case count(before: Int, after: Int)
        case otherFrames
        /// An id or serial number is unchanged, or its text remains.
        case identityRemains
        /// A time of the cuff's clock, shown or set, is unchanged.
        case clockRemains
    }

    /// Throws if the redacted recording must not be published; returns the number of readings in both, and of bytes outside frames that
    /// stay.
    @discardableResult
    package static func check(
        _ original: [CaptureItem], _ redaction: CaptureRedaction, driver: CuffDriver, options: [String: String] = [:]
    ) throws(Fault) -> (readings: Int, leftBytes: Int) {
        if let time = redaction.work.unshifted { throw .timeOutOfRange(time) }
        let days = Int64(redaction.work.days)
        let (before, formerCounters) = facts(original, driver, options)
        let (after, counters) = facts(redaction.items, driver, options)
        guard before.readings.count == after.readings.count, before.live.count == after.live.count else {
            throw .count(before: before.readings.count + before.live.count, after: after.readings.count + after.live.count)
        }
        for (index, (old, new)) in zip(before.readings, after.readings).enumerated() {
            guard old.content == new.content, old.flags == new.flags, old.user == new.user, old.origin == new.origin,
                old.trigger == new.trigger, old.sequence == new.sequence, old.isPending == new.isPending
            else { throw .differs(number: index + 1) }
            guard isShifted(old.clock, new.clock, days) else { throw .notShifted(number: index + 1) }
        }
        guard formerCounters.frames == counters.frames, formerCounters.skippedBytes == counters.skippedBytes else { throw .otherFrames }
        guard before.clocks.count == after.clocks.count,
            zip(before.clocks, after.clocks).allSatisfy({ isShifted(DeviceClock($0), DeviceClock($1), days) })
        else { throw .clockRemains }
        try checkIdentities(names(before), names(after), redaction.items)
        return (after.readings.count, redaction.work.keepsGaps ? Int(clamping: counters.skippedBytes) : redaction.work.leftBytes)
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

    /// An id of zeros or of one repeated letter may stay.
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

    /// The model is not secret, even if it is a monitor's only identity.
    private static func names(_ facts: ExplainedFacts) -> [String] {
        facts.identities.flatMap { one in [one.id, one.serial].compactMap { $0 }.filter { !$0.isEmpty && $0 != one.model } }
    }

    private static func facts(
        _ items: [CaptureItem], _ driver: CuffDriver, _ options: [String: String]
    ) -> (ExplainedFacts, LinkCounters) {
        var replay = Replay(LinkState.Setup(driver, options: options))
        var facts = ExplainedFacts()
        for item in items {
            replay.play(item)
            facts.take(&replay)
        }
        replay.end()
        facts.take(&replay)
        return (facts, replay.link.counters)
    }
}
