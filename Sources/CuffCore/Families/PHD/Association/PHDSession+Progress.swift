extension PHDSession {
    /// The digest of a report's information; 0 if not counted.
    @inline(__always)
    func digest(_ apdu: Span<UInt8>, from offset: Int) -> UInt64 {
        command.isStriving && offset < apdu.count ? XXHash64.hash(apdu.extracting(offset..<apdu.count)) : 0
    }

    mutating func noteStep(into actions: inout SessionActions) {
        if command.isStriving, progress.step() { actions.arm(.overall, options.patience) }
    }

    /// The agent continued after a confirmation, so it has received it.
    @inline(__always)
    mutating func noteProof(into actions: inout SessionActions) {
        reports.unstamped.noteProof()
        if command.isStriving, progress.prove() { actions.arm(.overall, options.patience) }
    }

    @inline(__always)
    mutating func noteUnconfirmed(_ digest: UInt64, into actions: inout SessionActions) {
        if command.isStriving, progress.received(digest) { actions.arm(.overall, options.patience) }
    }

    /// No progress within `patience`: releases a working association, gives up any other.
    mutating func patienceEnded(into actions: inout SessionActions) {
        guard command.hasEnd else { return }
        guard !confirmations.isCommitOutstanding || !options.keepsReadings else {
            // The sinks, not the agent, are slow; they have their own limits.
            return actions.arm(.overall, options.patience)
        }
        if state == .operating, requests.isEmpty, !stores.isTransferring {
            if case .memory = goal, command.outcome == nil {
                command.outcome = stores.isEmpty ? .complete : stores.outcome
            }
            command.outcome = command.outcome ?? progress.outcome
            return letGo(into: &actions)
        }
        command.outcome = command.outcome ?? progress.outcome
        if state.isAssociated { return perform(.abandon, into: &actions) }
        finish(progress.outcome, into: &actions)
    }

    /// Our ABRT of an abandoned association may be lost.
    mutating func repeatAbort(into actions: inout SessionActions) {
        guard state == .unassociated, !isPassive, progress.repeatsAbort() else { return }
        write(PHDManagerAPDU.abort(PHDAbortReason.undefined), into: &actions)
        actions.arm(.lostAbort, Self.associationTimeout)
    }
}
