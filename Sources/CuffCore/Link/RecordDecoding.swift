/// Decodes the record bytes of stored readings with the present drivers, so that old data can be corrected without the cuff.
package enum RecordDecoding {
    package enum Verdict: Sendable, Hashable {
        case same
        /// Other values. The reading has the stored id and times, the new values, and the next revision.
        case changed(Reading)
        /// The time, user or number would change, all part of the id; the reading cannot be corrected under its id.
        case otherIdentity(Reading)
        /// The record bytes alone are insufficient, or the driver no longer accepts them.
        case undecided
    }

    /// Compares a stored reading with what `driver` decodes from its bytes. `options` are those of the driver's family.
    package static func verdict(on stored: Reading, by driver: CuffDriver, options: [String: String] = [:]) -> Verdict {
        guard !stored.isPending, stored.origin != .entered, stored.origin != .imported, let decoded = decode(stored, driver, options) else {
            return .undecided
        }
        // Fields missing in the record came from its conversation and stay.
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

    /// Decodes exactly these bytes: by the driver's function, else by a session that receives them and then silence.
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

    /// Clocks without a time zone are stored alike.
    private static func isSame(_ a: DeviceClock, _ b: DeviceClock) -> Bool {
        switch (a.time, b.time) {
        case (nil, nil): true
        case (let a?, let b?): a.wallSeconds == b.wallSeconds && a.precision.rawValue == b.precision.rawValue
        default: false
        }
    }
}

extension Reading {
    package static let highestRevision: UInt8 = 254
}
