import HTTPClient
import RemoteSink
import Testing

@testable import HTTPSink

/// A server that refuses some readings by name.
private struct Fussy: DeliveryFormat {
    let checks: [HTTPCheck] = []
    var mostReadings = 8
    var questions = false
    var diagnoses = false

    func refusal(_ reading: ReadingLine) -> String? { reading.id.hasPrefix("never") ? "never" : nil }
    func request(_ readings: [ReadingLine]) -> HTTPRequest {
        HTTPRequest(.post, "u", headers: [], body: readings.map(\.id).joined(separator: " "))
    }
    func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        answer.isSuccess ? .taken : .failure(answer, message: "no")
    }
    func question(_ reading: ReadingLine) -> HTTPRequest? {
        questions && reading.revision > 0 ? HTTPRequest(.get, "q \(reading.id)", headers: []) : nil
    }
    func isSuperseded(_ reading: ReadingLine, by answer: HTTPAnswer) -> Bool { answer.status == 210 }
    func diagnosis(_ reading: ReadingLine) -> HTTPRequest? { diagnoses ? HTTPRequest(.get, "d", headers: []) : nil }
    func fault(_ reading: ReadingLine, diagnosed answer: HTTPAnswer) -> String? { answer.status == 404 ? "no subject" : nil }
}

@Suite struct DeliveryTests {
    private static func line(_ id: String, revision: Int = 0) throws -> ReadingLine {
        try reading(#"{"type":"blood_pressure","id":"\#(id)","revision":\#(revision)}"#)
    }

    /// Delivers to a server that refuses requests with these ids in them; answers what was asked for and what was answered.
    private static func deliver(_ ids: [String], bad: Set<String>, _ format: Fussy = Fussy()) throws -> (
        requests: [String], answers: [Answer]
    ) {
        var state = DeliveryState(format)
        for id in ids { state.accept(try line(id)) }
        var requests: [String] = []
        var answers: [Answer] = []
        while let request = state.next(&answers) {
            requests.append(request.body)
            let isBad = request.body.split(separator: " ").contains { bad.contains(String($0)) }
            state.handle(.answered(HTTPAnswer(isBad ? 400 : 200)), seconds: 0.01, &answers)
        }
        #expect(state.isIdle)
        return (requests, answers)
    }

    @Test func theFirstRequestIsSmall_AndTheOthersAreNot() throws {
        let ids = (0..<20).map { "r\($0)" }
        let (requests, answers) = try Self.deliver(ids, bad: [])
        #expect(requests.map { $0.split(separator: " ").count } == [1, 8, 8, 3])
        #expect(answers == ids.map { .ok(id: $0, revision: 0) })
    }

    @Test func aRefusedRequestIsHalved_InOrder() throws {
        let ids = (0..<9).map { "r\($0)" }
        let (requests, answers) = try Self.deliver(ids, bad: ["r3"])
        #expect(requests == ["r0", "r1 r2 r3 r4 r5 r6 r7 r8", "r1 r2 r3 r4", "r1 r2", "r3 r4", "r3", "r4", "r5 r6 r7 r8"])
        #expect(answers == ids.map { $0 == "r3" ? .refuse(id: $0, revision: 0, "HTTP 400: no") : .ok(id: $0, revision: 0) })
    }

    @Test func whatCanNeverBeSent_IsNotSent() throws {
        let (requests, answers) = try Self.deliver(["never1", "a", "never2"], bad: [])
        #expect(requests == ["a"])
        #expect(
            answers == [
                .refuse(id: "never1", revision: 0, "never"), .ok(id: "a", revision: 0), .refuse(id: "never2", revision: 0, "never"),
            ])
    }

    @Test func twoRevisionsOfOneReading_AreTwoRequests() throws {
        var state = DeliveryState(Fussy())
        for item in [("x", 0), ("a", 0), ("a", 2), ("b", 0)] { state.accept(try Self.line(item.0, revision: item.1)) }
        var requests: [String] = []
        var answers: [Answer] = []
        while let request = state.next(&answers) {
            requests.append(request.body)
            state.handle(.answered(HTTPAnswer(200)), seconds: 0.01, &answers)
        }
        #expect(requests == ["x", "a", "a b"])
        #expect(answers.contains(.ok(id: "a", revision: 2)))
    }

    @Test(arguments: [
        (HTTPOutcome.answered(HTTPAnswer(503)), Answer.later("HTTP 503: no")), (.unreachable("away"), .later("away")),
        (.misconfigured("wrong"), .fatal("wrong")),
    ]) func anAnswerThatSaysNothingAboutThem_AcknowledgesNone(outcome: HTTPOutcome, answer: Answer) throws {
        var state = DeliveryState(Fussy())
        state.accept(try Self.line("a"))
        var answers: [Answer] = []
        _ = state.next(&answers)
        state.handle(outcome, seconds: 0.01, &answers)
        #expect(answers == [answer])
    }

