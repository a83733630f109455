/// Converts the wall time of a cuff's clock to an instant. People set a cuff by the wall clock, so its delay is added to its wall time, and
/// the zone's rule gives the instant: a clock ten minutes slow is so in summer and in winter. A cuff never switched for summer time is an
/// hour off for half of the year: if the difference is nearer to the zone's last change than to zero, the clock is read with the former
/// offset all year, and only the rest counts as delay.
///
/// The host's clock counts only if synchronised and not before `Timestamp.release`; otherwise nothing is compared or corrected until it is
/// (`HeldReadings`). A reading later than its reception is `implausible` and has no instant; so is a record later than the present time of
/// the cuff's own clock, because it was made under another setting.
public struct ClockCorrection: Sendable, Hashable {
    private enum Finding: Sendable, Hashable {
        case unknown
        case synced
        /// Seconds to add to the wall time.
        case behind(Int64)
        /// The clock stayed at this offset from UTC, in seconds, and is `behind` seconds slow.
        case stayed(offset: Int, behind: Int64)
    }

    /// Accepted lateness of a reading if the cuff's clock is unknown; it may show another zone (a host set to UTC, a cuff on a journey).
    public static let slack = Duration.seconds(86400)
    /// The limit if the clock is known: people set it back by an hour in autumn, and earlier readings are then up to an hour later than it.
    public static let slackWhenTold = Duration.seconds(3600)

    /// The cuff's zone.
    public let zone: ZoneTable
    /// How many seconds the cuff's clock was behind the zone's wall clock; 0 if they agree, `nil` if unknown.
    public private(set) var shift: Int64?
    private var finding = Finding.unknown
    /// The cuff's clock in wall seconds, and the host's time when it was read, synchronised or not.
    private var toldWall: Int64?
    private var toldAt: Timestamp?

    /// `zone` is the one the cuff's clock is expected to show.
    public init(zone: ZoneTable) { self.zone = zone }

    /// Records the cuff's clock, `time`, at `now`, setting `shift`; readings are corrected only if the host's clock is right.
    public mutating func compare(_ time: DeviceTime, at now: Timestamp, isHostClockUnsynchronised: Bool = false) {
        guard time.isPossible else { return }
        (toldWall, toldAt) = (time.wallSeconds, now)
        let offset = time.utcOffset.map { Int($0) * 60 } ?? zone.offset(at: now.seconds)
        let difference = now.seconds + Int64(offset) - time.wallSeconds
        // A clock sent in minutes is up to 59 s behind; beyond that, people set clocks to a minute.
        let tolerance: ClosedRange<Int64> = time.precision == .minute ? -60...120 : -60...60
        shift = tolerance.contains(difference) ? 0 : difference
        guard !isHostClockUnsynchronised, now >= .release else { return }
        guard !tolerance.contains(difference) else { return finding = .synced }
        finding = .behind(difference)
        guard time.utcOffset == nil, let former = zone.formerOffset(at: now.seconds) else { return }
        let rest = difference - Int64(offset - former)
        if rest.magnitude * 2 < difference.magnitude { finding = .stayed(offset: former, behind: tolerance.contains(rest) ? 0 : rest) }
    }

    /// Whether a reading can be of that time: not later than received, plus `slack`. A host time before this release proves nothing.
    public static func isCredible(_ time: Timestamp, received: Timestamp?, slack: Duration = slack) -> Bool {
        guard let received, received >= .release else { return true }
        return time.milliseconds - received.milliseconds <= slack.components.seconds * 1000
    }

    /// Sets `Reading.measured` and its rule; never changes the cuff's own time.
    /// - `synced`: the cuff's clock was read in this conversation and agreed with the host's.
    /// - `corrected`: it was read, and the difference was applied.
    /// - `device_time`: the cuff's clock could not be compared, and is used unchanged.
    /// - `receive_time`: the record has no time; it was sent when measured.
    /// - `unset`: the cuff's clock is not set or impossible; a measurement that ended here gets its receive time.
    /// - `implausible`: the time is later than the reception, or the receive time is impossible; no `measured`.
    public func apply(to reading: inout Reading) {
        switch reading.clock {
        case .time(let time), .derived(let time): place(time, &reading)
        case .absent: if reading.origin != .memory { arrive(&reading) }
        case .unset, .impossible:
            reading.rule = .unset
            if reading.origin == .measurement { arrive(&reading) }
        }
    }

    /// Without a zone: sets `measured` of a reading whose time was sent with its offset from UTC, by the rule `device_time`.
    static func applyOwnOffset(to reading: inout Reading) {
        guard let offset = reading.clock.time?.utcOffset, let time = reading.clock.time else { return }
        let instant = time.instant(offset: Int(offset) * 60, behind: 0)
        guard reading.isCredible(instant) else { return reading.rule = .implausible }
        (reading.measured, reading.measuredOffset, reading.rule) = (instant, offset, .deviceTime)
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

    /// Whether the reading is later than the cuff's own clock was at its reception.
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
    /// The instant when a clock in the zone (or in the clock's own zone, if sent) showed this.
    public func instant(in zone: ZoneTable, behind seconds: Int64 = 0) -> Timestamp {
        if let utcOffset { return instant(offset: Int(utcOffset) * 60, behind: seconds) }
        return Timestamp(milliseconds: zone.instant(ofWall: wallSeconds + seconds) * 1000 + Int64(hundredths) * 10)
    }

    func instant(offset: Int, behind seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: (wallSeconds + seconds - Int64(offset)) * 1000 + Int64(hundredths) * 10)
    }
}

extension Reading {
    /// `measured`; else the cuff's time in its own zone or `zone`. Not the receive time of a stored or imported reading, nor a time after
    /// reception.
    public func bestTime(in zone: ZoneTable) -> Timestamp? {
        if rule == .implausible { return nil }
        if let time = measured ?? clock.time?.instant(in: zone) { return isCredible(time) ? time : nil }
        return origin == .memory || origin == .imported ? nil : received
    }

    func isCredible(_ time: Timestamp, slack: Duration = ClockCorrection.slack) -> Bool {
        ClockCorrection.isCredible(time, received: received, slack: slack)
    }

    /// The reading's time is later than its reception.
    public func hasImplausibleTime(in zone: ZoneTable) -> Bool {
        rule == .implausible || (measured ?? clock.time?.instant(in: zone)).map { !isCredible($0) } ?? false
    }
}
