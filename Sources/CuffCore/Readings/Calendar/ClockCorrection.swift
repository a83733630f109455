/// What is known of one cuff's clock beside the host's, and the one place that turns what it says into an instant.
///
/// A cuff shows wall time, and people set it by the wall. What it is behind is therefore added to its wall time, and the zone's rule gives
/// the instant: a clock that is ten minutes slow is so in summer and in winter. One difference is none of the clock's: who never switches a
/// cuff between summer and winter time has one that is an hour off for half the year. When the difference is nearer to the zone's own last
/// change than to nothing, the cuff's clock is read with the offset of before that change, all year round, and only the rest is a
/// difference.
///
/// The host's clock is believed only where it is synchronised and not before `Timestamp.release`. With any other no cuff is compared and
/// nothing is corrected: readings keep what the cuff said, until the host's clock is right (`HeldReadings`).
///
/// A time later than the reception is not a time: such a reading is `implausible` and has no instant. The same holds for a record that is
/// later than what the cuff's own clock shows now: it was made under another setting of the clock, which nobody knows.
public struct ClockCorrection: Sendable, Hashable {
    private enum Finding: Sendable, Hashable {
        case unknown
        case synced
        /// Seconds to be added to the wall time.
        case behind(Int64)
        /// The clock stayed at this offset from UTC, in seconds, and is behind by so much.
        case stayed(offset: Int, behind: Int64)
    }

    /// How much later than its reception a reading may be whose cuff has not told its clock. That clock may show the wall
    /// time of another zone: a host that is set to UTC, a cuff on a journey.
    public static let slack = Duration.seconds(86400)
    /// The same where the clock was told: people set it back by an hour in autumn, and what was measured in the hour before is
    /// then later than what it shows.
    public static let slackWhenTold = Duration.seconds(3600)

    /// Where the cuff stands.
    public let zone: ZoneTable
    /// What the clock that was told was behind the wall clock of the zone, in seconds; 0 where they agree, `nil` where the
    /// cuff has not told it.
    public private(set) var shift: Int64?
    private var finding = Finding.unknown
    /// What the clock that was told showed, in seconds of its wall; and when, by the host's clock, right or not.
    private var toldWall: Int64?
    private var toldAt: Timestamp?

    /// Nothing is known of the cuff's clock yet; `zone` is the one it is expected to show.
    public init(zone: ZoneTable) { self.zone = zone }

    /// The cuff's clock showed `time` at `now`. What it is behind is known then (`shift`); readings are corrected by it only
    /// where the host's clock is right.
    public mutating func compare(_ time: DeviceTime, at now: Timestamp, isHostClockUnsynchronised: Bool = false) {
        guard time.isPossible else { return }
        (toldWall, toldAt) = (time.wallSeconds, now)
        let offset = time.utcOffset.map { Int($0) * 60 } ?? zone.offset(at: now.seconds)
        let difference = now.seconds + Int64(offset) - time.wallSeconds
        // A clock told in minutes lies up to 59 s behind itself; beyond that a minute is what people set clocks to.
        let tolerance: ClosedRange<Int64> = time.precision == .minute ? -60...120 : -60...60
        shift = tolerance.contains(difference) ? 0 : difference
        guard !isHostClockUnsynchronised, now >= .release else { return }
        guard !tolerance.contains(difference) else { return finding = .synced }
        finding = .behind(difference)
        guard time.utcOffset == nil, let former = zone.formerOffset(at: now.seconds) else { return }
        let rest = difference - Int64(offset - former)
        if rest.magnitude * 2 < difference.magnitude { finding = .stayed(offset: former, behind: tolerance.contains(rest) ? 0 : rest) }
    }

    /// Whether a reading can have been measured then: not later than it was received, and some. A host's clock from before
    /// this release says nothing of it.
    public static func isCredible(_ time: Timestamp, received: Timestamp?, slack: Duration = slack) -> Bool {
        guard let received, received >= .release else { return true }
        return time.milliseconds - received.milliseconds <= slack.components.seconds * 1000
    }

