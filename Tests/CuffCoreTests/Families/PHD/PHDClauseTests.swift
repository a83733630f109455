import Testing

@testable import CuffCore

/// Clauses of the protocol that the other tests do not cover: each event type, each timer, each limit.
@Suite struct PHDClauseTests {
    private typealias Manager = PHDVectorTests.Manager

    /// Handle 1: pressures; handle 2: pulse; handle 9: a scanner over both.
    private static let scanning: [UInt8] = PHDStandardConfiguration.list([
        PHDStandardConfiguration.numeric(
            1, 18948, spec: 0xF040, unit: 3872, map: [(0x0A75, 10), (0x0990, 8)], metrics: [18949, 18950, 18951]),
        PHDStandardConfiguration.numeric(2, 18474, spec: 0xF040, unit: 2720, map: [(0x0A4C, 2), (0x0990, 8)]),
        PHDStandardConfiguration.object(0x0012, 9, count: 1) {
            $0.attribute(PHDAttribute.scanMap) {
                $0.list(2) {
                    $0.append16(1)
                    PHDStandardConfiguration.map([(0x0A75, 10), (0x0990, 8)], into: &$0)
                    $0.append16(2)
                    PHDStandardConfiguration.map([(0x0A4C, 2), (0x0990, 8)], into: &$0)
                }
            }
        },
    ])

    private static let stamp: [UInt8] = [0x20, 0x26, 0x11, 0x20, 0x07, 0x10, 0x12, 0x00]
    private static let pressures: [UInt8] = [0, 3, 0, 6, 0, 118, 0, 76, 0, 90]
    private static let pulse: [UInt8] = [0, 64]

    /// An agent whose configuration has a scanner, in Operating; earlier writes are dropped.
    private static func scanned(_ options: [String: String] = [:]) -> Manager {
        var manager = Manager(options: options)
        manager.take(PHDVectorTests.request.replacing("02bc", with: "4001"))
        manager.play(
            .received(
                PHDWriter.presentation(invoke: 1, PHDMessage.confirmedEventReport) {
                    $0.append16(0)
                    $0.append32(0xFFFF_FFFF)
                    $0.append16(PHDEvent.configuration)
                    $0.counted {
                        $0.append16(0x4001)
                        $0.append(scanning)
                    }
                }))
        return manager
    }

    private static func body(_ shape: PHDEvent.Shape) -> [UInt8] {
        var writer = PHDWriter()
        func items(_ writer: inout PHDWriter) {
            switch shape.body {
            case .fixed:
                writer.list(2) {
                    $0.append16(1)
                    $0.counted { $0.append(pressures + stamp) }
                    $0.append16(2)
                    $0.counted { $0.append(pulse + stamp) }
                }
            case .variable:
                writer.list(2) {
                    $0.append16(1)
                    $0.list(2) {
                        $0.attribute(0x0A75) { $0.append(pressures) }
                        $0.attribute(0x0990) { $0.append(stamp) }
                    }
                    $0.append16(2)
                    $0.list(2) {
                        $0.attribute(0x0A4C) { $0.append(pulse) }
                        $0.attribute(0x0990) { $0.append(stamp) }
                    }
                }
            case .grouped: writer.list(1) { $0.counted { $0.append(pressures + stamp + pulse + stamp) } }
            }
        }
        if shape.hasPersons {
            writer.list(1) {
                $0.append16(5)
                if shape.body == .grouped {
                    $0.counted { $0.append(pressures + stamp + pulse + stamp) }
                } else {
                    items(&$0)
                }
            }
        } else {
            items(&writer)
        }
        return writer.bytes
    }

