/// One session after the other, and the end.
extension LinkState {
    mutating func nextCommand(_ effects: inout [LinkEffect]) {
        guard phase == .open, !commands.isEmpty else { return }
        let next = commands.removeFirst()
        command = next
        if next == .measure { beginMeasuring(&effects) } else { tellSession(.command(next), &effects) }
    }

    /// `unread`: what came with the bytes that ended the session before, and belongs to none of its answers. It is read as if it had
    /// come alone.
    mutating func nextSession(unread: [UInt8] = [], _ effects: inout [LinkEffect]) {
        deadlines.endSession()
        framesBefore = counters.frames
        messages = 0
        sessionStart = emitted
        ledger.sessionBegins()
        unsent.sessionBegins()
        session = driver.makeSession(setup.context)
        tellSession(.opened, &effects)
        nextCommand(&effects)
        if !unread.isEmpty { tellSession(.received(unread), &effects) }
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
            if commands.isEmpty || isTransportClosed || phase == .waiting { return end(outcome, &effects) }
            // After a conversation that failed, half an answer is no beginning of anything; and what came before a start is not its
            // result.
            let isListeningNext = outcome == .complete && commands.first == .follow
            nextSession(unread: isListeningNext ? session.takeUnread() : [], &effects)
        }
    }

    mutating func end(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        if !unsent.isEmpty, !isTransportClosed, phase == .open {
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
