import CLinux
import CuffCore
import Glibc

/// The host's clocks.
public enum HostClock {
    /// The wall clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The kernel takes the wall clock for unsynchronised (adjtimex(2), STA_UNSYNC); `false` where it may not be asked.
    static func isUnsynchronised() -> Bool { clinux_clock_unsynchronised() > 0 }

    /// Nanoseconds that only ever grow; for timers and durations.
    static func monotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let parts = components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}

/// The host's time zone: minutes east of UTC at a moment, asked of the C library once for each day.
struct LocalZone: Sendable {
    private var day: Int64?
    private var dayOffset = 0

    /// Seconds east of UTC at an instant, in seconds since 1970.
    static func offset(at instant: Int64) -> Int {
        var time = time_t(instant)
        var parts = tm()
        localtime_r(&time, &parts)
        return parts.tm_gmtoff
    }

    /// Seconds east of UTC when a wall clock here shows `seconds` since 1970. In the hour that a change of the zone
    /// repeats or leaves out, one of the two answers.
    mutating func offset(atWall seconds: Int64) -> Int {
        let today = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        if today == day { return dayOffset }
        let first = Self.search(atWall: today * 86400)
        if first == Self.search(atWall: today * 86400 + 86399) {
            day = today
            dayOffset = first
            return first
        }
        return Self.search(atWall: seconds)
    }

    private static func search(atWall seconds: Int64) -> Int {
        let guess = offset(at: seconds - Int64(offset(at: seconds)))
        return offset(at: seconds - Int64(guess))
    }
}

/// Fills `Reading.measured` with the rule that gave it. It never touches what the cuff said.
///
/// - `synced`: the cuff told its clock during this conversation, and it agreed with the host's.
/// - `corrected`: it told its clock, and the difference was applied.
/// - `device_time`: the cuff's clock as it is; nobody could compare it.
/// - `receive_time`: the record has no time; it was sent when it was measured.
/// - `unset`: the cuff's clock is not set or impossible. A measurement that ended here is placed by its arrival.
///
/// A reading without a receive time came from a file, where nothing is known of when: it is left alone.
struct MeasuredRule: Sendable {
    private var zone = LocalZone()
    /// What must be added to the cuff's wall clock, in seconds; `nil` when the cuff has not told it.
    private(set) var shift: Int64?
    private var isSynced = false
    /// Asked of the kernel at most once a second.
    private var hostClock: (isUnsynchronised: Bool, asked: Timestamp)?
    private let askHost: @Sendable () -> Bool

    init(isHostUnsynchronised: @escaping @Sendable () -> Bool = { HostClock.isUnsynchronised() }) { askHost = isHostUnsynchronised }

    /// The cuff's clock showed `time` at `now`.
    mutating func compare(_ time: DeviceTime, at now: Timestamp) {
        guard time.isPossible else { return }
        let seconds = now.milliseconds / 1000
        let wall = time.utcOffset.map { seconds + Int64($0) * 60 } ?? seconds + Int64(LocalZone.offset(at: seconds))
        let difference = wall - time.wallSeconds
        // A clock told in minutes lies up to 59 s behind itself; beyond that a minute is what people set clocks to.
        let tolerance: ClosedRange<Int64> = time.precision == .minute ? -60...120 : -60...60
        isSynced = tolerance.contains(difference)
        shift = isSynced ? 0 : difference
    }

    mutating func apply(to reading: inout Reading) {
        guard let received = reading.received else { return }
        reading.isHostClockUnsynchronised = isHostUnsynchronised(received)
        switch reading.clock {
        case .time(let time): apply(time, to: &reading)
        case .absent: if reading.origin != .memory { apply(received, .receiveTime, to: &reading) }
        case .unset, .impossible:
            if reading.origin == .measurement {
                apply(received, .receiveTime, to: &reading)
            } else {
                reading.rule = .unset
            }
        }
    }

    private mutating func isHostUnsynchronised(_ now: Timestamp) -> Bool {
        if let hostClock, (0..<1000).contains(now.milliseconds - hostClock.asked.milliseconds) { return hostClock.isUnsynchronised }
        let answer = askHost()
        hostClock = (answer, now)
        return answer
    }

    private mutating func apply(_ time: DeviceTime, to reading: inout Reading) {
        let wall = time.wallSeconds + (shift ?? 0)
        let offset = time.utcOffset.map { Int($0) * 60 } ?? zone.offset(atWall: wall)
        reading.measured = Timestamp(milliseconds: (wall - Int64(offset)) * 1000 + Int64(time.hundredths) * 10)
        reading.measuredOffset = Int16(truncatingIfNeeded: offset / 60)
        reading.rule = shift == nil ? .deviceTime : isSynced ? .synced : .corrected
    }

    private func apply(_ received: Timestamp, _ rule: ClockRule, to reading: inout Reading) {
        reading.measured = received
        reading.measuredOffset = Int16(truncatingIfNeeded: LocalZone.offset(at: received.milliseconds / 1000) / 60)
        reading.rule = rule
    }
}
