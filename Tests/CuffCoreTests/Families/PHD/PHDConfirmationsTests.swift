import Testing

@testable import CuffCore

@Suite struct PHDConfirmationsTests {
    private static func head(_ invoke: UInt16) -> PHDReportHead {
        PHDReportHead(invoke: invoke, handle: 0, event: PHDEvent.scanFixed, isConfirmed: true)
    }

    /// The invoke-ids of each due write.
    private static func due(_ confirmations: inout PHDConfirmations) -> [[UInt16]] {
        var writes: [[UInt16]] = []
        while true {
            let places = confirmations.nextDue()
            if places.isEmpty { break }
            writes.append(confirmations[places].map(\.invoke))
        }
        confirmations.removeConfirmed()
        return writes
    }

    @Test func nothingIsConfirmed_BeforeItsReadingsAreStored() {
        var confirmations = PHDConfirmations()
        for invoke in [1, 2, 3] as [UInt16] {
            confirmations.noteEmitted(2)
            confirmations.append(Self.head(invoke), digest: 0)
        }
        #expect(Self.due(&confirmations).isEmpty && confirmations.due == nil)
        confirmations.noteCommitted(through: 3)
        #expect(confirmations.due == 2)
        #expect(Self.due(&confirmations) == [[1]])
        #expect(confirmations.areDue && confirmations.isCommitOutstanding)
        confirmations.noteCommitted(through: 6)
        #expect(Self.due(&confirmations) == [[2, 3]])
        #expect(!confirmations.areDue && confirmations.count == 0)
    }

    @Test func segmentEvents_HaveWritesOfTheirOwn() {
        var confirmations = PHDConfirmations()
        confirmations.append(Self.head(1), digest: 0)
        confirmations.append(Self.head(2), digest: 0, segment: PHDSegmentEvent(instance: 1, index: 0, count: 1, status: 0xC000))
        confirmations.append(Self.head(3), digest: 0)
        #expect(Self.due(&confirmations) == [[1], [2], [3]])
    }

    /// 4096 bytes hold 186 confirmations of 22; the one that crosses the limit is still in the write.
    @Test func longWrites_AreCut() {
        var confirmations = PHDConfirmations()
        for invoke in 1...500 as ClosedRange<UInt16> { confirmations.append(Self.head(invoke), digest: 0) }
        #expect(Self.due(&confirmations).map(\.count) == [187, 187, 126])
    }

    @Test func removeAll_ForgetsWhatWaits() {
        var confirmations = PHDConfirmations()
        confirmations.append(Self.head(1), digest: 0)
        confirmations.removeAll()
        #expect(Self.due(&confirmations).isEmpty)
    }
}
