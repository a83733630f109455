import CLinux
import CuffCore
import Glibc

package enum HostClock {
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The wall clock, or `SOURCE_DATE_EPOCH` for reproducible pages.
    static func reproducibleNow() -> Timestamp {
        if let text = getenv("SOURCE_DATE_EPOCH"), let seconds = Int64(String(cString: text)) { return Timestamp(seconds: seconds) }
        return now()
    }

    /// Whether the kernel considers the wall clock unsynchronised (adjtimex(2), STA_UNSYNC); `false` if it cannot be asked.
    static func isUnsynchronised() -> Bool { clinux_clock_unsynchronised() > 0 }

    /// In nanoseconds; for timers and durations.
    static func monotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static var linkTime: LinkTime {
        LinkTime(
            elapsed: .nanoseconds(monotonic()), wall: now(), isHostClockUnsynchronised: SynchronisationState.shared.isUnsynchronised)
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let parts = components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}

/// Whether the host's clock is synchronised, asked of the kernel at most once a second.
final class SynchronisationState: Sendable {
    static let shared = SynchronisationState()
    private static let interval: Int64 = 1_000_000_000
    private let answer = Locked<(isUnsynchronised: Bool, until: Int64)>((false, 0))
    private let ask: @Sendable () -> Bool

    init(ask: @escaping @Sendable () -> Bool = { HostClock.isUnsynchronised() }) { self.ask = ask }

    var isUnsynchronised: Bool {
        answer.withLock { answer in
            let now = HostClock.monotonic()
            if now >= answer.until { answer = (ask(), now + Self.interval) }
            return answer.isUnsynchronised
        }
    }
}
