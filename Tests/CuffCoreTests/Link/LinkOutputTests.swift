import Testing

@testable import CuffCore

@Suite struct LinkOutputTests {
    @Test func answers_AreMatchedByTheirBytes_ThenByTheirOrder() {
        var output = LinkOutput()
        output.append([1])
        output.append([2])
        #expect(output.sent([2]) == .presentSession, "an earlier write was lost")
        #expect(output.sent([9]) == .other, "foreign bytes answer the first write")
        #expect(output.isEmpty)
        #expect(output.sent([1]) == .other)
    }

    @Test func writesOfAFormerSession_AreItsOwn() {
        var output = LinkOutput()
        output.append([1])
        output.sessionBegins()
        output.append([1])
        #expect(output.sent([1]) == .formerSession)
        #expect(output.sent([1]) == .presentSession)
    }

    @Test(arguments: [0, 1, 2, 3]) func anAcknowledgement_IsLostUntilItsWriteIsSent(_ answered: Int) {
        var output = LinkOutput()
        output.append([1])
        output.acknowledgeNext(true)
        output.append([2])
        output.append([3])
        for byte in [1, 2, 3].prefix(answered) { _ = output.sent([UInt8(byte)]) }
        let answer1 = output.loseAcknowledgement()
        #expect(answer1 == (answered < 2))
        let answer2 = output.loseAcknowledgement()
        #expect(!answer2, "once")
    }

    @Test func theAcknowledgementOfAnEvent_IsNotTheWriteOfTheNext() {
        var output = LinkOutput()
        output.acknowledgeNext(true)
        output.acknowledgeNext(false)
        output.append([1])
        let answer3 = output.loseAcknowledgement()
        #expect(!answer3)
    }

    @Test func theOutput_IsFullBeyondItsLimit() {
        var output = LinkOutput()
        output.append([UInt8](repeating: 0, count: LinkState.outputLimit))
        #expect(!output.isFull)
        output.append([1])
        #expect(output.isFull)
        _ = output.sent([1])
        #expect(!output.isFull && !output.isEmpty)
    }

    @Test func ignoredWrites_LeaveNothing() {
        var output = LinkOutput()
        output.append([UInt8](repeating: 0, count: LinkState.outputLimit + 1))
        output.ignoreWrites()
        output.append([1])
        #expect(output.isEmpty && !output.isFull)
    }
}
