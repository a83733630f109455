/// Where the questions of a `RecordwiseSession` stand.
struct RecordQuestions: Sendable {
    enum State { case listening, asking, pausing, leaving, finished }

    var state = State.listening
    /// Only this user's records are meant.
    var user: Int?
    /// What is to be asked after the present question.
    var plan: [[UInt8]] = []
    /// What this session asks.
    private(set) var current: [UInt8] = []
    private var tries = 0
    /// What was asked last, by this session or, in a recording, by other software.
    var asked: [UInt8] = []
    /// Records that could not be read.
    var unread = 0
    var dump = DumpOccurrences()

    /// Whether a report counts: a recording's always, else only the answer to the present question.
    var isAnswerable: Bool { state == .listening || state == .asking && asked == current }
    /// How the reading of the memory went, once everything was asked.
    var outcome: Outcome { unread == 0 ? .complete : .failed("\(unread) records could not be read") }

    /// Takes the next question; `false` where none is left.
    mutating func advance() -> Bool {
        tries = 0
        guard !plan.isEmpty else { return false }
        current = plan.removeFirst()
        return true
    }

    /// Asks the present question; `false` after three times.
    mutating func ask(filling: (report: Int, with: UInt8), into actions: inout SessionActions) -> Bool {
        guard tries < 3 else { return false }
        tries += 1
        state = .asking
        let filler = [UInt8](repeating: filling.with, count: max(0, filling.report - current.count))
        actions.append(.write(current + filler))
        actions.append(.arm(.response, .seconds(2)))
        return true
    }
}

/// A session with a cuff of two users whose memory is asked for record by record over HID: one question, one report.
protocol RecordwiseSession: FinishingSession {
    var questions: RecordQuestions { get set }
    static var driver: String { get }
    /// The size of a question's report, and the byte that fills it.
    static var filling: (report: Int, with: UInt8) { get }
    /// Greeting and number of records; the records are planned when that has come.
    static var memoryQuestions: [[UInt8]] { get }
    static var identityQuestions: [[UInt8]] { get }
    /// Says how to make a cuff answer that did not answer the greeting.
    static var silence: String { get }
    /// Everything was asked.
    mutating func leave(into actions: inout SessionActions)
}

extension RecordwiseSession {
    var isFinished: Bool {
        get { questions.state == .finished }
        set { if newValue { questions.state = .finished } }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: return
        case .readMemory(let user):
            guard user == nil || user == 1 || user == 2 else {
                return finish(.unsupported("\(Self.driver) has the users 1 and 2"), into: &actions)
            }
            questions.user = user
            questions.plan = Self.memoryQuestions
        case .information: questions.plan = Self.identityQuestions
        default: return finish(.unsupported("\(Self.driver) has no command for that"), into: &actions)
        }
        next(into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        switch questions.state {
        case .listening: finish(.complete, into: &actions)
        case .leaving: finish(questions.outcome, into: &actions)
        default: finish(.noAnswer("the cuff was unplugged before it had answered everything"), into: &actions)
        }
    }

    mutating func next(into actions: inout SessionActions) {
        if questions.advance() { ask(into: &actions) } else { leave(into: &actions) }
    }

    /// The present question once more, or the end.
    mutating func ask(into actions: inout SessionActions) {
        guard !questions.ask(filling: Self.filling, into: &actions) else { return }
        finish(.noAnswer(questions.current == Self.memoryQuestions.first ? Self.silence : "the cuff stopped answering"), into: &actions)
    }
}
