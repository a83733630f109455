import Testing

@testable import CuffCore

@Suite struct PHDAssociationTests {
    private func request() throws -> PHDAssociationRequest {
        let bytes = try #require(Hex.bytes(PHDVectorTests.request))
        return try PHDAssociationRequest.read(bytes.span).get()
    }

    @Test func onlyOperating_ProcessesReports() {
        for state in PHDState.allCases {
            var association = PHDAssociation()
            association.enter(state)
            #expect(association.processesReports == (state == .operating))
        }
    }

    /// docs/PHD.md §9: after RLRQ or RLRE the agent has sent everything; after its ABRT or another AARQ it has not.
    @Test(arguments: [
        (PHDInput.releaseRequest, PHDAssociation.End.inOrder), (.releaseResponse, .inOrder), (.abort, .byAgent), (.requestKnown, .byAgent),
        (.timeout, .otherwise), (.confirmedReport, .otherwise),
    ])
    func end_FollowsFromTheLastEvent(_ input: PHDInput, _ end: PHDAssociation.End) {
        var association = PHDAssociation()
        association.noteEnd(by: input)
        #expect(association.end == end)
        association.noteLineEnd()
        #expect(association.end == (end == .byAgent ? .otherwise : end))
    }

    @Test func applicant_IsTakenOnce() throws {
        var association = PHDAssociation()
        var taken = [association.takeApplicant()]
        association.hold(try request())
        taken += [association.takeApplicant(), association.takeApplicant()]
        #expect(taken == [nil, try request(), nil])
    }

    @Test func agent_IsNamedWhenItChanges() throws {
        var association = PHDAssociation()
        #expect(association.newAgent() == nil)
        association.begin(try request())
        #expect(association.newAgent()?.id == "00091ffffe000101")
        #expect(association.newAgent() == nil)
        var other = try request()
        other.systemID[7] = 2
        association.begin(other)
        #expect(association.newAgent()?.id == "00091ffffe000102")
    }

    @Test func doubtAboutAnAbort_IsClearedOnce() {
        var association = PHDAssociation()
        var cleared = [association.clearAbort()]
        association.noteAbort()
        cleared += [association.clearAbort(), association.clearAbort()]
        #expect(cleared == [false, true, false])
    }
}
