import Testing

@testable import CuffCore

@Suite struct LinkStateTests {
    private func opened(_ link: ByteLink) -> ByteLink {
        var link = link
        link.handle(.transport(.opened))
        return link
    }

    /// The state that a killed process must leave: outstanding before the reading is submitted, and no longer before the acknowledgement is
    /// written.
    @Test func outstandingRecords_ArePersistedBeforeTheReadingAndBeforeItsAcknowledgement() {
        var link = opened(ByteLink())
        link.receive([20])
        #expect(link.effects == ["persist 1 durably", "submit one [20] through 1"])
        link.handle(.committed(through: 1))
        #expect(link.effects == ["persist 0", "write ac"])
    }

    @Test func anUnsentAcknowledgement_IsLostWithTheTransport() {
        for isSent in [false, true] {
            var link = opened(ByteLink())
            link.receive([20])
            link.handle(.committed(through: 1))
            if isSent { link.handle(.transport(.sent([0xAC]))) }
            link.handle(.transport(.closed(nil)))
            #expect(link.effects.first == (isSent ? "finished follow aborted(\"the line was closed\")" : "persist 1 durably"))
        }
    }

    @Test func aCuffThatForgets_HearsNoCommitOfSinksThatStoreNothing() {
        for (capabilities, effects) in [(Capabilities([.push]), ["persist 0", "write ac"]), ([.push, .forgets], [])] {
            var link = opened(ByteLink(capabilities: capabilities))
            link.receive([20])
            link.handle(.passedOn(through: 1))
            #expect(link.effects == effects)
        }
    }

    @Test func theLastWrites_AreSentBeforeTheClose_WithinTwoSeconds() {
        for isSent in [true, false] {
            var link = opened(ByteLink { $0.commands = [.information] })
            link.receive([1, 10])
            #expect(link.effects == ["write 01", "finished information complete"])
            #expect(link.state.deadline == .seconds(2) && !link.state.isEnded)
            if isSent { link.handle(.transport(.sent([1])), 1) } else { link.handle(.timePassed, 2) }
            #expect(link.effects == ["close", "ended complete"] && link.state.isEnded && link.state.deadline == nil)
            link.receive([20], 3)
            #expect(link.effects.isEmpty && link.state.counters.readings == 0, "the link is over")
        }
    }

    @Test func eachCommand_HasASessionOfItsOwn_AndCountsItsCommits() {
        var link = opened(ByteLink { $0.commands = [.information, .follow] })
        link.receive([20, 10])
        #expect(link.effects == ["persist 1 durably", "submit one [20] through 1", "finished information complete"])
        link.handle(.committed(through: 1))
        #expect(link.effects.isEmpty, "the reading was the former session's")
        link.receive([21])
        link.handle(.committed(through: 2))
        #expect(link.effects.last == "write ac")
    }

    @Test func aStop_LetsTheSessionWriteItsClosingMessage() {
        var plain = opened(ByteLink())
        plain.handle(.stop(within: .seconds(4)))
        #expect(plain.effects.suffix(2) == ["close", "ended aborted(\"the line was closed\")"])
        var closing = opened(ByteLink(hasClosingMessage: true))
        closing.handle(.stop(within: .seconds(4)))
        #expect(closing.effects == ["write ed"] && closing.state.deadline == .seconds(4))
        closing.handle(.timePassed, 4)
        #expect(closing.state.isEnded)
    }

    @Test func fullSinks_PauseTheReadingAndTheSessionsTimers() {
        var link = opened(ByteLink())
        link.receive([0])
        link.handle(.sinksFull(true), 1)
        #expect(link.effects == ["pause"] && link.state.isReadingPaused && link.state.deadline == nil)
        link.handle(.timePassed, 9)
        #expect(link.effects.isEmpty)
        link.handle(.sinksFull(false), 11)
        #expect(link.effects == ["resume"] && link.state.deadline == .seconds(15))
        #expect(link.state.counters.pauses == 1 && link.state.counters.paused == .seconds(10))
    }

    @Test func aMeasurement_BeginsOnlyWhereTheLinkListens() {
        var link = opened(ByteLink(capabilities: [.push, .measure]))
        #expect(link.state.isListening)
        link.handle(.measureNow(.automatic))
        #expect(link.effects == ["command measure"] && link.state.isMeasuring && !link.state.isListening)
        link.handle(.measureNow(.automatic))
        #expect(link.effects.isEmpty)
        link.receive([10])
        #expect(link.effects.contains("finished measure complete") && link.state.isListening)
    }

    @Test func aMeasurementThatIsTooLong_IsStopped_UntilTheCuffConfirms() {
        var link = opened(ByteLink(capabilities: [.push, .measure, .stop]))
        link.handle(.measureNow(.automatic))
        link.handle(.timePassed, 300)
        #expect(link.effects.filter { $0 == "command stop" }.count == 2, "\(link.effects)")
        #expect(!link.state.isListening && !link.state.isMeasuring)
        link.receive([10], 301)
        #expect(link.effects.contains("finished stop complete") && link.state.isListening)
        // One that ended is not stopped.
        link.handle(.measureNow(.automatic), 302)
        link.receive([10], 303)
        #expect(!link.effects.contains("command stop") && link.state.isListening)
    }

    /// A refused start may come from a cuff that is still inflated by the earlier measurement.
    @Test func aRefusedStart_IsFollowedByAStop_WhereAnEarlierMeasurementMayStillRun() {
        for (mayStillRun, stops) in [(true, 1), (false, 0)] {
            var link = opened(ByteLink(capabilities: [.push, .measure, .stop]))
            link.handle(.measureNow(.automatic, mayStillRun: mayStillRun))
            link.receive([12], 1)
            #expect(link.effects.count { $0 == "command stop" } == stops && link.state.isListening == !mayStillRun, "\(link.effects)")
            // The stop is confirmed.
            if mayStillRun { link.receive([10], 2) }
            #expect(link.state.isListening)
            link.handle(.measureNow(.automatic), 3)
            link.receive([12], 4)
            #expect(!link.effects.contains("command stop") && link.state.isListening)
        }
    }

    @Test func aSilentLine_IsClosed() {
        var link = opened(ByteLink { $0.silenceLimit = .seconds(10) })
        link.receive([20], 9)
        link.handle(.timePassed, 10)
        #expect(link.state.isEnded, "this family has no frames that could be understood")
        #expect(link.effects.first == "nothing that could be understood came within 10 s; the line is closed")
    }

    @Test func theErrorOfTheTransport_IsTheReasonOfTheEnd() {
        struct Broken: Error, CustomStringConvertible { var description: String { "the wire broke" } }
        var link = opened(ByteLink())
        link.handle(.transport(.closed(Broken())))
        #expect(link.effects.last == "ended aborted(\"the wire broke\")")
    }
}
