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

    private struct Facts {
        var readings: [Reading] = []
        var live = 0
        var identities: [String] = []
        var clocks: [DeviceTime] = []
        var frames = 0
        var skipped = 0

        /// Collects facts and empties the effects, which would grow with a long recording.
        mutating func add(_ replay: inout Replay) {
            for effect in replay.effects {
                switch effect {
                case .submit(let batch):
                    readings += batch.entries.readings
                    live += batch.entries.count - batch.entries.readings.count
                case .notify(.identified(let identity)):
                    // The model is not secret, even if it is a monitor's only identity.
                    identities += [identity.id, identity.serial].compactMap { $0 }.filter { !$0.isEmpty && $0 != identity.model }
                case .notify(.clock(let time, _)): clocks.append(time)
                default: break
                }
            }
            replay.effects.removeAll(keepingCapacity: true)
        }
    }

    /// Throws if the redacted recording must not be published; returns the number of readings in both.
    @discardableResult
    package static func check(
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
