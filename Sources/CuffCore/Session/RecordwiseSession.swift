/// A session that reads a memory record by record over HID: one request, one report.
protocol RecordwiseSession: RequestSession where Question == [UInt8] {
    var user: Int? { get set }
    var unread: Int { get }
    /// The size of a request report, and its filler byte.
    static var filling: (report: Int, with: UInt8) { get }
    /// Greeting and number of records, which then determines the other requests.
    static var memoryQuestions: [[UInt8]] { get }
    static var identityQuestions: [[UInt8]] { get }
    /// How to make a silent cuff answer.
    static var silence: String { get }
}

extension RecordwiseSession {
    var users: ClosedRange<Int>? { 1...2 }
    var outcome: Outcome { .read(unread: unread) }

    /// At most three times, two seconds each.
    static func request(_ question: [UInt8]) -> Request<[UInt8]> {
        Request(question, question.padded(to: filling.report, with: filling.with), within: .seconds(2), attempts: 3)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory(let user):
            self.user = user
            askAll(Self.memoryQuestions.map(Self.request), into: &actions)
        case .information: askAll(Self.identityQuestions.map(Self.request), into: &actions)
        default: break
        }
    }

    mutating func allAnswered(into actions: inout SessionActions) { finish(outcome, into: &actions) }

    mutating func unanswered(_ question: [UInt8], into actions: inout SessionActions) {
        finish(.noAnswer(question == Self.memoryQuestions.first ? Self.silence : "the cuff stopped answering"), into: &actions)
    }
}

extension Outcome {
    /// The end of a read that was given all records but `unread`.
    static func read(unread: Int) -> Outcome {
        unread == 0 ? .complete : .failed("\(unread) record\(unread == 1 ? "" : "s") could not be read")
    }
}
