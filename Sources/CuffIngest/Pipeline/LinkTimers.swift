import CuffCore
import Dispatch

/// A session's timers on one Dispatch timer. While the session is held up by the sinks they stand still, or back-pressure
/// would turn into time-outs. A deadline that moves later is left to be found not due: most are set anew at every packet.
final class LinkTimers: @unchecked Sendable {
    private var deadlines: [TimerID: Int64] = [:]
    private var frozenAt: Int64?
    private var timer: (any DispatchSourceTimer)!
    /// When the Dispatch timer fires.
    private var scheduled: Int64?
    private var isCancelled = false

    init(queue: CuffQueue, fire: @escaping @Sendable () -> Void) {
        timer = queue.timer { [weak self] in
            self?.scheduled = nil
            fire()
        }
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
        deadlines[id] = nil
    }

    func removeAll() {
        deadlines.removeAll()
    }

    func freeze() {
        guard frozenAt == nil else { return }
        frozenAt = HostClock.monotonic()
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
        guard !isCancelled, frozenAt == nil, let first = earliest, scheduled.map({ first.deadline < $0 }) ?? true else { return }
        scheduled = first.deadline
        let left = max(0, first.deadline - HostClock.monotonic())
        timer.schedule(deadline: .now() + .nanoseconds(Int(left)), leeway: .milliseconds(1))
    }
}
