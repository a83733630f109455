import Testing

@testable import CuffCore

/// Requests: their writes, repetitions and answers.
@Suite struct RequestTests {
    private static func request(_ question: Int, attempts: Int = 3) -> Request<Int> {
        Request(question, [[UInt8(question)], [0xFF]], within: .seconds(2), attempts: attempts)
    }

    /// `>01` a write, `+0` a timer armed, `-0` disarmed.
    private static func words(_ actions: SessionActions) -> [String] {
        actions.compactMap {
            switch $0 {
            case .write(let bytes): ">" + Hex.text(bytes)
            case .arm(let timer, let limit): "+\(timer.rawValue) \(limit)"
            case .disarm(let timer): "-\(timer.rawValue)"
            default: nil
            }
        }
    }

    @Test func aRequest_IsWritten_AsOftenAsItMayBe() {
        var (requests, actions) = (Requests<Int>(), SessionActions())
        #expect(!requests.hasAsked && !requests.canRepeat)
        requests.begin(Self.request(1, attempts: 2), into: &actions)
        #expect(Self.words(actions) == [">01", ">ff", "+0 2.0 seconds"])
        #expect(requests.question == 1 && requests.canRepeat)
        actions.removeAll()
        let result1 = requests.write(into: &actions)
        #expect(result1)
        #expect(Self.words(actions) == [">01", ">ff", "+0 2.0 seconds"])
        actions.removeAll()
        #expect(!requests.canRepeat)
        let result2 = requests.write(into: &actions)
        #expect(!result2)
        let result3 = requests.pause(.seconds(1), into: &actions)
        #expect(!result3)
        #expect(actions.isEmpty)
    }

    @Test func anAnswer_CountsOnlyForWhatWasSentLast() {
        var (requests, actions) = (Requests<Int>(), SessionActions())
        // A recording's answers always count.
        #expect(requests.acceptsAnswer)
        requests.begin(Self.request(1), into: &actions)
        #expect(!requests.acceptsAnswer)
        requests.sent = 2
        #expect(!requests.acceptsAnswer)
        requests.sent = 1
        #expect(requests.acceptsAnswer)
        requests.end(into: &actions)
        #expect(!requests.acceptsAnswer && requests.question == nil && requests.hasAsked)
    }

    @Test func whileItIsPaused_AnAnswerIsALateOne() {
        var (requests, actions) = (Requests<Int>(), SessionActions())
        requests.begin(Self.request(1), into: &actions)
        requests.sent = 1
        actions.removeAll()
        let result4 = requests.pause(.milliseconds(200), into: &actions)
        #expect(result4)
        #expect(Self.words(actions) == ["+0 0.2 seconds"])
        #expect(!requests.acceptsAnswer && requests.isAwaiting)
        let result5 = requests.write(into: &actions)
        #expect(result5)
        #expect(requests.acceptsAnswer)
    }

