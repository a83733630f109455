/// When a command that ends gives up.
extension PHDSession {
    /// The digest of a report's information; 0 where it is not counted.
    @inline(__always)
    func digest(_ apdu: Span<UInt8>, from offset: Int) -> UInt64 {
        command.isStriving && offset < apdu.count ? XXHash64.hash(apdu.extracting(offset..<apdu.count)) : 0
    }

    mutating func noteStep(into actions: inout SessionActions) {
        if command.isStriving, progress.step() { actions.arm(.overall, options.patience) }
    }

    /// The agent went on after a confirmation, so it has received it.
    @inline(__always)
    mutating func noteProof(into actions: inout SessionActions) {
        reports.unstamped.noteProof()
        if command.isStriving, progress.prove() { actions.arm(.overall, options.patience) }
    }

    @inline(__always)
    mutating func noteUnconfirmed(_ digest: UInt64, into actions: inout SessionActions) {
        if command.isStriving, progress.received(digest) { actions.arm(.overall, options.patience) }
    }

    /// `patience` without progress: an association that works is released, any other is given up.
    mutating func patienceEnded(into actions: inout SessionActions) {
        guard command.hasEnd else { return }
        guard !confirmations.isCommitOutstanding || !options.keepsReadings else {
            // The sinks are slow, not the agent; they have limits of their own.
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

    /// The ABRT of an association that we gave up may have been lost.
    mutating func repeatAbort(into actions: inout SessionActions) {
        guard state == .unassociated, !isPassive, progress.repeatsAbort() else { return }
        write(PHDManagerAPDU.abort(PHDAbortReason.undefined), into: &actions)
        actions.arm(.lostAbort, Self.associationTimeout)
    }
}
