import CLinux
import CuffCore
import Glibc

package enum HostClock {
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The wall clock; `SOURCE_DATE_EPOCH` stands in for it where a page must come out the same every time.
    static func reproducibleNow() -> Timestamp {
        if let text = getenv("SOURCE_DATE_EPOCH"), let seconds = Int64(String(cString: text)) { return Timestamp(seconds: seconds) }
        return now()
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

extension HostClock {
    /// Now, for a link.
    static var linkTime: LinkTime {
        LinkTime(
            elapsed: .nanoseconds(monotonic()), wall: now(), isHostClockUnsynchronised: SynchronisationState.shared.isUnsynchronised)
    }
}

/// Whether the host's clock is synchronised with any other, asked of the kernel at most once a second.
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