    /// Asks 1, 2, 3; reports what the protocol calls.
    private struct Asker: RequestSession {
        var requests = Requests<Int>()
        var isFinished = false
        let capabilities: Capabilities = [.storedReadings]
        mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
            if bytes == [0] { askAgain(after: .milliseconds(100), into: &actions) } else { askNext(into: &actions) }
        }
        mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
            guard command != .follow else { return }
            askAll((1...3).map { RequestTests.request($0, attempts: $0 == 2 ? 1 : 3) }, into: &actions)
        }
        mutating func unanswered(_ question: Int, into actions: inout SessionActions) {
            actions.append(.report(.note("unanswered \(question)")))
            askNext(into: &actions)
        }
        mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
            actions.append(.report(.note("timer \(timer.rawValue)")))
        }
    }

    private func notes(_ actions: [SessionAction]) -> [String] {
        actions.compactMap { if case .report(.note(let text)) = $0 { text } else { nil } }
    }

    private func writes(_ actions: [SessionAction]) -> [[UInt8]] {
        actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
    }

    @Test func aPlan_IsAskedOneByOne_AndThenTheSessionIsComplete() {
        var session = Asker()
        #expect(session.isListening)
        #expect(writes(session.handle(.command(.readMemory(user: nil)))) == [[1], [0xFF]])
        #expect(!session.isListening)
        #expect(writes(session.handle(.received([7]))) == [[2], [0xFF]])
        #expect(writes(session.handle(.received([7]))) == [[3], [0xFF]])
        let end = session.handle(.received([7]))
        #expect(end.contains { if case .finish(.complete) = $0 { true } else { false } })
        #expect(writes(end).isEmpty)
    }

    @Test func silence_RepeatsTheQuestion_AndThenGivesItUp() {
        var session = Asker()
        _ = session.handle(.command(.readMemory(user: nil)))
        for _ in 0..<2 { #expect(writes(session.handle(.timerFired(.response))) == [[1], [0xFF]]) }
        let third = session.handle(.timerFired(.response))
        #expect(notes(third) == ["unanswered 1"])
        // 2 is asked once.
        #expect(writes(third) == [[2], [0xFF]])
        #expect(notes(session.handle(.timerFired(.response))) == ["unanswered 2"])
        #expect(notes(session.handle(.timerFired(.silence))) == ["timer 1"])
    }

    @Test func aPauseBeforeARepetition_CountsAsOneOfTheAttempts() {
        var session = Asker()
        _ = session.handle(.command(.readMemory(user: nil)))
        for _ in 0..<2 {
            #expect(writes(session.handle(.received([0]))).isEmpty)
            #expect(writes(session.handle(.timerFired(.response))) == [[1], [0xFF]])
        }
        #expect(notes(session.handle(.received([0]))) == ["unanswered 1"])
    }

    @Test func aResponseTimerWithoutARequest_IsTheFamilys() {
        var session = Asker()
        #expect(notes(session.handle(.timerFired(.response))) == ["timer 0"])
    }

    @Test func theEndOfTheConnection_IsRegularOnlyWhereNothingWasAsked() {
        var session = Asker()
        #expect(session.handle(.closed).contains { if case .finish(.complete) = $0 { true } else { false } })
        session = Asker()
        _ = session.handle(.command(.readMemory(user: nil)))
        #expect(session.handle(.closed).contains { if case .finish(.noAnswer) = $0 { true } else { false } })
    }
}

/// The refusal of commands that the driver does not offer, and of unknown users.
@Suite struct CommandRefusalTests {
    static let commands: [(SessionCommand, Capabilities)] = [
        (.readMemory(user: nil), .storedReadings), (.measure, .measure), (.stop, .stop), (.readClock, .readClock),
        (.setClock(DeviceTime(year: 2026, month: 5, day: 5)), .setClock), (.information, .information),
        (.schedule(.get), .schedule), (.clear(user: nil), .erase),
    ]

    @Test func aCommand_NeedsItsCapability_AndNoOther() {
        for (command, capability) in Self.commands {
            #expect(CommandRefusal(command, capabilities: capability, users: nil) == nil)
            let others = Self.commands.map(\.1).filter { $0 != capability }.reduce(into: Capabilities()) { $0.formUnion($1) }
            #expect(CommandRefusal(command, capabilities: others, users: nil) == .notOffered(capability), "\(command)")
        }
        #expect(CommandRefusal(.follow, capabilities: [], users: nil) == nil)
    }

    @Test func aUser_IsRefusedWhereTheMemoryHasNone_OrNotThisOne() {
        let both: Capabilities = [.storedReadings, .users, .erase]
        #expect(CommandRefusal(.readMemory(user: 1), capabilities: .storedReadings, users: nil) == .noUsers)
        #expect(CommandRefusal(.clear(user: 1), capabilities: .erase, users: 1...2) == .noUsers)
        #expect(CommandRefusal(.readMemory(user: 3), capabilities: both, users: 1...2) == .users(1...2))
        #expect(CommandRefusal(.readMemory(user: 2), capabilities: both, users: 1...2) == nil)
        #expect(CommandRefusal(.readMemory(user: 9), capabilities: both, users: nil) == nil)
    }

    @Test func theSentence_NamesWhatIsMissing() {
        #expect(CommandRefusal.notOffered(.setClock).sentence == "this driver does not offer set_clock")
        #expect(CommandRefusal.users(1...4).sentence == "this cuff has the users 1 to 4")
    }

    /// A session's capabilities are those of its driver's sheet.
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func aSession_OffersWhatItsDriverOffers(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        let session = try #require(driver.makeSession(SessionContext()) as? any FinishingSession)
        let commands = Self.commands.map(\.1)
        for capability in commands {
            #expect(session.capabilities.contains(capability) == driver.capabilities.contains(capability), "\(id) \(capability.words)")
        }
        #expect(session.users == nil || driver.capabilities.contains(.users))
    }
}
