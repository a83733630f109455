import Testing

@testable import CuffCore

@Suite struct ConversationTests {
    private struct Session: CuffSession {
        var unread: [UInt8] = []
        var received = 0
        var frames: Int? { received }
        mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
            if case .received(let bytes) = event {
                received += 1
                unread = bytes
            }
        }
        mutating func takeUnread() -> [UInt8] { unread }
    }

    private func conversation(_ commands: [SessionCommand]) -> (CuffCore.Conversation, LinkState.Setup) {
        let driver = CuffDriver(
            id: "talk", models: ["none"], summary: "a test", grade: .a, testedOn: .derived, line: LineSettings(rate: 9600),
            framing: "none", check: "none", capabilities: [.push], changes: "nothing", sources: ["a test"],
            makeSession: { _ in Session() }, makeSimulator: CuffDriver.r1.makeSimulator)
        let setup = LinkState.Setup(driver, commands: commands)
        return (CuffCore.Conversation(setup), setup)
    }

    @Test func commands_AreExecutedInOrder_OnceTheTransportIsOpen() {
        var (talk, _) = conversation([.information, .follow])
        #expect(talk.phase == .waiting && talk.nextCommand() == nil && !talk.commands.isEmpty)
        talk.phase = .open
        #expect(talk.nextCommand() == .information && talk.command == .information && !talk.isListening)
        #expect(talk.nextCommand() == .follow && talk.isListening && talk.isLast)
        #expect(talk.nextCommand() == nil && talk.command == .follow)
        talk.isTransportClosed = true
        #expect(!talk.isListening)
    }

    @Test func commits_AreCountedFromTheBeginningOfTheSession() {
        var (talk, setup) = conversation([])
        func through(_ count: Int) -> Int? {
            if case .committed(let through)? = talk.committed(through: count) { through } else { nil }
        }
        #expect(through(3) == 3)
        talk.beginSession(setup, emitted: 5)
        #expect(through(5) == nil && through(7) == 2)
    }

    @Test func frames_AreThoseOfAllSessions() {
        var (talk, setup) = conversation([])
        var actions = SessionActions()
        talk.handle(.received([1]), into: &actions)
        talk.handle(.received([2]), into: &actions)
        talk.beginSession(setup, emitted: 0)
        talk.handle(.received([3]), into: &actions)
        #expect(talk.frames == 3)
    }

    @Test func theFirstOutcome_Counts() {
        var (talk, _) = conversation([])
        talk.finish(.failed("first"))
        talk.finish(.complete)
        #expect(talk.outcome == .failed("first"))
    }

    @Test func unreadBytes_BelongToASessionThatOnlyListens() {
        for (next, outcome, isGiven) in [
            (SessionCommand.follow, Outcome.complete, true), (.follow, .failed("x"), false), (.measure, .complete, false),
        ] {
            var (talk, _) = conversation([next])
            var actions = SessionActions()
            talk.handle(.received([7]), into: &actions)
            #expect(talk.removeUnread(after: outcome) == (isGiven ? [7] : []))
        }
    }

    @Test func pendingCommands_WaitForAnOpenTransport() {
        var (talk, _) = conversation([])
        talk.pending.append(.measure)
        talk.pending.append(.stop)
        #expect(talk.nextPending() == nil)
        talk.phase = .open
        #expect(talk.nextPending() == .measure && talk.nextPending() == .stop && talk.nextPending() == nil)
    }
}
