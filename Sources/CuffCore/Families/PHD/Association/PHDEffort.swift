/// How long a command that is to end goes on trying. docs/PHD.md §9 limits each wait but not their sum, and over a bad line
/// an agent may come back for ever, or never. Policy:
///
/// - A command ends at the latest `patience` after its last progress. Progress is: one association came further than
///   any before it; or the agent took a confirmation of something new, and went on.
/// - It ends when `limitInRow` associations in a row broke off without progress, or `limitInAll` in all.
/// - An association that we gave up is given up three times, a TOassoc apart, while the agent is silent: ABRT is never
///   answered, so that one lost on the way leaves an agent that waits for us.
///
/// Nothing of this unsays a confirmation: what was confirmed is on disk, and what was not, the agent still has.
/// Whoever follows has no such end.
struct PHDEffort: Sendable {
    /// A minute: RCassoc tries of TOassoc are half of it, and a person finds the button in the other.
    static let patience = Duration.seconds(60)
    /// What the option says, up to a day.
    static func patience(_ options: [String: String]) -> Duration {
        guard let seconds = options["patience"].flatMap({ Int64($0) }), (1...86400).contains(seconds) else { return patience }
        return .seconds(seconds)
    }
    static let limitInRow = 10
    static let limitInAll = 100
    static let abortLimit = 3
    /// Reports that are remembered as taken; a cuff's largest known memory is 200 readings.
    static let ceiling = 4096

    /// Steps of one association that count as progress, so that an agent which answers for ever is not waited for for
    /// ever: three tries for each of the most segments a store may have, and its other requests. Policy.
    static let stepLimit = 4096

    var patience = PHDEffort.patience
    /// Associations that broke off: since the last progress, and in all.
    private(set) var brokenInRow = 0
    private(set) var broken = 0
    /// The refusal of the last AARQ that could not be accepted.
    var refusal: UInt16?
    /// ABRTs repeated since the last association.
    var aborts = 0

    private var steps = 0
    private var most = 0
    private var taken: Set<UInt64> = []
    private var unproven: [UInt64] = []

    /// One more step of this association: accepted, configured, a request answered. Answers whether that is progress.
    mutating func step() -> Bool {
        steps += 1
        guard steps > most, steps <= Self.stepLimit else { return false }
        most = steps
        brokenInRow = 0
        return true
    }

    /// A confirmation left for a report of this digest.
    mutating func confirmed(_ digest: UInt64) {
        if unproven.count < Self.ceiling { unproven.append(digest) }
    }

    /// The agent went on after what was confirmed to it. Answers whether that is progress.
    mutating func prove() -> Bool {
        guard !unproven.isEmpty else { return false }
        defer { unproven.removeAll(keepingCapacity: true) }
        return take(unproven)
    }

    /// A report that is never confirmed is taken at once.
    mutating func received(_ digest: UInt64) -> Bool { take([digest]) }

    private mutating func take(_ digests: [UInt64]) -> Bool {
        if taken.count >= Self.ceiling { taken.removeAll(keepingCapacity: true) }
        var isNew = false
        for digest in digests where taken.insert(digest).inserted { isNew = true }
        if isNew { brokenInRow = 0 }
        return isNew
    }

    /// An association is over.
    mutating func left(inOrder: Bool) {
        steps = 0
        unproven.removeAll(keepingCapacity: true)
        guard !inOrder else { return }
        brokenInRow += 1
        broken += 1
    }

    /// No further association is worth it.
    var isExhausted: Bool { brokenInRow >= Self.limitInRow || broken >= Self.limitInAll }
    /// Anything ever came of it.
    var hasBegun: Bool { most > 0 }
}

extension PHDSession {
    /// A command that is to end, in a conversation of our own.
    @inline(__always)
    var isStriving: Bool { hasEnd && !isPassive }

    /// The digest of a report's information; 0 where it is not counted.
    @inline(__always)
    func digest(_ apdu: Span<UInt8>, from offset: Int) -> UInt64 {
        isStriving && offset < apdu.count ? XXHash64.hash(apdu.extracting(offset..<apdu.count)) : 0
    }

    mutating func noteStep(into actions: inout SessionActions) {
        if isStriving, effort.step() { actions.append(.arm(.overall, effort.patience)) }
    }

    @inline(__always)
    mutating func noteProof(into actions: inout SessionActions) {
        unstamped.isUnproven = false
        if isStriving, effort.prove() { actions.append(.arm(.overall, effort.patience)) }
    }

    @inline(__always)
    mutating func noteUnconfirmed(_ digest: UInt64, into actions: inout SessionActions) {
        if isStriving, effort.received(digest) { actions.append(.arm(.overall, effort.patience)) }
    }

    /// How an effort that came to nothing is told.
    var exhaustion: Outcome {
        if effort.broken > 0 {
            let count = effort.broken == 1 ? "one association" : "\(effort.broken) associations"
            return .failed(
                "\(count) with the agent broke off and nothing new came any more; what was confirmed is stored, the rest is "
                    + "still in the agent. Check the cable and the line's speed, and let it send again")
        }
        if let result = effort.refusal {
            return .failed("the agent asked only for associations that cannot be (result \(result))")
        }
        return effort.hasBegun
            ? .noAnswer("the agent fell silent")
            : .noAnswer("no agent asked for an association; press its button or start its transfer")
    }

    /// `patience` without progress: who has an association that works lets the agent go, everybody else gives up.
    mutating func patienceEnded(into actions: inout SessionActions) {
        guard goal != .follow else { return }
        guard committed >= emitted || !keepsReadings else {
            // The sinks are slow, not the agent; they have limits of their own.
            return actions.append(.arm(.overall, effort.patience))
        }
        if state == .operating, pending.isEmpty, transfer == nil {
            if outcome == nil {
                if case .memory = goal {
                    outcome = stores.isEmpty ? .complete : transferOutcome
                } else {
                    outcome = exhaustion
                }
            }
            return letGo(into: &actions)
        }
        outcome = outcome ?? exhaustion
        if state.isAssociated { return perform(.abandon, into: &actions) }
        finish(exhaustion, into: &actions)
    }

    /// The ABRT of an association that we gave up may have been lost.
    mutating func repeatAbort(into actions: inout SessionActions) {
        guard state == .unassociated, !isPassive, effort.aborts < PHDEffort.abortLimit else { return }
        effort.aborts += 1
        write(PHDManagerAPDU.abort(PHDAbortReason.undefined), into: &actions)
        actions.append(.arm(.lostAbort, Self.associationTimeout))
    }
}