    /// docs/PHD.md §6: all sixteen, each confirmed and unconfirmed.
    @Test(arguments: Array(UInt16(0x0D1D)...0x0D20) + Array(UInt16(0x0D22)...0x0D2D), [true, false])
    func everyEventType_IsRead(_ event: UInt16, _ isConfirmed: Bool) throws {
        let shape = try #require(PHDEvent.shape(event))
        var manager = Self.scanned()
        manager.writes = []
        let handle: UInt16 = shape.isScanner ? 9 : 0
        manager.play(
            .received(
                PHDWriter.presentation(invoke: 0x0307, isConfirmed ? PHDMessage.confirmedEventReport : PHDMessage.eventReport) {
                    $0.append16(handle)
                    $0.append32(0xFFFF_FFFF)
                    $0.append16(event)
                    $0.counted {
                        $0.append16(0xF000)
                        $0.append16(0)
                        $0.append(Self.body(shape))
                    }
                }))
        #expect(manager.readings.count == 1)
        let reading = try #require(manager.readings.first)
        #expect(reading.bloodPressure?.systolic == Pressure(Digits(118), .mmHg))
        #expect(reading.bloodPressure?.pulse == PulseRate(Digits(64)))
        #expect(reading.user == (shape.hasPersons ? 5 : nil))
        #expect(reading.clock.time == DeviceTime(year: 2026, month: 11, day: 20, hour: 7, minute: 10, second: 12, hundredths: 0))
        // Handle and event type are copied; unconfirmed events get no answer.
        let answer =
            "e700001200100307020100" + "0a" + Hex.text([0, UInt8(handle)], separator: "") + "ffffffff"
            + Hex.text([0x0D, UInt8(event & 255)], separator: "") + "0000"
        #expect(manager.writes.filter { $0.hasPrefix("e7000012") } == (isConfirmed ? [answer] : []))
    }

    @Test func reportOfAnObjectThatIsNoScanner_IsNoSuchObject() {
        var manager = Self.scanned()
        manager.writes = []
        manager.play(
            .received(
                PHDWriter.presentation(invoke: 0x4D, PHDMessage.confirmedEventReport) {
                    $0.append16(7)
                    $0.append32(0xFFFF_FFFF)
                    $0.append16(0x0D23)
                    $0.counted { $0.append([0xF0, 0, 0, 0, 0, 0, 0, 0]) }
                }))
        #expect(manager.writes == ["e700000c000a004d0300000400010000"])
    }

    /// The list may hold several; the first acceptable 20601 entry counts (Antidote uses only the first).
    @Test func secondProtocolEntry_IsLookedAtToo() {
        let plain = Hex.bytes(PHDVectorTests.request) ?? []
        let info = Array(plain[16...])
        var refused = info
        refused[0] = 0x40  // protocol version 2 alone
        var writer = PHDWriter()
        writer.append16(PHDChoice.associationRequest)
        writer.counted {
            $0.append32(0x8000_0000)
            $0.list(3) {
                for entry in [(UInt16(0xFFFF), [UInt8](repeating: 7, count: 20)), (0x5079, refused), (0x5079, info)] {
                    $0.append16(entry.0)
                    $0.counted { $0.append(entry.1) }
                }
            }
        }
        var manager = Manager()
        manager.play(.received(writer.bytes))
        #expect(manager.writes.first?.hasPrefix("e300002c0000") == true)
    }

    @Test func agentThatIsNotNamed_IsRefused() {
        var manager = Manager(options: ["agents": "0102030405060708+00091FFFFE000102"])
        manager.take(PHDVectorTests.request)
        #expect(manager.writes.first?.hasPrefix("e300002c0007") == true && manager.session.state == .unassociated)
        var named = Manager(options: ["agents": "0102030405060708+00091FFFFE000101"])
        named.take(PHDVectorTests.request)
        #expect(named.writes.first?.hasPrefix("e300002c0000") == true && named.session.state == .operating)
    }

    private static func armed(_ manager: Manager) -> [TimerID: Duration] {
        var armed: [TimerID: Duration] = [:]
        for action in manager.actions {
            if case .arm(let timer, let duration) = action { armed[timer] = duration }
            if case .disarm(let timer) = action { armed[timer] = nil }
        }
        return armed
    }

    /// docs/PHD.md §9.1, with the effect of each.
    @Test func timers_HaveTheirLengths() {
        var waiting = Manager()
        waiting.take(PHDVectorTests.request.replacing("02bc", with: "4000"))
        #expect(Self.armed(waiting)[.configuration] == .seconds(10))
        waiting.play(.timerFired(.configuration))
        #expect(waiting.writes.last == "e60000020003" && waiting.session.state == .unassociated)

        var operating = Manager()
        operating.take(PHDVectorTests.request)
        #expect(Self.armed(operating)[.response] == .seconds(3))  // TOget
        #expect(Self.armed(operating)[.idle] == .seconds(1800))
        // An unanswered GET MDS is skipped.
        operating.play(.timerFired(.response))
        #expect(operating.session.state == .operating && !operating.writes.contains { $0.hasPrefix("e6") })
        operating.play(.timerFired(.idle))
        operating.play(.timerFired(.idle))
        #expect(operating.writes.last == "e40000020000")
        #expect(Self.armed(operating)[.release] == .seconds(3))
        operating.play(.timerFired(.release))
        #expect(operating.writes.last == "e60000020002" && operating.session.state == .unassociated)
        // The ABRT is repeated a TOassoc apart, three times.
        #expect(Self.armed(operating)[.lostAbort] == .seconds(10))
        for _ in 0..<5 { operating.play(.timerFired(.lostAbort)) }
        #expect(operating.writes.filter { $0.hasPrefix("e6") }.count == 4)
    }

