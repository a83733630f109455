import HTTPClient
import RemoteSink

/// Groups readings into requests and maps each response to answers. One request is in flight at a time, so that
/// readings arrive in order. Has no connection and no clock.
public struct DeliveryState: Sendable {
    private let format: any DeliveryFormat
    private var size: BatchSize
    private var waiting: [ReadingLine] = []
    private var first = 0
    private var window: [ReadingLine] = []
    /// Seconds spent on queries for the current request; `cuff` gets no answers meanwhile.
    private var asked = 0.0
    /// Halves of a refused request; the last one is sent next.
    private var halves: [[ReadingLine]] = []
    private var current = Current.nothing
    private var diagnosed: Set<String> = []

    private enum Current: Sendable {
        case nothing
        case delivery([ReadingLine])
        case question(ReadingLine)
        case diagnosis(ReadingLine, refusal: String)
    }

    /// `cuff` sends at most 1,000 unanswered lines; reading pauses beyond that for any other writer.
    public static let capacity = 2000

    public init(_ format: any DeliveryFormat) {
        self.format = format
        size = BatchSize(most: format.mostReadings)
    }

    public var hasRoom: Bool { waiting.count - first < Self.capacity }
    public var isIdle: Bool {
        if case .diagnosis = current { return false }
        return first == waiting.count && window.isEmpty && halves.isEmpty
    }

    public mutating func accept(_ reading: ReadingLine) { waiting.append(reading) }

    /// The next request to perform, if any; report its outcome to `handle`.
    public mutating func next(_ answers: inout [Answer]) -> HTTPRequest? {
        if case .diagnosis(let reading, _) = current, let request = format.diagnosis(reading) { return request }
        if let half = halves.popLast() { return send(half) }
        while window.count < size.next, first < waiting.count, window.isEmpty || asked < BatchSize.goal {
            let reading = waiting[first]
            // Changes within one request have no order, so it never holds two revisions of a reading.
            if window.contains(where: { $0.id == reading.id || format.isAlone($0) }) { break }
            if format.isAlone(reading), !window.isEmpty { break }
            first += 1
            if format.isNothing(reading) {
                answers.append(.ok(reading))
            } else if let reason = format.refusal(reading) {
                answers.append(.refuse(reading, reason))
            } else if let question = format.question(reading) {
                current = .question(reading)
                return question
            } else {
                window.append(reading)
            }
        }
        if first > Self.capacity || first == waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        guard !window.isEmpty else { return nil }
        let batch = window
        window.removeAll()
        return send(batch)
    }

    private mutating func send(_ readings: [ReadingLine]) -> HTTPRequest {
        current = .delivery(readings)
        return format.request(readings)
    }

    /// Handles the outcome of a request that took `seconds`.
    public mutating func handle(_ outcome: HTTPOutcome, seconds: Double, _ answers: inout [Answer]) {
        let former = current
        current = .nothing
        let answer: HTTPAnswer
        switch outcome {
        case .answered(let whole): answer = whole
        case .unreachable(let text): return answers.append(.later(text))
        case .misconfigured(let text): return answers.append(.fatal(text))
        }
        switch former {
        case .nothing: break
        case .delivery(let readings): conclude(readings, answer, seconds, &answers)
        case .question(let reading):
            asked += seconds
            if !answer.isSuccess, case .later(let text) = Verdict.failure(answer, message: "") { return answers.append(.later(text)) }
            // A server that refuses the query may still accept the reading.
            if format.isSuperseded(reading, by: answer) { answers.append(.ok(reading)) } else { window.append(reading) }
        case .diagnosis(let reading, let refusal):
            if let fault = format.fault(reading, diagnosed: answer) { return answers.append(.fatal(fault)) }
            answers.append(.refuse(reading, refusal))
        }
    }

    private mutating func conclude(_ readings: [ReadingLine], _ answer: HTTPAnswer, _ seconds: Double, _ answers: inout [Answer]) {
        switch format.verdict(answer, for: readings) {
        case .taken:
            size.took(seconds + asked, readings: readings.count)
            asked = 0
            answers += readings.map { Answer.ok($0) }
        case .later(let text): answers.append(.later(text))
        case .configuration(let text): answers.append(.fatal(text))
        case .content(let text):
            guard let reading = readings.first, readings.count == 1 else {
                let middle = readings.count / 2
                halves.append(Array(readings[middle...]))
                halves.append(Array(readings[..<middle]))
                return
            }
            // Asked once: it does not depend on the reading whether the patient exists.
            if let question = format.diagnosis(reading), diagnosed.insert(question.url).inserted {
                current = .diagnosis(reading, refusal: text)
            } else {
                answers.append(.refuse(reading, text))
            }
        }
    }
}

/// Readings per request: one at first, then as many as the server accepts in a few seconds. `cuff` stops a helper that sends no
/// answer for 60 s.
struct BatchSize: Sendable {
    let most: Int
    private(set) var next = 1
    static let goal = 10.0

    init(most: Int) { self.most = most }

    mutating func took(_ seconds: Double, readings: Int) {
        let room = Self.goal * Double(max(1, readings)) / max(seconds, 0.001)
        next = room >= Double(most) ? most : max(1, Int(room))
    }
}
