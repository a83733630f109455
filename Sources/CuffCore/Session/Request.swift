/// One question to a cuff: what is written, how long its answer may take, and how often it is written.
public struct Request<Question: Equatable & Sendable>: Sendable {
    /// What is asked, in the family's own words. Bytes that arrive answer it only while it is what was sent last.
    public let question: Question
    /// Written one after another; for HID one report each.
    public let writes: [[UInt8]]
    /// The answer must come within this; then the question is repeated.
    public let limit: Duration
    /// How often it is written before the cuff counts as silent. 1 for a command that must not be repeated: an answer to a start
    /// that was lost must not inflate the cuff twice.
    public let attempts: Int

    /// Sets each property as given.
    public init(_ question: Question, _ writes: [[UInt8]], within limit: Duration, attempts: Int) {
        self.question = question
        self.writes = writes
        self.limit = limit
        self.attempts = attempts
    }

    /// A question of one write.
    public init(_ question: Question, _ bytes: [UInt8], within limit: Duration, attempts: Int) {
        self.init(question, [bytes], within: limit, attempts: attempts)
    }
}

/// The request in flight, those planned after it, and what was sent last. A pure state: it appends actions and nothing else.
public struct Requests<Question: Equatable & Sendable>: Sendable {
    /// The request whose answer is awaited, or was answered last; `nil` before the first.
    public private(set) var current: Request<Question>?
    /// An answer to `current` is awaited.
    public private(set) var isAwaiting = false
    /// `current` waits to be repeated; what arrives until then is a late answer.
    public private(set) var isPaused = false
    /// Asked after `current`, in this order.
    public var planned: [Request<Question>] = []
    /// What went to the cuff last, by this session or, in a recording, by other software; `nil` for anything else. The family sets
    /// it in `noteSent`.
    public var sent: Question?
    private var tries = 0

    /// Nothing is asked.
    public init() {}

    /// Something was asked by this session.
    public var hasAsked: Bool { current != nil }
    /// The question whose answer is awaited.
    public var question: Question? { isAwaiting ? current?.question : nil }
    /// Whether an answer to `sent` counts: in a recording always, else only the answer to the present question.
    public var acceptsAnswer: Bool { current == nil || isAwaiting && !isPaused && sent == current?.question }

    /// The current request may be written once more.
    public var canRepeat: Bool { current.map { tries < $0.attempts } ?? false }

    /// Writes a request and awaits its answer; one that was awaited before is forgotten.
    public mutating func begin(_ request: Request<Question>, into actions: inout SessionActions) {
        current = request
        tries = 0
        _ = write(into: &actions)
    }

    /// Writes the current request once more; `false` when it was written as often as it may be.
    public mutating func write(into actions: inout SessionActions) -> Bool {
        guard let current, canRepeat else { return false }
        tries += 1
        isAwaiting = true
        isPaused = false
        for bytes in current.writes { actions.append(.write(bytes)) }
        actions.append(.arm(.response, current.limit))
        return true
    }

    /// Repeats the current request after a pause, so that a late answer is not taken for the next one. `false` when it was written
    /// as often as it may be.
    public mutating func pause(_ duration: Duration, into actions: inout SessionActions) -> Bool {
        guard canRepeat else { return false }
        isPaused = true
        actions.append(.arm(.response, duration))
        return true
    }

    /// The answer came.
    public mutating func end(into actions: inout SessionActions) {
        guard isAwaiting else { return }
        isAwaiting = false
        isPaused = false
        actions.append(.disarm(.response))
    }
}