    /// A manager that triggered the transfer of segment 1 of an agent with this Transfer- and Clear-Timeout, in ticks.
    private static func store(_ command: SessionCommand, transfer: UInt32, records: [SimulatedRecord]) -> Manager {
        let cuff = PHDSimulatedCuff(["store": "yes"])
        var manager = Manager(command)
        manager.play(.received(cuff.associationRequest))
        manager.play(.received(cuff.configurationReport(invoke: 1, id: 0x4000)))
        manager.play(.received(cuff.description(invoke: 1, clock: DeviceTime(year: 2026, month: 5, day: 5))))
        manager.play(.received(cuff.storeDescription(invoke: 2, segments: [records])))
        var info = cuff.segmentInfo(invoke: 3, segments: [records])
        for place in 0..<(info.count - 7) where info[place] == 0x0A && info[place + 1] == 0x64 {
            for (index, shift) in [24, 16, 8, 0].enumerated() { info[place + 4 + index] = UInt8(transfer >> UInt32(shift) & 255) }
        }
        manager.play(.received(info))
        manager.play(.received(cuff.triggerResult(invoke: 4, instance: 1, 0)))
        return manager
    }

    @Test func storeTimers_AreTheAgents() {
        let records = SimulatedRecord.sample(count: 2, seed: 1)
        // 240000 ticks of 125 µs are 30 s; default: a minute; at least the time of an answer.
        for (ticks, limit) in [(UInt32(240_000), Duration.seconds(30)), (0, .seconds(60)), (8, .seconds(3))] {
            #expect(Self.armed(Self.store(.follow, transfer: ticks, records: records))[.store] == limit)
        }
        let cuff = PHDSimulatedCuff(["store": "yes"])
        var clearing = Self.store(.clear(user: nil), transfer: 0, records: records)
        clearing.play(.received(cuff.segmentData(invoke: 9, instance: 1, records, 0..<2)))
        clearing.play(.received(cuff.segmentInfo(invoke: 5, segments: [records])))
        #expect(clearing.writes.last?.contains("0c0c000a") == true)
        // TOclr: 24000 ticks, as in the simulated agent, and at least the time of an answer.
        #expect(Self.armed(clearing)[.response] == .seconds(3))
    }

    @Test func transferThatTheAgentBrokeOff_IsBegunAgain_TwiceAtMost() {
        let records = SimulatedRecord.sample(count: 4, seed: 1)
        let cuff = PHDSimulatedCuff(["store": "yes"])
        var manager = Self.store(.clear(user: nil), transfer: 0, records: records)
        for round in 1...3 {
            var event = cuff.segmentData(invoke: 9, instance: 1, records, 0..<2)
            manager.play(.received(event))
            event = cuff.segmentData(invoke: 10, instance: 1, records, 2..<4)
            event[32] = 0x08  // status: the agent aborts
            event[33] = 0
            manager.play(.received(event))
            #expect(manager.writes.contains { $0.hasPrefix("e700001e001c000a") && $0.hasSuffix("0800") })
            manager.play(.timerFired(.retry))
            let triggers = manager.writes.filter { $0.hasPrefix("e7000010") && $0.hasSuffix("0c1c00020001") }
            #expect(triggers.count == min(round + 1, 3))
            manager.play(.received(cuff.triggerResult(invoke: UInt16(4 + round), instance: 1, 0)))
        }
        // Received entries keep the same ids, and nothing was cleared.
        #expect(Set(manager.readings.map(\.raw)).count == 2)
        #expect(!manager.writes.contains { $0.contains("0c0c000a") })
    }

