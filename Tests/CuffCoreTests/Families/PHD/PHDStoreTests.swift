import Testing

@testable import CuffCore

/// Edge cases of the PM-store, and the clock commands.
@Suite struct PHDStoreTests {
    private static let cuff = PHDSimulatedCuff(["store": "yes"])
    private static let records = SimulatedRecord.sample(count: 6, seed: 5)

    /// A manager that has just triggered the transfer of segment 1, which holds six entries.
    private func transferring(_ command: SessionCommand = .readMemory(user: nil)) -> PHDVectorTests.Manager {
        let cuff = Self.cuff
        var manager = PHDVectorTests.Manager(command)
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(cuff.storeDescription(invoke: 2, segments: [Self.records])))
        manager.play(.received(cuff.segmentInfo(invoke: 3, segments: [Self.records])))
        manager.play(.received(cuff.triggerResult(invoke: 4, instance: 1, 0)))
        return manager
    }

    private func entries(_ range: Range<Int>, invoke: UInt16) -> [UInt8] {
        Self.cuff.segmentData(invoke: invoke, instance: 1, Self.records, range)
    }

    /// The status in a reply to a segment event.
    private func status(_ manager: PHDVectorTests.Manager) -> String? {
        manager.writes.last { $0.hasPrefix("e700001e001c") }.map { String($0.suffix(4)) }
    }

    @Test func transfer_IsConfirmedEventByEvent_AndFinishes() {
        var manager = transferring()
        #expect(manager.writes.last == "e7000010000e00040107000800080c1c00020001")
        manager.play(.received(entries(0..<4, invoke: 9)))
        #expect(status(manager) == "0080" && manager.readings.count == 4)
        manager.play(.received(entries(4..<6, invoke: 10)))
        #expect(manager.readings.count == 6)
        #expect(manager.readings.allSatisfy { $0.origin == .memory })
        #expect(manager.writes.last == "e40000020000")
        manager.take("e50000020000")
        #expect(manager.actions.contains { if case .finish(.complete) = $0 { true } else { false } })
    }

    @Test func repeatedEvent_IsConfirmedAgainUnderTheSameIds() {
        var manager = transferring()
        manager.play(.received(entries(0..<4, invoke: 9)))
        manager.play(.received(entries(0..<4, invoke: 10)))
        #expect(Set(manager.readings.map { $0.raw.array }).count == 4)
        #expect(manager.writes.filter { $0.hasPrefix("e700001e001c") }.count == 2)
    }

    @Test func hole_StopsTheTransferAndBeginsAgain() {
        var manager = transferring()
        manager.play(.received(entries(4..<6, invoke: 9)))
        #expect(status(manager) == "0008" && manager.readings.isEmpty)
        #expect(manager.writes.last?.hasSuffix("0c1c00020001") == true)
    }

    @Test func overdueTransfer_IsStopped_AndBegunAgainTwice() {
        var manager = transferring(.follow)
        for round in 1...2 {
            manager.play(.timerFired(.store))
            // Remaining entries are stopped.
            manager.play(.received(entries(0..<4, invoke: 9)))
            #expect(status(manager) == "0008" && manager.readings.isEmpty)
            manager.writes = []
            manager.play(.timerFired(.retry))
            #expect(manager.writes.map { String($0.suffix(12)) } == ["0c1c00020001"], "round \(round)")
            manager.play(.received(Self.cuff.triggerResult(invoke: UInt16(4 + round), instance: 1, 0)))
        }
        manager.play(.timerFired(.store))
        manager.writes = []
        manager.play(.timerFired(.retry))
        #expect(manager.writes.isEmpty)
        // Finally in time, it would have been whole: the first entry counts again from the beginning.
        manager.play(.received(entries(0..<4, invoke: 10)))
        #expect(status(manager) == "0008" && manager.readings.isEmpty)
    }

    @Test func overdueTransfer_ThatIsBegunAgain_IsWhole() {
        var manager = transferring()
        manager.play(.received(entries(0..<4, invoke: 9)))
        manager.play(.timerFired(.store))
        manager.play(.timerFired(.retry))
        manager.play(.received(Self.cuff.triggerResult(invoke: 5, instance: 1, 0)))
        manager.play(.received(entries(0..<4, invoke: 10)))
        manager.play(.received(entries(4..<6, invoke: 11)))
        #expect(Set(manager.readings.map { $0.raw.array }).count == 6)
        manager.take("e50000020000")
        #expect(manager.actions.contains { if case .finish(.complete) = $0 { true } else { false } })
    }

    @Test func entriesThatDoNotFill_AreRejected() {
        var manager = transferring()
        var event = entries(0..<4, invoke: 9)
        event[31] = 5  // five announced, four sent
        manager.play(.received(event))
        #expect(manager.readings.isEmpty)
        #expect(manager.writes.contains("e700000a00080009040000020002"))
        // Possibly damaged: the segment is requested once more.
        manager.writes = []
        manager.play(.timerFired(.retry))
        #expect(manager.writes.map { String($0.suffix(12)) } == ["0c1c00020001"])
    }

    @Test func unknownEntryHeader_LeavesTheSegmentAlone() {
        var manager = PHDVectorTests.Manager(.clear(user: nil))
        manager.play(.received(Self.cuff.associationRequest))
        manager.play(.received(Self.cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(Self.cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(Self.cuff.storeDescription(invoke: 2, segments: [Self.records])))
        var info = Self.cuff.segmentInfo(invoke: 3, segments: [Self.records])
        let map = (0..<info.count - 1).first { info[$0] == 0x0A && info[$0 + 1] == 0x4E } ?? 0
        info[map + 4] |= 0x08
        manager.play(.received(info))
        // Not transferred, so not cleared and not reported as such.
        #expect(manager.writes.last == "e40000020000")
        #expect(!manager.writes.contains { $0.contains("0c1c") || $0.contains("0c0c") })
        manager.take("e50000020000")
        #expect(manager.actions.contains { if case .finish(.failed) = $0 { true } else { false } })
    }

    @Test func nothingIsCleared_BeforeEveryEntryIsOnDisk() {
        var manager = transferring(.clear(user: nil))
        manager.commits = false
        manager.play(.received(entries(0..<6, invoke: 9)))
        #expect(manager.readings.count == 6)
        #expect(status(manager) == nil)
        manager.play(.committed(through: 5))
        #expect(status(manager) == nil && !manager.writes.contains { $0.contains("0c0c") })
        manager.play(.committed(through: 6))
        #expect(status(manager) == "0080")
        manager.play(.received(Self.cuff.segmentInfo(invoke: 5, segments: [Self.records])))
        #expect(manager.writes.last?.contains("0c0c000a00020006000100020001") == true)
    }

    @Test func storeThatGrew_IsFetchedAgainBeforeItIsCleared() {
        var manager = transferring(.clear(user: nil))
        manager.play(.received(entries(0..<6, invoke: 9)))
        let more = Self.records + SimulatedRecord.sample(count: 1, seed: 8)
        manager.play(.received(Self.cuff.segmentInfo(invoke: 5, segments: [more])))
        #expect(manager.writes.last?.hasSuffix("0c1c00020001") == true)
        #expect(!manager.writes.contains { $0.contains("0c0c") })
    }

    /// docs/PHD.md §8.4: only segments that sent as many entries as Segment-Usage-Count are cleared.
    @Test(arguments: [5, 7, nil] as [UInt8?]) func storeThatDoesNotSendWhatItAnnounced_IsNotCleared(_ announced: UInt8?) {
        func info(_ invoke: UInt16) -> [UInt8] {
            var info = Self.cuff.segmentInfo(invoke: invoke, segments: [Self.records])
            let place = (0..<info.count - 1).first { info[$0] == 0x09 && info[$0 + 1] == 0x7B } ?? 0
            // Without an announcement, the count is under another number.
            if let announced { info[place + 7] = announced } else { info[place + 1] = 0x7C }
            return info
        }
        let cuff = Self.cuff
        var manager = PHDVectorTests.Manager(.clear(user: nil))
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(cuff.storeDescription(invoke: 2, segments: [Self.records])))
        manager.play(.received(info(3)))
        manager.play(.received(cuff.triggerResult(invoke: 4, instance: 1, 0)))
        manager.play(.received(entries(0..<6, invoke: 9)))
        #expect(manager.readings.count == 6 && status(manager) == "0080")
        manager.play(.received(info(5)))
        #expect(!manager.writes.contains { $0.contains("0c0c") })
        manager.take("e50000020000")
        #expect(manager.actions.contains { if case .finish(.failed) = $0 { true } else { false } })
    }

    /// A manager with the command to set the clock and the agent's clock capability.
    private func clockSetter(_ capability: UInt16, _ time: DeviceTime) -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager(.setClock(time))
        manager.take(PHDVectorTests.request)
        manager.play(
            .received(
                PHDWriter.presentation(invoke: 1, PHDMessage.getResult) {
                    $0.append16(0)
                    $0.list(1) {
                        $0.attribute(PHDAttribute.timeInfo) {
                            $0.append([UInt8(capability >> 8), UInt8(capability & 255)] + [UInt8](repeating: 0, count: 14))
                        }
                    }
                }))
        return manager
    }

    @Test func baseOffsetClock_IsSetWithItsZone() {
        var time = DeviceTime(year: 2026, month: 5, day: 17, hour: 10, minute: 46, second: 40)
        time.utcOffset = 60
        #expect(clockSetter(0x4100, time).writes.last == "e70000160014000201 07000e00000c1d0008edb40d000000003c".replacing(" ", with: ""))
        let zoneless = clockSetter(0x4100, DeviceTime(year: 2026, month: 5, day: 17))
        #expect(zoneless.writes.last == "e40000020000")
    }

    @Test func fixedClock_IsNotSet() {
        var manager = clockSetter(0x8000, DeviceTime(year: 2026, month: 5, day: 17))
        #expect(!manager.writes.contains { $0.contains("0c17") })
        manager.take("e50000020000")
        #expect(manager.actions.contains { if case .finish(.unsupported) = $0 { true } else { false } })
    }
}
