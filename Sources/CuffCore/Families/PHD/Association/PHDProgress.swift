/// How long a command that ends keeps trying. docs/PHD.md §9 limits each wait but not their sum, and over a bad line an agent may
/// associate again and again, or never. Policy:
///
/// - A command ends at the latest `patience` after its last progress. Progress is: one association came further than
///   any before it; or the agent went on after the confirmation of something new.
/// - It ends when `limitInRow` associations in a row broke off without progress, or `limitInAll` in all.
/// - An ABRT of ours is repeated, a TOassoc apart, while the agent is silent: it is never answered, so one that is lost leaves an
///   agent that waits for us.
///
/// What was confirmed is on disk all the same, and what was not, the agent still has. A follower has no such end.
struct PHDProgress: Sendable {
    /// A minute: RCassoc tries of TOassoc take half of it, and the user needs time to press the button.
    static let patience = Duration.seconds(60)
    /// The option's value, up to a day.
    static func patience(_ options: [String: String]) -> Duration {
        guard let seconds = options["patience"].flatMap({ Int64($0) }), (1...86400).contains(seconds) else { return patience }
        return .seconds(seconds)
    }
    static let limitInRow = 10
    static let limitInAll = 100
    static let abortLimit = 3
    /// Reports that are remembered as received; a cuff's largest known memory is 200 readings.
    static let ceiling = 4096

    /// Steps of one association that count as progress, so that an agent which answers for ever does not hold up a command:
    /// three tries for each of the most segments of a store, and the other requests. Policy.
    static let stepLimit = 4096

    /// Associations that broke off: since the last progress, and in all.
    private(set) var brokenInRow = 0
    private(set) var broken = 0
    /// The result that the last refused AARQ was answered with.
    private(set) var refusal: UInt16?
    private var aborts = 0

    private var steps = 0
    private var most = 0
    private var known: Set<UInt64> = []
    private var unproven: [UInt64] = []

    /// One more step of this association: accepted, configured, a request answered. Returns whether that is progress.
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

    /// The agent went on after what was confirmed to it. Returns whether that is progress.
    mutating func prove() -> Bool {
        guard !unproven.isEmpty else { return false }
        defer { unproven.removeAll(keepingCapacity: true) }
        return receive(unproven)
    }

    /// A report that is never confirmed counts at once.
    mutating func received(_ digest: UInt64) -> Bool { receive([digest]) }

    private mutating func receive(_ digests: [UInt64]) -> Bool {
        if known.count >= Self.ceiling { known.removeAll(keepingCapacity: true) }
        var isNew = false
        for digest in digests where known.insert(digest).inserted { isNew = true }
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
    mutating func noteRefusal(_ result: UInt16) { refusal = result }
    mutating func beginAborts() { aborts = 0 }

    /// Whether to repeat an ABRT that may have been lost.
    mutating func repeatsAbort() -> Bool {
        aborts += 1
        return aborts <= Self.abortLimit
    }

    /// The outcome of a command that ends without success.
    var outcome: Outcome {
        if broken > 0 {
            let count = broken == 1 ? "one association" : "\(broken) associations"
            return .failed(
                "\(count) with the agent broke off without new readings; what was confirmed is stored, the rest is still in the agent. "
                    + "Check the cable and the line's speed, and let it send again")
        }
        if let refusal { return .failed("the agent asked only for associations that cannot be accepted (result \(refusal))") }
        return most > 0
            ? .noAnswer("the agent stopped answering")
            : .noAnswer("no agent asked for an association; press its button or start its transfer")
    }
}
