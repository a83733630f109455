import Testing

@testable import CuffCore

@Suite struct FinishTests {
    /// A session finishes once, and does nothing afterwards, whatever it receives.
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func aFinishedSession_IsSilent(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        var session = driver.makeSession(SessionContext())
        let actions = session.handle(.opened) + session.handle(.closed)
        let ends = actions.filter { if case .finish = $0 { true } else { false } }
        #expect(ends.count == 1)
        let later: [SessionEvent] = [
            .received([0xE2, 0x00, 0x00, 0x00]), .timerFired(.response), .timerFired(.overall), .command(.measure),
            .command(.readMemory(user: nil)), .closed,
        ]
        for event in later { #expect(session.handle(event).isEmpty, "\(event)") }
    }
}
