/// How long a command keeps trying. docs/PHD.md §9 limits each wait but not their sum, and over a bad line an agent may associate again and
/// again, or never. Policy:
/// - A command ends at the latest `patience` after its last progress: an association came further than any before it, or the agent
///   continued after the confirmation of something new.
/// - It ends when `limitInRow` associations in a row broke off without progress, or `limitInAll` in total.
/// - Our ABRT is repeated, a TOassoc apart, while the agent is silent: it is never answered, so the agent may not have received it.
/// What was confirmed is on disk, and the agent still has the rest. A follower has no such end.
struct PHDProgress: Sendable {
    /// RCassoc tries of TOassoc take half of this minute, and the user needs time to press the button.
    static let patience = Duration.seconds(60)
    /// The option's value, up to a day.
    static func patience(_ options: [String: String]) -> Duration {
        guard let seconds = options["patience"].flatMap({ Int64($0) }), (1...86400).contains(seconds) else { return patience }
        return .seconds(seconds)
    }
    static let limitInRow = 10
    static let limitInAll = 100
    static let abortLimit = 3
    /// Limit of remembered reports; a cuff's largest known memory is 200 readings.
    static let ceiling = 4096

    /// Limit of steps per association that count as progress, so that an endlessly answering agent does not block a command: three tries
    /// for each of the most segments of a store, and the other requests. Policy.
    static let stepLimit = 4096

    private(set) var brokenInRow = 0
    private(set) var broken = 0
    /// The result in the last refusing AARE.
    private(set) var refusal: UInt16?
    private var aborts = 0

    private var steps = 0
    private var most = 0
    private var known: Set<UInt64> = []
    private var unproven: [UInt64] = []

    /// One more step of this association: accepted, configured, a request answered. Returns whether it is progress.
    mutating func step() -> Bool {
        steps += 1
        guard steps > most, steps <= Self.stepLimit else { return false }
        most = steps
        brokenInRow = 0
        return true
    }

    mutating func confirmed(_ digest: UInt64) {
        if unproven.count < Self.ceiling { unproven.append(digest) }
    }

    /// The agent continued after the confirmations. Returns whether that is progress.
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

    mutating func left(inOrder: Bool) {
        steps = 0
        unproven.removeAll(keepingCapacity: true)
        guard !inOrder else { return }
        brokenInRow += 1
        broken += 1
    }

    var isExhausted: Bool { brokenInRow >= Self.limitInRow || broken >= Self.limitInAll }
    mutating func noteRefusal(_ result: UInt16) { refusal = result }
    mutating func beginAborts() { aborts = 0 }

    mutating func repeatsAbort() -> Bool {
        aborts += 1
        return aborts <= Self.abortLimit
    }

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
