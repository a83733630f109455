import Testing

@testable import CuffCore

@Suite struct LinkDeadlinesTests {
    @Test func theEarliestFiresFirst_AndOfEqualOnesTheOneArmedFirst() {
        var deadlines = LinkDeadlines()
        deadlines.arm(.stop, at: .seconds(3))
        deadlines.arm(.poll, after: .seconds(2), now: .zero)
        deadlines.arm(.silence, at: .seconds(2))
        #expect(deadlines.next == .seconds(2))
        #expect(deadlines.removeDue(at: .milliseconds(1999)) == nil)
        #expect(deadlines.removeDue(at: .seconds(9)) == .session(.poll))
        #expect(deadlines.removeDue(at: .seconds(9)) == .silence)
        #expect(deadlines.removeDue(at: .seconds(9)) == .stop)
        #expect(deadlines.removeDue(at: .seconds(9)) == nil && deadlines.next == nil)
    }

    @Test func armingAgain_ReplacesTheTimer() {
        var deadlines = LinkDeadlines()
        deadlines.arm(.response, after: .seconds(1), now: .zero)
        deadlines.arm(.response, after: .seconds(5), now: .zero)
        #expect(deadlines.next == .seconds(5))
        deadlines.disarm(.session(.response))
        #expect(deadlines.next == nil)
    }

    /// While the sinks are full a session's timers wait, but the link's own do not.
    @Test func frozenTimers_AreLaterByTheTimeOfTheFreeze() {
        var deadlines = LinkDeadlines()
        deadlines.arm(.response, after: .seconds(4), now: .zero)
        deadlines.arm(.measurement, at: .seconds(8))
        deadlines.freeze(at: .seconds(1))
        #expect(deadlines.next == .seconds(8))
        deadlines.arm(.poll, after: .seconds(1), now: .seconds(6))
        deadlines.thaw(at: .seconds(11))
        #expect(deadlines.removeDue(at: .seconds(11)) == .measurement)
        #expect(deadlines.removeDue(at: .seconds(12)) == .session(.poll))
        #expect(deadlines.next == .seconds(14))
    }

    @Test func theEndOfASession_LeavesTheTimersOfTheLink() {
        var deadlines = LinkDeadlines()
        deadlines.arm(.overall, after: .seconds(1), now: .zero)
        deadlines.arm(.stop, at: .seconds(2))
        deadlines.endSession()
        #expect(deadlines.next == .seconds(2))
        deadlines.removeAll()
        #expect(deadlines.next == nil)
    }
}