    /// docs/PHD.md §8.1: the four stamps of an entry, alone and together; the calendar's is preferred.
    @Test(arguments: [
        (UInt16(0x8000), PHDStamp.Kind.absolute), (0x4000, .relative), (0x2000, .highResolution), (0x1000, .baseOffset),
        (0xC000, .absolute), (0x9000, .absolute), (0xF000, .absolute),
    ])
    func entryHeaders_AreRead(_ header: UInt16, _ kind: PHDStamp.Kind) throws {
        let stamps: [(UInt16, [UInt8])] = [
            (0x8000, Self.stamp), (0x4000, [0, 0, 0x1F, 0x40]), (0x2000, [0, 0, 0, 0, 0, 0x0F, 0x42, 0x40]),
            (0x1000, [0xED, 0xB4, 0x0D, 0x00, 0x80, 0x00, 0x00, 0x3C]),
        ]
        var writer = PHDWriter()
        writer.list(1) {
            $0.append16(3)
            $0.list(2) {
                $0.attribute(PHDAttribute.entryMap) {
                    $0.append16(header)
                    $0.list(1) {
                        for word in [UInt16(6), 2, 18948, 1] { $0.append16(word) }
                        PHDStandardConfiguration.map([(0x0A75, 10)], into: &$0)
                    }
                }
                $0.attribute(PHDAttribute.segmentUsageCount) { $0.append32(1) }
            }
        }
        let configuration = try #require(PHDStandardConfiguration.configuration(0x02BC))
        let list = writer.bytes
        let segment = try #require(PHDSegment.list(list.span, 0, list.count, configuration)?.first)
        #expect(segment.isDecodable && segment.instance == 3 && segment.usage == 1)
        let entry = stamps.filter { header & $0.0 != 0 }.flatMap(\.1) + Self.pressures
        #expect(segment.entrySize == entry.count)
        var observations: [PHDObservation] = []
        var offset = 0
        #expect(segment.read(entry.span, &offset, entry.count, into: &observations) && offset == entry.count)
        let observation = try #require(observations.first)
        #expect(observation.stamp.kind == kind)
        #expect(observation.component(0, entry.span).digits == Digits(118))
        switch kind {
        case .relative: #expect(observation.stamp.ticks == 8000 && observation.stamp.clock == .absent)
        case .highResolution: #expect(observation.stamp.ticks == 1_000_000 && observation.stamp.clock == .absent)
        case .baseOffset: #expect(observation.stamp.clock.time?.utcOffset == 60)
        case .absolute: #expect(observation.stamp.clock.time?.hour == 7)
        case .none: #expect(Bool(false))
        }
        // One byte short is not an entry.
        var short = 0
        #expect(!segment.read(entry.span, &short, entry.count - 1, into: &observations))
    }

    /// More segments than one APDU of 224 bytes can name are cleared in several.
    @Test func manySegments_AreClearedInParts() {
        let records = Array(SimulatedRecord.sample(count: 70, seed: 1))
        let segments = records.map { [$0] }
        var talk = PHDConversation(SimulatorScript(records: records, options: ["store": "yes"]))
        var agent = PHDSimulator(SimulatorScript(records: records, options: ["store": "yes"]))
        agent.segments = segments
        talk.agent = agent
        talk.start(.clear(user: nil))
        talk.run(until: .seconds(3600))
        #expect(talk.outcome == .complete, "\(talk.notes)")
        #expect(Set(talk.pressures).count == 70)
        let clears = talk.managerWrites.filter { $0.count > 16 && $0[14] == 0x0C && $0[15] == 0x0C }
        #expect(clears.count == 2)
        #expect(talk.managerWrites.allSatisfy { $0.count <= 224 })
        #expect((talk.agent as? PHDSimulator)?.segments.allSatisfy(\.isEmpty) == true)
    }

