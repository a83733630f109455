/// The timers of a link and its session. While the sinks are full, the session's timers pause, so that back-pressure does not cause
/// time-outs; the link's own continue, because a cuff must be stopped in time.
struct LinkDeadlines: Sendable {
    enum Timer: Sendable, Hashable {
        case session(TimerID)
        case measurement
        case deflation
        case lastWrites
        case stop
        case stalledOutput
        case silence
        /// Check the host's clock again, for held readings.
        case hostClock
    }

    private var armed: [(timer: Timer, due: Duration)] = []
    private var frozenAt: Duration?

    mutating func arm(_ timer: Timer, at due: Duration) {
        disarm(timer)
        armed.append((timer, due))
    }

    mutating func arm(_ timer: TimerID, after wait: Duration, now: Duration) {
        arm(.session(timer), at: (frozenAt ?? now) + max(.zero, wait))
    }

    mutating func disarm(_ timer: Timer) {
        for index in armed.indices where armed[index].timer == timer {
            armed.remove(at: index)
            return
        }
    }

    mutating func endSession() { armed.removeAll { if case .session = $0.timer { true } else { false } } }

    mutating func removeAll() { armed.removeAll() }

    mutating func freeze(at now: Duration) { frozenAt = frozenAt ?? now }

    mutating func thaw(at now: Duration) {
        guard let since = frozenAt else { return }
        frozenAt = nil
        for index in armed.indices {
            if case .session = armed[index].timer { armed[index].due += now - since }
        }
    }

    var next: Duration? { earliest.map { armed[$0].due } }

    mutating func removeDue(at now: Duration) -> Timer? {
        guard let earliest, armed[earliest].due <= now else { return nil }
        return armed.remove(at: earliest).timer
    }

    private var earliest: Int? {
        var found: Int?
        for index in armed.indices {
            if frozenAt != nil, case .session = armed[index].timer { continue }
            if let best = found, armed[best].due <= armed[index].due { continue }
            found = index
        }
        return found
    }
}