    @Test func aNewerRevisionAtTheServer_IsNotReplaced() throws {
        var state = DeliveryState(Fussy(questions: true))
        state.accept(try Self.line("old", revision: 1))
        state.accept(try Self.line("new", revision: 2))
        var requests: [String] = []
        var answers: [Answer] = []
        while let request = state.next(&answers) {
            requests.append(request.url == "u" ? request.body : request.url)
            state.handle(.answered(HTTPAnswer(request.url == "q old" ? 210 : 200)), seconds: 0.01, &answers)
        }
        #expect(requests == ["q old", "q new", "new"])
        #expect(answers == [.ok(id: "old", revision: 1), .ok(id: "new", revision: 2)])
    }

    /// `cuff` stops a helper that is silent for 60 s, and queries print nothing to `cuff`.
    @Test func slowQuestions_AreFewBeforeARequest() throws {
        var state = DeliveryState(Fussy(mostReadings: 50, questions: true))
        for number in 0..<30 { state.accept(try Self.line("r\(number)", revision: number == 0 ? 0 : 1)) }
        var silence = 0.0
        var longest = 0.0
        var answers: [Answer] = []
        while let request = state.next(&answers) {
            let seconds = request.url == "u" ? 0.01 : 3
            silence += seconds
            state.handle(.answered(HTTPAnswer(200)), seconds: seconds, &answers)
            longest = max(longest, silence)
            if request.url == "u" { silence = 0 }
        }
        #expect(answers.count == 30)
        #expect(longest < 15)
    }

    @Test func aQuestionThatTheServerIsTooBusyFor_IsAskedLater() throws {
        var state = DeliveryState(Fussy(questions: true))
        state.accept(try Self.line("a", revision: 1))
        var answers: [Answer] = []
        _ = state.next(&answers)
        state.handle(.answered(HTTPAnswer(503)), seconds: 0.01, &answers)
        #expect(answers == [.later("HTTP 503")])
    }

    @Test(arguments: [(404, [Answer.fatal("no subject")]), (200, [.refuse(id: "a", revision: 0, "HTTP 400: no")])])
    func beforeAReadingIsSetAside_TheConfigurationIsLookedAt(status: Int, expected: [Answer]) throws {
        var state = DeliveryState(Fussy(diagnoses: true))
        state.accept(try Self.line("a"))
        var answers: [Answer] = []
        #expect(state.next(&answers)?.url == "u")
        state.handle(.answered(HTTPAnswer(400)), seconds: 0.01, &answers)
        #expect(answers.isEmpty && !state.isIdle)
        #expect(state.next(&answers)?.url == "d")
        state.handle(.answered(HTTPAnswer(status)), seconds: 0.01, &answers)
        #expect(answers == expected)
        #expect(state.next(&answers) == nil)
    }

    @Test func aSlowServerGetsLess() {
        var size = BatchSize(most: 50)
        #expect(size.next == 1)
        size.took(2, readings: 1)
        #expect(size.next == 5)
        size.took(2, readings: 5)
        #expect(size.next == 25)
        size.took(60, readings: 1)
        #expect(size.next == 1)
        size.took(0, readings: 1)
        #expect(size.next == 50)
    }

    @Test func onlyStatusesAboutTheContent_SetAside() {
        for status in 100...599 where !(200..<300 ~= status) {
            var isContent = false
            if case .content = Verdict.failure(HTTPAnswer(status), message: "") { isContent = true }
            #expect(isContent == [400, 413, 422].contains(status), "\(status)")
        }
    }

    @Test func anotherWriterIsNotReadWithoutEnd() throws {
        var state = DeliveryState(Fussy())
        for number in 0..<DeliveryState.capacity { state.accept(try Self.line("r\(number)")) }
        #expect(!state.hasRoom)
        var answers: [Answer] = []
        #expect(state.next(&answers) != nil)
        #expect(state.hasRoom)
    }
}

@Suite struct AnswerHeadTests {
    /// RFC 9112 §8 and §9.6.
    @Test(arguments: [
        (["HTTP/1.1 200 OK"], false), (["HTTP/1.1 200 OK\r\n"], false), (["HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n"], false),
        (["HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n", "\r\n"], true), (["HTTP/1.1 200 OK\r\n", "\r\n"], false),
        (["HTTP/1.1 200 OK\r\n", "CONNECTION: keep-alive, Close\r\n", "\r\n"], true), (["HTTP/1.0 200 OK\r\n", "\r\n"], true),
        (["HTTP/2 200 \r\n", "\r\n"], true), (["HTTP/1.1 204 \r\n", "\r\n"], true),
        (["HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"], false), ([], false),
    ])
    func anAnswerIsWhole_WhereItsHeadIs(_ lines: [String], _ isWhole: Bool) {
        var head = AnswerHead()
        for line in lines { head.take(Array(line.utf8)) }
        #expect(head.isWhole == isWhole)
    }
}
