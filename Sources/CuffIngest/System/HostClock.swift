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

/// `ClockCorrection` on this machine: it also marks what arrived while nobody kept the machine's own clock.
struct MeasuredRule: Sendable {
    private var correction: ClockCorrection
    /// Asked of the kernel at most once a second.
    private var hostClock: (isUnsynchronised: Bool, asked: Timestamp)?
    private let askHost: @Sendable () -> Bool

    init(zone: ZoneTable = HostZone.local(), isHostUnsynchronised: @escaping @Sendable () -> Bool = { HostClock.isUnsynchronised() }) {
        correction = ClockCorrection(zone: zone)
        askHost = isHostUnsynchronised
    }

    var shift: Int64? { correction.shift }

    mutating func compare(_ time: DeviceTime, at now: Timestamp) { correction.compare(time, at: now) }

    /// A reading without a receive time came from a file, where nothing is known of when: it is left alone.
    mutating func apply(to reading: inout Reading) {
        guard let received = reading.received else { return }
        reading.isHostClockUnsynchronised = isHostUnsynchronised(received)
        correction.apply(to: &reading)
    }

    private mutating func isHostUnsynchronised(_ now: Timestamp) -> Bool {
        if let hostClock, (0..<1000).contains(now.milliseconds - hostClock.asked.milliseconds) { return hostClock.isUnsynchronised }
        let answer = askHost()
        hostClock = (answer, now)
        return answer
    }
}
