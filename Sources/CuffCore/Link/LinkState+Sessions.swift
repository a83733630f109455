extension LinkState {
    mutating func nextCommand(_ effects: inout [LinkEffect]) {
        guard let command = conversation.nextCommand() else { return }
        if command == .measure { beginMeasuring(&effects) } else { handleInSession(.command(command), &effects) }
    }

    /// `unread`: bytes after those that ended the previous session, read as if received now.
    mutating func nextSession(unread: [UInt8] = [], _ effects: inout [LinkEffect]) {
        deadlines.endSession()
        conversation.beginSession(setup, emitted: admission.emitted)
        admission.sessionBegins()
        output.sessionBegins()
        handleInSession(.opened, &effects)
        nextCommand(&effects)
        if !unread.isEmpty { handleInSession(.received(unread), &effects) }
    }

    /// After the session's end: starts the next command or ends the link.
    mutating func conclude(_ effects: inout [LinkEffect]) {
        while let outcome = conversation.outcome, !conversation.isEnded {
            if case .draining = conversation.phase { return }
            endMeasuring(outcome.sentence ?? "the conversation ended", &effects)
            conversation.outcome = nil
            flush(into: &effects)
            if let command = conversation.command { effects.append(.notify(.finished(command, outcome))) }
            // Recorded bytes may continue after the last command, in a session without one.
            if setup.isRecorded, conversation.commands.isEmpty, !conversation.isTransportClosed { return conversation.command = nil }
            if conversation.isLast || conversation.phase == .waiting { return end(outcome, &effects) }
            nextSession(unread: conversation.removeUnread(after: outcome), &effects)
        }
    }

    mutating func end(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        if !output.isEmpty, !conversation.isTransportClosed, conversation.phase == .open {
            conversation.phase = .draining(outcome)
            deadlines.removeAll()
            deadlines.arm(.lastWrites, at: now.elapsed + Self.drainLimit)
            return
        }
        flush(into: &effects)
        conversation.phase = .ended
        pause.end(at: now.elapsed)
        effects.append(.close)
        effects.append(.notify(.ended(outcome)))
    }
}
