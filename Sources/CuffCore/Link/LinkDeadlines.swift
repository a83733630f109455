/// What a link waits for, and until when: the session's timers and the link's own. A handful at any time. While the sinks are full the
/// session's timers stand still, or back-pressure would turn into time-outs; the link's own go on, because a cuff must be stopped in time
/// whatever the sinks do.
struct LinkDeadlines: Sendable {
    enum Timer: Sendable, Hashable {
        case session(TimerID)
        /// A measurement may take no longer.
        case measurement
        /// The cuff has had its time to deflate.
        case deflation
        /// The last bytes to the cuff should be out.
        case lastWrites
        /// The time for an end in order is over.
        case stop
        /// A peer that does not take what is written to it.
        case stalledOutput
        /// A whole frame should have come.
        case silence
        /// Readings are held until the host's clock is right; it is asked again.
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

    /// Forgets the session's timers.
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

    /// The earliest that can fire.
    var next: Duration? { earliest.map { armed[$0].due } }

    /// The earliest timer that is due, disarmed by that; of equal ones the one armed first.
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
