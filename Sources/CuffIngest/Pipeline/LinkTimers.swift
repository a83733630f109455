import CuffCore
import Dispatch

/// A session's timers on one Dispatch timer. While the session is held up by the sinks they stand still, or back-pressure
/// would turn into time-outs.
final class LinkTimers: @unchecked Sendable {
    private var deadlines: [TimerID: Int64] = [:]
    private var frozenAt: Int64?
    private let timer: any DispatchSourceTimer
    private var isCancelled = false

    init(queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.setEventHandler { @Sendable in fire() }
        timer.schedule(deadline: .distantFuture)
        // Activated at once: releasing a timer that never was traps.
        timer.activate()
    }

    deinit { cancel() }

    func arm(_ id: TimerID, _ duration: Duration) {
        deadlines[id] = (frozenAt ?? HostClock.monotonic()) + max(0, duration.nanoseconds)
        schedule()
    }

    func disarm(_ id: TimerID) {
        guard deadlines.removeValue(forKey: id) != nil else { return }
        schedule()
    }

    func removeAll() {
        guard !deadlines.isEmpty else { return }
        deadlines.removeAll()
        schedule()
    }

    func freeze() {
        guard frozenAt == nil else { return }
        frozenAt = HostClock.monotonic()
        schedule()
    }

    func thaw() {
        guard let frozenAt else { return }
        let lost = HostClock.monotonic() - frozenAt
        for id in deadlines.keys { deadlines[id]? += lost }
        self.frozenAt = nil
        schedule()
    }

    /// A timer whose time has come, earliest first; it is disarmed by that.
    func takeDue() -> TimerID? {
        guard frozenAt == nil, let first = earliest, first.deadline <= HostClock.monotonic() else {
            schedule()
            return nil
        }
        deadlines[first.id] = nil
        return first.id
    }

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        timer.cancel()
    }

    private var earliest: (id: TimerID, deadline: Int64)? {
        deadlines.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }.map { ($0.key, $0.value) }
    }

    private func schedule() {
        guard !isCancelled else { return }
        guard frozenAt == nil, let first = earliest else { return timer.schedule(deadline: .distantFuture) }
        let left = max(0, first.deadline - HostClock.monotonic())
        timer.schedule(deadline: .now() + .nanoseconds(Int(left)), leeway: .milliseconds(1))
    }
}