    /// docs/PHD.md §18: all data, single response, request id 1; its answer is read like a report.
    @Test func dataRequest_IsMadeOnlyWhenAskedAndAllowed() {
        let able = PHDVectorTests.request.replacing("00010100", with: "08810101")
        var silent = Manager()
        silent.take(able)
        silent.play(.timerFired(.response))
        #expect(!silent.writes.contains { $0.contains("0c1b") })
        var asking = Manager(options: ["data-request": "yes"])
        asking.take(able)
        asking.play(.timerFired(.response))
        #expect(asking.writes.last == "e700001e001c0002010700160000 0c1b0010 00018880 00000000ffff000000000000".replacing(" ", with: ""))
        asking.play(
            .received(
                PHDWriter.presentation(invoke: 2, PHDMessage.actionResult) {
                    $0.append16(0)
                    $0.append16(PHDAction.dataRequest)
                    $0.counted {
                        $0.append32(0)
                        $0.append16(0)
                        $0.append16(0x0D1D)
                        $0.counted {
                            $0.append([0, 1, 0, 0])
                            $0.append(Self.body(PHDEvent.Shape(body: .fixed, hasPersons: false, isScanner: false)))
                        }
                    }
                }))
        #expect(asking.readings.count == 1)
        var unable = Manager(options: ["data-request": "yes"])
        unable.take(PHDVectorTests.request)
        unable.play(.timerFired(.response))
        #expect(!unable.writes.contains { $0.contains("0c1b") })
    }

    @Test func scanners_AreStartedOnlyWhenAsked() {
        var asked = Self.scanned(["scanners": "yes"])
        asked.play(.timerFired(.response))
        #expect(asked.writes.last == "e70000160014 00020105000e0009 00010008 0000095300020001".replacing(" ", with: ""))
        var silent = Self.scanned()
        silent.play(.timerFired(.response))
        #expect(!silent.writes.contains { $0.contains("0953") })
    }

    /// docs/PHD.md §18, the rows that are the same for every agent.
    @Test func everyAPDU_IsAsTheTableHasIt() {
        #expect(PHDManagerAPDU.releaseResponse == Hex.bytes("e50000020000"))
        #expect(PHDManagerAPDU.releaseRequest() == Hex.bytes("e40000020000"))
        #expect(PHDManagerAPDU.abort(2) == Hex.bytes("e60000020002"))
        #expect(
            PHDManagerAPDU.configurationResult(invoke: 1, configuration: 0x4000, result: 0)
                == Hex.bytes("e700001600140001 0201000e0000ffffffff0d1c000440000000"))
        let pending: [PHDConfirmations.Pending] = [
            PHDConfirmations.Pending(through: 0, digest: 0, invoke: 1, handle: 0, event: 0x0D1F),
            PHDConfirmations.Pending(through: 0, digest: 0, invoke: 0xABCD, handle: 0x1234, event: 0x0D1D),
        ]
        #expect(
            PHDManagerAPDU.confirmations(pending[...])
                == Hex.bytes("e700001200100001 0201000a0000ffffffff0d1f0000 e70000120010abcd 0201000a1234ffffffff0d1d0000"))
        #expect(PHDManagerAPDU.get(invoke: 1, handle: 0) == Hex.bytes("e700000e000c0001 01030006000000000000"))
        #expect(
            PHDManagerAPDU.get(invoke: 1, handle: 0, attributes: [0x0987, 0x0A45])
                == Hex.bytes("e70000120010 00010103000a0000000200040987 0a45"))
        #expect(
            PHDManagerAPDU.action(invoke: 3, handle: 8, PHDAction.segmentInfo, PHDSelection.all.append)
                == Hex.bytes("e70000140012 00030107000c0008 0c0d0006000100020000"))
        #expect(
            PHDManagerAPDU.action(invoke: 5, handle: 8, PHDAction.clearSegments, PHDSelection.list([1]).append)
                == Hex.bytes("e70000180016 0005010700100008 0c0c000a00020006000100020001"))
        #expect(
            PHDManagerAPDU.segmentConfirmation(invoke: 0x12, handle: 8, instance: 1, index: 0, count: 2, status: 0x80)
                == Hex.bytes("e700001e001c0012 02010016 0008ffffffff0d21000c 000100000000000000020080"))
        #expect(PHDManagerAPDU.error(invoke: 7, 1) == Hex.bytes("e700000c000a0007 0300000400010000"))
        #expect(PHDManagerAPDU.rejection(invoke: 7, 2) == Hex.bytes("e700000a00080007 040000020002"))
        let accepted = PHDManagerAPDU.associationResponse(result: 0, manager: [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])
        #expect(accepted == Hex.bytes("e300002c0000507900268000000080008000000000000000800000000008112233445566778800000000000000000000"))
        #expect(PHDManagerAPDU.associationResponse(result: 4, manager: []) == Hex.bytes("e3000006000400000000"))
    }
}