    /// Fills `Reading.measured` and the rule that gave it. It never touches what the cuff said.
    ///
    /// - `synced`: the cuff told its clock during this conversation, and it agreed with the host's.
    /// - `corrected`: it told its clock, and the difference was applied.
    /// - `device_time`: the cuff's clock as it is; it could not be compared.
    /// - `receive_time`: the record has no time; it was sent when it was measured.
    /// - `unset`: the cuff's clock is not set or impossible. A measurement that ended here is placed by its arrival.
    /// - `implausible`: the cuff's time, corrected or not, is later than the reception, or the arrival is before any that can be;
    ///   there is no `measured`.
    public func apply(to reading: inout Reading) {
        switch reading.clock {
        case .time(let time), .derived(let time): place(time, &reading)
        case .absent: if reading.origin != .memory { arrive(&reading) }
        case .unset, .impossible:
            reading.rule = .unset
            if reading.origin == .measurement { arrive(&reading) }
        }
    }

    private func place(_ time: DeviceTime, _ reading: inout Reading) {
        let slack = finding == .unknown ? Self.slack : Self.slackWhenTold
        let instant = instant(time, &reading)
        guard reading.isCredible(instant, slack: slack), !isLaterThanTold(time, reading.received) else {
            reading.rule = .implausible
            return
        }
        reading.measured = instant
        reading.measuredOffset = time.utcOffset ?? Int16(truncatingIfNeeded: zone.offset(at: instant.seconds) / 60)
    }

    /// Whether the cuff's own clock had not yet come that far when the reading was received.
    private func isLaterThanTold(_ time: DeviceTime, _ received: Timestamp?) -> Bool {
        guard let toldWall, let toldAt, let received else { return false }
        let passed = max(0, received.seconds - toldAt.seconds)
        return time.wallSeconds - toldWall - passed > Self.slackWhenTold.components.seconds
    }

    private func instant(_ time: DeviceTime, _ reading: inout Reading) -> Timestamp {
        switch finding {
        case .unknown:
            reading.rule = .deviceTime
            return time.instant(in: zone)
        case .synced:
            reading.rule = .synced
            return time.instant(in: zone)
        case .behind(let seconds):
            reading.rule = .corrected
            return time.instant(in: zone, behind: seconds)
        case .stayed(let offset, let seconds):
            reading.rule = .corrected
            return time.utcOffset == nil ? time.instant(offset: offset, behind: seconds) : time.instant(in: zone, behind: seconds)
        }
    }

    private func arrive(_ reading: inout Reading) {
        guard let received = reading.received else { return }
        guard received >= .release else {
            reading.rule = .implausible
            return
        }
        reading.measured = received
        reading.measuredOffset = Int16(truncatingIfNeeded: zone.offset(at: received.seconds) / 60)
        reading.rule = .receiveTime
    }
}

extension DeviceTime {
    /// The instant at which a clock in the zone showed this, or in the clock's own zone where it says so.
    public func instant(in zone: ZoneTable, behind seconds: Int64 = 0) -> Timestamp {
        if let utcOffset { return instant(offset: Int(utcOffset) * 60, behind: seconds) }
        return Timestamp(milliseconds: zone.instant(ofWall: wallSeconds + seconds) * 1000 + Int64(hundredths) * 10)
    }

    func instant(offset: Int, behind seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: (wallSeconds + seconds - Int64(offset)) * 1000 + Int64(hundredths) * 10)
    }
}

extension Reading {
    /// The best known instant of a reading: `measured`; else the cuff's own time read in the zone, or in its own where it
    /// says so. The arrival of a reading from a memory says nothing, and a time later than the reception is none.
    public func bestTime(in zone: ZoneTable) -> Timestamp? {
        if rule == .implausible { return nil }
        if let time = measured ?? clock.time?.instant(in: zone) { return isCredible(time) ? time : nil }
        return origin == .memory ? nil : received
    }

    func isCredible(_ time: Timestamp, slack: Duration = ClockCorrection.slack) -> Bool {
        ClockCorrection.isCredible(time, received: received, slack: slack)
    }

    /// The reading tells a time which is none, because it is later than the reception.
    public func hasImplausibleTime(in zone: ZoneTable) -> Bool {
        rule == .implausible || (measured ?? clock.time?.instant(in: zone)).map { !isCredible($0) } ?? false
    }
}
