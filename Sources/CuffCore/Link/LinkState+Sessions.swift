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
            conversation.forgetOutcome()
            flush(into: &effects)
            if let command = conversation.command { effects.append(.notify(.finished(command, outcome))) }
            if setup.isRecorded, !conversation.hasCommands, !conversation.isTransportClosed { return conversation.forgetCommand() }
            if conversation.isLast || conversation.phase == .waiting { return end(outcome, &effects) }
            nextSession(unread: conversation.removeUnread(after: outcome), &effects)
        }
    }

    mutating func end(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        if !output.isEmpty, !conversation.isTransportClosed, conversation.phase == .open {
            conversation.drain(outcome)
            deadlines.removeAll()
            deadlines.arm(.lastWrites, at: now.elapsed + Self.drainLimit)
            return
        }
        flush(into: &effects)
        conversation.end()
        pause.end(at: now.elapsed)
        effects.append(.close)
        effects.append(.notify(.ended(outcome)))
    }
}
