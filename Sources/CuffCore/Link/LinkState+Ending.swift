/// One session after the other, and the end.
extension LinkState {
    mutating func nextCommand(_ effects: inout [LinkEffect]) {
        guard phase == .open, !commands.isEmpty else { return }
        let next = commands.removeFirst()
        command = next
        if next == .measure { beginMeasuring(&effects) } else { tellSession(.command(next), &effects) }
    }

    mutating func nextSession(_ effects: inout [LinkEffect]) {
        deadlines.endSession()
        framesBefore = counters.frames
        messages = 0
        sessionStart = emitted
        ledger.sessionBegins()
        session = driver.makeSession(setup.context)
        tellSession(.opened, &effects)
        nextCommand(&effects)
    }

    /// Ends the present session from outside.
    mutating func finish(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
    }

    /// The session has finished: the next command follows, or the end of the link.
    mutating func conclude(_ effects: inout [LinkEffect]) {
        while let outcome, phase != .ended {
            if case .draining = phase { return }
            endMeasuring(outcome.sentence ?? "the conversation ended", &effects)
            self.outcome = nil
            flush(into: &effects)
            if let command { effects.append(.tell(.finished(command, outcome))) }
            if setup.isRecorded, commands.isEmpty, !isTransportClosed {
                command = nil
                return
            }
            if commands.isEmpty || isTransportClosed || phase == .waiting { end(outcome, &effects) } else { nextSession(&effects) }
        }
    }

    mutating func end(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        if unsentWrites > 0, !isTransportClosed, phase == .open {
            phase = .draining(outcome)
            deadlines.removeAll()
            deadlines.arm(.lastWrites, at: now.elapsed + Self.drainLimit)
            return
        }
        flush(into: &effects)
        phase = .ended
        if areSinksFull { stored.paused += now.elapsed - pausedSince }
        effects.append(.close)
        effects.append(.tell(.ended(outcome)))
    }
}
