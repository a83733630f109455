/// Decodes the record bytes of stored readings anew, with the drivers as they are now: after a correction of a driver, old
/// data can be corrected without the cuff.
package enum RecordDecoding {
    /// What the present driver says about a stored reading.
    package enum Verdict: Sendable, Hashable {
        /// The same as stored.
        case same
        /// Other values. The reading is complete: the stored one with its id and times, the new values, and the next revision.
        case changed(Reading)
        /// The record would now be read with another time, user or number, all of which are part of the id. Reading the cuff again
        /// would store it beside the old one, so it cannot be corrected under its id.
        case otherIdentity(Reading)
        /// The record bytes by themselves are not enough, or the driver no longer takes them for a reading.
        case undecided
    }

    /// Compares a stored reading with what `driver` makes of its bytes. `options` are those of the driver's family.
    package static func verdict(on stored: Reading, by driver: CuffDriver, options: [String: String] = [:]) -> Verdict {
        guard !stored.isPending, stored.origin != .entered, let decoded = decode(stored, driver, options) else { return .undecided }
        // What a record does not say itself came from its conversation and stands.
        guard (decoded.user ?? stored.user) == stored.user, (decoded.sequence ?? stored.sequence) == stored.sequence,
            isSame(decoded.clock, stored.clock)
        else { return .otherIdentity(decoded) }
        var corrected = stored
        corrected.content = decoded.content
        corrected.flags = decoded.flags
        corrected.text = decoded.text
        if decoded.trigger != .unknown { corrected.trigger = decoded.trigger }
        guard corrected != stored else { return .same }
        guard stored.revision < Reading.highestRevision else { return .undecided }
        corrected.revision = stored.revision + 1
        return .changed(corrected)
    }

    /// The reading of exactly these bytes: by the driver's own function, else by a session that hears them and then silence.
    private static func decode(_ stored: Reading, _ driver: CuffDriver, _ options: [String: String]) -> Reading? {
        let record = stored.raw.array
        guard !record.isEmpty else { return nil }
        if let decode = driver.decodeRecord {
            guard let reading = decode(record, stored), reading.raw == stored.raw else { return nil }
            return reading
        }
        var replay = Replay(LinkState.Setup(driver, options: options), looksAhead: false)
        replay.play(bytes: record)
        replay.play(CaptureItem(.event(.silence)))
        replay.end()
        replay.flush()
        var found: [Reading] = []
        for case .submit(let batch) in replay.effects { found += batch.entries.readings }
        guard found.count == 1, found[0].raw == stored.raw, !found[0].isPending else { return nil }
        return found[0]
    }

    /// Clocks that name no time differ in nothing that is stored.
    private static func isSame(_ a: DeviceClock, _ b: DeviceClock) -> Bool {
        switch (a.time, b.time) {
        case (nil, nil): true
        case (let a?, let b?): a.wallSeconds == b.wallSeconds && a.precision.rawValue == b.precision.rawValue
        default: false
        }
    }
}

extension Reading {
    /// The highest revision of a reading that is there; 255 is a deleted one's.
    package static let highestRevision: UInt8 = 254
}
