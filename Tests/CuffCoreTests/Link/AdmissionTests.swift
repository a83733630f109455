import Testing

@testable import CuffCore

@Suite struct AdmissionTests {
    private func opened(_ change: (inout LinkState.Setup) -> Void = { _ in }) -> ByteLink {
        var link = ByteLink(change)
        link.handle(.transport(.opened))
        return link
    }

    @Test func readingsOfOneEvent_KeepTheirOrder_AndUnwantedOnesAreLeftOut() {
        var link = opened { $0.accepts = { $0.raw.array[0] % 2 == 0 } }
        link.receive([20, 21, 22, 23, 24])
        #expect(link.effects.last == "submit one [20, 22, 24] through 5")
        let counters = link.state.counters
        #expect(counters.readings == 3 && counters.filtered == 2 && counters.duplicates == 0 && link.state.emitted == 5)
    }

    @Test func readings_AreStoredUnderTheIdentityOfTheirTime() {
        var link = opened()
        link.receive([20, 11, 21])
        #expect(link.batches.map(\.device) == ["one", "new"])
        #expect(link.batches.map { $0.entries.readings.map { $0.raw.array } } == [[[20]], [[21]]])
        #expect(link.batches.map(\.through) == [1, 2])
        #expect(Set(link.batches.flatMap(\.entries.readings).map(\.id)).count == 2)
    }

    /// A duplicate adds nothing to the batch, but its commit must follow.
    @Test func aRepetition_IsCountedAndSubmittedAsNothing() {
        var link = opened { $0.commands = [.information, .follow] }
        link.receive([20, 10])
        link.receive([20])
        #expect(link.effects == ["submit one [] through 2"])
        #expect(link.state.counters.duplicates == 1 && link.state.counters.readings == 1)
    }

    @Test func whatAnEarlierLinkLeft_IsRecognisedUnderTheNameOfItsCuff() {
        var first = opened()
        first.receive([20])
        let left = first.outstanding
        var second = opened { $0.outstanding = { $0 == "one" ? left : OutstandingRecords() } }
        second.receive([20], 500)
        #expect(second.batches.first?.entries.readings.first?.id == first.batches.first?.entries.readings.first?.id)
    }
}
