import CuffCore
import Testing

@testable import CuffIngest

/// The protocol of `+ack` (cuff-sink(7)), without a helper.
@Suite struct OutboxStateTests {
    private func line(_ number: Int, revision: Int = 0) -> Outbox.Line {
        Outbox.Line(sequence: Int64(number), id: "id\(number)", revision: revision, bytes: Array("{\(number)}\n".utf8))
    }

    private func lines(_ range: ClosedRange<Int>) -> [Outbox.Line] { range.map { line($0) } }

    private func words(_ effects: [OutboxState.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .open: "open"
            case .sendStatus: "status"
            case .load(let most): "load \(most)"
            case .send(let bytes): "send \(String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined())"
            case .acknowledge(let line): "ok \(line.id) \(line.revision)"
            case .setAside(let line, let reason): "aside \(line.id) \(reason)"
            case .close: "close"
            case .tell(let error, let pause): "tell \(error.why) / \(pause.nanoseconds / 1_000_000)"
            }
        }
    }

    private func said(_ text: String) -> OutboxState.Event { .received(Array(text.utf8)) }

    /// A helper that is ready and has these lines.
    private func carrying(_ lines: [Outbox.Line]) -> OutboxState {
        var state = OutboxState(name: "exec+ack:x")
        _ = state.handle(.waiting(lines.count), at: .zero)
        _ = state.handle(.opened, at: .zero)
        _ = state.handle(said("ready 1\n"), at: .zero)
        _ = state.handle(.loaded(lines), at: .zero)
        return state
    }

    @Test func aConversation_GoesInThisOrder() {
        var state = OutboxState(name: "exec+ack:x")
        #expect(state.handle(.waiting(0), at: .zero).isEmpty, "nothing is started for nothing")
        #expect(words(state.handle(.waiting(2), at: .zero)) == ["open"])
        #expect(state.handle(.waiting(2), at: .zero).isEmpty)
        #expect(state.handle(.opened, at: .zero).isEmpty, "nothing is sent before it is ready")
        #expect(state.handle(.loaded(lines(1...2)), at: .zero).isEmpty)
        #expect(words(state.handle(said("ready 1\n"), at: .zero)) == ["load 1000"])
        #expect(words(state.handle(.loaded(lines(1...2)), at: .zero)) == ["send {1}{2}"])
        #expect(state.unansweredCount == 2)
        // Any chunking and order; each answer names its line.
        #expect(state.handle(said("ok id2"), at: .zero).isEmpty)
        #expect(words(state.handle(said(" 0\nok id"), at: .zero)) == ["ok id2 0"])
        #expect(words(state.handle(said("1 0\n"), at: .zero)) == ["ok id1 0"])
        #expect(state.unansweredCount == 0 && state.wakeAt == nil, "an idle helper has no deadline")
        #expect(words(state.handle(.waiting(1), at: .zero)) == ["load 1000"])
        #expect(words(state.handle(.loaded([line(3)]), at: .zero)) == ["send {3}"])
        #expect(words(state.handle(said("ok id3 0\n"), at: .zero)) == ["ok id3 0"])
        #expect(words(state.handle(.ended, at: .zero)) == ["close"], "with nothing unanswered it may go")
    }

    @Test func atMostAThousand_AreUnanswered() {
        var state = carrying(lines(1...1000))
        #expect(state.unansweredCount == 1000)
        #expect(state.handle(.waiting(1500), at: .zero).isEmpty)
        #expect(state.handle(.loaded(lines(1...1001)), at: .zero).isEmpty)
        let answers = (1...500).map { "ok id\($0) 0\n" }.joined()
        #expect(state.handle(said(answers), at: .zero).count == 500)
        #expect(words(state.handle(.waiting(1000), at: .zero)) == ["load 1000"])
        let more = state.handle(.loaded(lines(501...1500)), at: .zero)
        #expect(words(more).first?.hasPrefix("send {1001}") == true, "what is unanswered is not sent twice")
        #expect(state.unansweredCount == 1000)
    }

    /// Everything that is not an answer, or answers another line.
    @Test(arguments: [
        "ok\n", "\n", "OK id1 0\n", "ok id1\n", "ok id1 0 \n", "ok  id1 0\n", "ok id1 00\n", "ok id1 +0\n", "ok id1 -0\n", "ok id1 1\n",
        "ok id3 0\n", "ok id1 0 done\n", "ok id1 0\r\n", "ERROR: no\n", "HTTP/1.1 400 Bad Request\n", "ready 1\n", "refuse id9 0 no\n",
        "refuse\n", "refuse id1\n", "200 OK\n", "\u{0}\n", "laterx\n",
    ])
    func anythingElse_AcknowledgesNothing_AndEndsTheConversation(_ text: String) {
        var state = carrying(lines(1...2))
        let effects = state.handle(said(text + "ok id2 0\n"), at: .zero)
        #expect(words(effects).count == 2 && effects.first == .close, "\(words(effects))")
        guard case .tell(let error, _)? = effects.last else { return #expect(Bool(false), "\(words(effects))") }
        #expect(error.status == .protocolFault)
        #expect(state.unansweredCount == 0 && !state.isOpen)
        // Unanswered lines are sent again to the next helper.
        #expect(words(state.handle(.waiting(2), at: .milliseconds(200))) == ["open"])
    }

    @Test(arguments: ["ready 2\n", "ready 1 \n", "ready\n", "ok id1 0\n", "HTTP/1.1 400 Bad Request\r\n", "\n", "220 smtp\n"])
    func anotherFirstLine_IsNoHelper(_ text: String) {
        var state = OutboxState(name: "tcp+ack:h:1")
        _ = state.handle(.waiting(2), at: .zero)
        _ = state.handle(.opened, at: .zero)
        let effects = state.handle(said(text), at: .zero)
        #expect(effects.first == .close && words(effects).last?.contains("not `ready 1`") == true, "\(words(effects))")
    }

    @Test func aGreeting_HasTenSeconds_AnAnswerSixty() {
        var state = OutboxState(name: "x")
        _ = state.handle(.waiting(1), at: .seconds(5))
        _ = state.handle(.opened, at: .seconds(5))
        #expect(state.wakeAt == .seconds(15))
        #expect(state.handle(.time, at: .milliseconds(14_999)).isEmpty)
        #expect(words(state.handle(.time, at: .seconds(15))) == ["close", "tell `ready 1` did not come within 10 s / 20000"])
        var ready = OutboxState(name: "x")
        _ = ready.handle(.waiting(1), at: .zero)
        _ = ready.handle(.opened, at: .zero)
        _ = ready.handle(said("ready 1\n"), at: .seconds(9))
        #expect(ready.wakeAt == nil && ready.handle(.time, at: .seconds(10)).isEmpty, "it has said its word in time")
        var busy = carrying(lines(1...2))
        #expect(busy.wakeAt == .seconds(60))
        _ = busy.handle(said("ok id1 0\n"), at: .seconds(50))
        #expect(busy.wakeAt == .seconds(110), "each answer is a sign of life")
        #expect(words(busy.handle(.time, at: .seconds(110))) == ["close", "tell no answer came for 60 s / 120000"])
    }

    @Test func pauses_Grow_AndAnAnswerMakesThemShortAgain() {
        var state = carrying(lines(1...2))
        var now = Duration.zero
        var pauses: [Int64] = []
        for _ in 0..<9 {
            guard case .tell(_, let pause)? = state.handle(said("later the server is away\n"), at: now).last else {
                return #expect(Bool(false), "no pause")
            }
            pauses.append(pause.nanoseconds / 1_000_000)
            #expect(state.handle(.waiting(2), at: now + pause - .milliseconds(1)).isEmpty, "not before its time")
            now = now + pause
            #expect(words(state.handle(.waiting(2), at: now)) == ["open"])
            _ = state.handle(.opened, at: now)
            _ = state.handle(said("ready 1\n"), at: now)
            #expect(words(state.handle(.loaded(lines(1...2)), at: now)) == ["send {1}{2}"])
        }
        #expect(pauses == [200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000])
        #expect(words(state.handle(said("ok id1 0\nlater again\n"), at: now)) == ["ok id1 0", "close", "tell again / 200"])
    }

    /// A whole fleet that returns at once makes a broker slow. If each machine began again after 30 s, the broker would never
    /// finish.
    @Test func aPeerThatTookLongToFail_IsGivenTwiceThatTime_TimesTheMachinesFactor() {
        var state = carrying(lines(1...1))
        #expect(words(state.handle(said("later no CONNACK\n"), at: .seconds(50))) == ["close", "tell no CONNACK / 100000"])
        #expect(state.wakeAt == .seconds(150))
        var suspended = carrying(lines(1...1))
        #expect(words(suspended.handle(said("later away\n"), at: .seconds(7200))).last == "tell away / 120000", "not the machine's sleep")
        var limits = OutboxState.Limits()
        limits.spread = 1.5
        var other = OutboxState(name: "x", limits: limits)
        _ = other.handle(.waiting(1), at: .zero)
        #expect(words(other.handle(.notOpened(IngestError(.unavailable, "x", why: "gone")), at: .zero)) == ["tell gone / 300"])
    }

    @Test func whatIsSaid_IsTold() {
        var state = carrying(lines(1...3))
        #expect(words(state.handle(said("refuse id2 0 not a number\n"), at: .zero)) == ["aside id2 not a number"])
        #expect(words(state.handle(said("refuse id3 0\n"), at: .zero)) == ["aside id3 "])
        #expect(words(state.handle(said("fatal wrong password\n"), at: .zero)) == ["close", "tell wrong password / 300000"])
        #expect(state.wakeAt == .seconds(300))
        var other = carrying(lines(1...3))
        #expect(words(other.handle(.ended, at: .zero)) == ["close", "tell it ended with 3 lines unanswered / 200"])
        var third = carrying(lines(1...1))
        #expect(words(third.handle(said(String(repeating: "x", count: 4097)), at: .zero)).last?.contains("more than 4096 bytes") == true)
        var fourth = OutboxState(name: "x")
        _ = fourth.handle(.waiting(1), at: .zero)
        #expect(words(fourth.handle(.notOpened(IngestError(.unavailable, "x", why: "gone")), at: .zero)) == ["tell gone / 200"])
    }

    @Test func aRevision_IsAnotherReading() {
        var state = carrying([line(1), line(1, revision: 2)])
        #expect(words(state.handle(said("ok id1 2\n"), at: .zero)) == ["ok id1 2"])
        #expect(words(state.handle(said("ok id1 0\n"), at: .zero)) == ["ok id1 0"])
    }

    // MARK: Helpers that never accepted anything

    /// A blood pressure with a time, as queued in the outbox.
    private func complete(_ number: Int) -> Outbox.Line {
        var line = line(number)
        line.bytes = Array("{\"type\":\"blood_pressure\",\"id\":\"id\(number)\",\"measured\":\"2026-05-05T07:31:00Z\"}\n".utf8)
        return line
    }

    @Test func aFirstRefusal_ByWhoNeverTookAnything_IsAWrongConfiguration() {
        var state = carrying([complete(1), complete(2)])
        #expect(state.handle(said("refuse id1 0 HTTP 400: no\n"), at: .zero).isEmpty, "the other one may be taken")
        #expect(state.handle(.waiting(2), at: .zero).isEmpty)
        #expect(state.handle(said("refuse id2 0 HTTP 400: no\n"), at: .zero).isEmpty)
        let why = "it has never accepted anything, and refused 2 readings: HTTP 400: no"
        #expect(words(state.handle(.waiting(2), at: .zero)) == ["close", "tell \(why) / 300000"])
        // The lines are kept, and the next try starts with them.
        #expect(words(state.handle(.waiting(2), at: .seconds(300))) == ["open"])
        var ended = carrying([complete(1)])
        _ = ended.handle(said("refuse id1 0 no\n"), at: .zero)
        #expect(words(ended.handle(.ended, at: .zero)).last == "tell it has never accepted anything, and refused id1: no / 300000")
    }

    @Test func whatItRefused_IsSetAside_OnceItTakesAnything() {
        var state = carrying((1...3).map(complete))
        #expect(state.handle(said("refuse id1 0 too old\n"), at: .zero).isEmpty)
        #expect(words(state.handle(said("ok id2 0\n"), at: .zero)) == ["aside id1 too old", "ok id2 0"])
        #expect(words(state.handle(said("refuse id3 0 no\n"), at: .zero)) == ["aside id3 no"])
        // An undecided line is not sent twice.
        var undecided = carrying((1...2).map(complete))
        _ = undecided.handle(said("refuse id1 0 no\n"), at: .zero)
        #expect(words(undecided.handle(.waiting(3), at: .zero)) == ["load 1000"])
        #expect(words(undecided.handle(.loaded((1...3).map(complete)), at: .zero)).count == 1)
        #expect(undecided.unansweredCount == 2)
    }

    /// A helper refuses at once what it cannot send, e.g. the readings of a person without a patient id, and delivers the others.
    @Test func anyNumberOfRefusals_WaitsForTheOtherAnswers() {
        var state = carrying((1...32).map(complete))
        #expect(state.handle(said((1...12).map { "refuse id\($0) 0 no patient\n" }.joined()), at: .zero).isEmpty)
        #expect(state.handle(.waiting(32), at: .zero).isEmpty && state.isOpen, "the receiver may be storing the others")
        let expected = (1...12).map { "aside id\($0) no patient" } + (13...32).map { "ok id\($0) 0" }
        #expect(words(state.handle(said((13...32).map { "ok id\($0) 0\n" }.joined()), at: .seconds(1))) == expected)
        #expect(state.handle(.waiting(0), at: .seconds(1)).isEmpty && state.isOpen)
        // Not in time: everything is kept and sent again.
        var later = carrying((1...12).map(complete))
        _ = later.handle(said((1...11).map { "refuse id\($0) 0 no patient\n" }.joined()), at: .zero)
        #expect(words(later.handle(said("later away\n"), at: .zero)) == ["close", "tell away / 200"])
    }

    @Test func aReceiverThatRefusesEverything_IsSentAtMostTheLimit() {
        var state = carrying((1...1000).map(complete))
        #expect(state.handle(said((1...999).map { "refuse id\($0) 0 no\n" }.joined()), at: .zero).isEmpty)
        #expect(state.handle(.waiting(5000), at: .zero).isEmpty, "a load would return the same lines")
        #expect(state.handle(said("refuse id1000 0 no\n"), at: .zero).isEmpty)
        let why = "it has never accepted anything, and refused 1000 readings: no"
        #expect(words(state.handle(.waiting(5000), at: .zero)) == ["close", "tell \(why) / 300000"])
    }

    @Test func anIncompleteReading_ProvesNothing() {
        var known = OutboxState(name: "x", hasAccepted: true)
        _ = known.handle(.waiting(1), at: .zero)
        _ = known.handle(.opened, at: .zero)
        _ = known.handle(said("ready 1\n"), at: .zero)
        _ = known.handle(.loaded([complete(1)]), at: .zero)
        #expect(words(known.handle(said("refuse id1 0 no\n"), at: .zero)) == ["aside id1 no"], "it took others before")
        var timeless = carrying([line(1)])
        #expect(words(timeless.handle(said("refuse id1 0 no time\n"), at: .zero)) == ["aside id1 no time"])
    }
}
