import Testing

@testable import CuffCore

/// `creative-pc300`, `ibio-board`, `leyutek-pct` and `fa-nibp`: one session, four frame formats. Captures: `captures/<driver>/`.
@Suite struct MeasuringBoardTests {
    static let ids = ["creative-pc300", "ibio-board", "leyutek-pct", "fa-nibp"]

    private func driver(_ id: String) throws -> CuffDriver { try #require(CuffFamilies.named(id)) }
    private func bytes(_ text: String) -> [UInt8] { Hex.bytes(text) ?? [] }

    @Test func creative_PrintedFrames_AreOurs() {
        #expect(CreativeFrame.start == bytes("AA 55 40 02 01 29"))
        #expect(CreativeFrame.stop == bytes("AA 55 40 02 02 CB"))
        #expect(CreativeFrame.encode(0x50, [0x02, 0x00]) == bytes("AA 55 50 03 02 00 79"))
        #expect(CreativeFrame.encode(0xFF, [0x01]) == bytes("AA 55 FF 02 01 CA"))
    }

    @Test func packed_PrintedCommands_AreOurs() {
        for (identifier, text) in [(0x55, "55 D5"), (0x56, "56 D6"), (0x5B, "5B DB"), (0x5E, "5E DE")] as [(UInt8, String)] {
            #expect(PackedFrame.encode(identifier) == bytes(text))
        }
        #expect(Leyutek.encode(0x80) == bytes("14 81 80 80 80 80 80 80 80 95"))
        #expect(Leyutek.encode(0x81) == bytes("14 81 81 80 80 80 80 80 80 96"))
    }

    @Test func packed_DataComeBackWhole() {
        for data in [[0x00, 0xFF, 0x80, 0x7F], [0xFF, 0x9C], [0x01, 0x05, 0x00, 0xFA, 0x80, 0x81, 0xC3]] as [[UInt8]] {
            #expect(PackedFrame.data(PackedFrame.encode(0x1A, data)) == data)
        }
    }

    @Test func fa_PrintedFrames_AreOurs() {
        #expect(FaFrame(sumsHead: false).command(0x01) == bytes("FA 0A 02 01 01 2F 00 00 00 3D"))
        #expect(FaFrame(sumsHead: false).command(0x21) == bytes("FA 0A 02 01 21 2F 00 00 00 5D"))
        #expect(FaFrame(sumsHead: false).frame(0x02, 0x03) == bytes("FA 0A 02 02 03 2F 00 00 00 40"))
    }

    @Test(arguments: ids) func measure_GivesTheRecord_WithLivePressure(_ id: String) throws {
        let record = SimulatedRecord.sample(count: 3, seed: 1)[0]
        let talk = Conversation(try driver(id), .measure, script: SimulatorScript(pushes: false))
        #expect(talk.outcome == .complete)
        #expect(
            talk.readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse)])
        #expect(talk.readings.map(\.origin) == [.measurement])
        #expect(talk.lives.filter { $0 == .started }.count == 1 && talk.lives.last == .ended)
        #expect(talk.lives.contains(.cuffPressure(.mmHg(160))))
    }

    @Test(arguments: ids) func measure_ThatFails_GivesTheReason(_ id: String) throws {
        var records = SimulatedRecord.sample(count: 1, seed: 2)
        records[0].failure = .leak
        let talk = Conversation(try driver(id), .measure, script: SimulatorScript(records: records, pushes: false))
        let expected: [String: MeasurementFailure] = [
            "creative-pc300": MeasurementFailure(.unknown, code: ShortText("81")),
            "ibio-board": MeasurementFailure(.leak, code: ShortText("2")),
            "leyutek-pct": MeasurementFailure(.leak, code: ShortText("2")), "fa-nibp": MeasurementFailure(.unknown, code: ShortText("6")),
        ]
        #expect(talk.readings.map(\.content) == [.failure(try #require(expected[id]))])
        #expect(talk.outcome == .complete)
    }

    @Test(arguments: ["ibio-board", "leyutek-pct", "fa-nibp"]) func resultWithoutAnEnd_IsNoReading(_ id: String) throws {
        let results: [String: [UInt8]] = [
            "ibio-board": PackedSimulatedBoard<IBio>([:]).result(SimulatedRecord.sample(count: 1, seed: 1)[0]),
            "leyutek-pct": PackedSimulatedBoard<Leyutek>([:]).result(SimulatedRecord.sample(count: 1, seed: 1)[0]),
            "fa-nibp": FaSimulatedBoard([:]).result(SimulatedRecord.sample(count: 1, seed: 1)[0]),
        ]
        var session = try driver(id).makeSession(SessionContext())
        let actions = session.handle(.received(try #require(results[id]))) + session.handle(.closed)
        #expect(!actions.contains { if case .emit = $0 { true } else { false } })
    }

    @Test(arguments: [true, false]) func fa_LearnsTheSum_FromTheFirstGoodFrame(_ sumsHead: Bool) throws {
        let script = SimulatorScript(pushes: false, options: ["sum": sumsHead ? "head" : "rest"])
        let talk = Conversation(.faNIBP, .measure, script: script)
        #expect(talk.readings.count == 1 && talk.outcome == .complete)
        #expect(talk.writes.contains(FaFrame(sumsHead: sumsHead).command(sumsHead ? 0x02 : 0x21)))
        #expect(talk.writes.allSatisfy { FrameReader.find(FaFrame(sumsHead: sumsHead), in: $0).frames == 1 })
        #expect(talk.writes.allSatisfy { FrameReader.find(FaFrame(sumsHead: !sumsHead), in: $0).frames == 0 })
    }

    /// The length byte of the pressure before the result is damaged: 04 is FF, 08 is 20. The result is read at once.
    @Test(arguments: [
        (
            "creative-pc300", "AA 55 42 FF 01 00 58 E0", "AA 55 43 07 01 00 8A 68 57 4C B9",
            BloodPressure.mmHg(138, 87, mean: 104, pulse: 76)
        ),
        (
            "maibobo", "AA 80 02 20 01 05 00 00 00 00 37 00 39", "AA 80 03 0F 01 06 00 00 00 00 00 00 00 00 79 00 4F 00 42 7F",
            .mmHg(121, 79, pulse: 66)
        ),
    ])
    func damagedLength_DoesNotHoldBackTheResult(_ id: String, _ damaged: String, _ result: String, _ pressure: BloodPressure) throws {
        var session = try driver(id).makeSession(SessionContext())
        let actions = session.handle(.received(bytes(damaged) + bytes(result)))
        #expect(contents(actions) == [.bloodPressure(pressure)])
        #expect(actions.contains { if case .report(.skipped(bytes(damaged).count, .badLength)) = $0 { true } else { false } })
    }

    /// 0E is 1C, the longest possible frame. Without the end behind it the result would never be asked for.
    @Test func fa_DamagedLength_DoesNotHoldBackTheEnd() {
        var session = CuffDriver.faNIBP.makeSession(SessionContext())
        let acknowledgement = bytes("FA 0B 02 03 80 2F 00 00 00 07 C6")
        _ = session.handle(.command(.measure))
        _ = session.handle(.received(bytes("FA 0A 02 04 81 2F 00 00 00 C0") + acknowledgement))
        _ = session.handle(.sent(bytes("FA 0A 02 01 21 2F 00 00 00 5D")))
        _ = session.handle(.received(acknowledgement))
        let actions = session.handle(
            .received(bytes("FA 1C 02 04 84 2F 00 00 00 3C 00 00 00 03") + bytes("FA 0C 02 04 86 2F 00 00 00 00 00 C7")))
        #expect(actions.contains { if case .write(let sent) = $0 { sent == bytes("FA 0A 02 02 03 2F 00 00 00 40") } else { false } })
    }

    /// Versions, identity and other modules' frames have lengths of their own.
    @Test func unknownFrames_KeepTheGeneralLength() {
        let identity = CreativeFrame.encode(0xFF, [0x01] + [UInt8](repeating: 0x41, count: 40))
        #expect(FrameReader.find(CreativeFrame(), in: identity).frames == 1)
        #expect(FrameReader.find(CreativeFrame(), in: bytes("AA 55 40 03 03 10 18")).frames == 1)
        #expect(FrameReader.find(FaFrame(), in: FaFrame(sumsHead: true).frame(0x04, 0x90, [UInt8](repeating: 1, count: 18))).frames == 1)
        let unknown = MaiboboFrame.encode(0xAA, proto: 3, [0x04, 0x01] + [UInt8](repeating: 0, count: 20))
        #expect(FrameReader.find(MaiboboFrame(), in: unknown).frames == 1)
    }

    @Test func fa_SaysNothing_BeforeTheModuleHasShownItsSum() {
        var session = CuffDriver.faNIBP.makeSession(SessionContext())
        let actions = session.handle(.opened) + session.handle(.command(.measure))
        #expect(!actions.contains { if case .write = $0 { true } else { false } })
    }

    @Test func fa_WithTheOtherSum_IsNoFrameAnyMore() {
        let (with, without) = (FaFrame(sumsHead: true), FaFrame(sumsHead: false))
        var session = CuffDriver.faNIBP.makeSession(SessionContext())
        let pressures = session.handle(.received(with.frame(0x04, 0x84, [60, 0, 0, 0]) + without.frame(0x04, 0x84, [90, 0, 0, 0])))
        #expect(pressures.contains { if case .live(let event) = $0 { event == .cuffPressure(.mmHg(60)) } else { false } })
        #expect(!pressures.contains { if case .live(let event) = $0 { event == .cuffPressure(.mmHg(90)) } else { false } })
    }

    /// The boards' own programs stop at 330, 264 and 165 mmHg.
    @Test(arguments: [(UInt8(0x00), 331), (0x10, 265), (0x20, 166)]) func packed_TooHighAPressure_StopsTheBoard(
        _ patient: UInt8, _ tooHigh: Int
    ) {
        var session = CuffDriver.iBioBoard.makeSession(SessionContext())
        func receive(_ identifier: UInt8, _ data: [UInt8]) -> [SessionAction] {
            session.handle(.received(PackedFrame.encode(identifier, data)))
        }
        func isStop(_ action: SessionAction) -> Bool { if case .write([0x56, 0xD6]) = action { true } else { false } }
        _ = session.handle(.command(.measure))
        let below = receive(0x24, [patient, 0, 0, 0, 0]) + receive(0x20, [UInt8](bigEndian: [tooHigh - 1]) + [0, 1])
        #expect(!below.contains(where: isStop))
        let above = receive(0x20, [UInt8](bigEndian: [tooHigh]) + [0, 1])
        #expect(above.contains(where: isStop))
        #expect(above.contains { if case .live(.failed(let failure)) = $0 { failure.reason == .overPressure } else { false } })
    }

    /// On a line that stays open, the stop is sent again until the board has said that it ended; the measurement has one end.
    @Test func aStopThatWasNotConfirmed_IsSentAgain_BeforeTheLinkListens() {
        var link = LinkState(LinkState.Setup(.iBioBoard, commands: [.follow]))
        var (writes, ends, finished, events) = (0, [MeasurementState.End](), [Outcome](), [LiveEvent]())
        func handle(_ event: LinkEvent, _ seconds: Double = 0) {
            var effects: [LinkEffect] = []
            link.handle(event, at: LinkTime(elapsed: .milliseconds(Int64(seconds * 1000))), into: &effects)
            link.flush(into: &effects)
            for effect in effects {
                switch effect {
                case .write([0x56, 0xD6]): writes += 1
                case .notify(.measurement(.ended(let end), _)): ends.append(end)
                case .notify(.finished(.stop, let outcome)): finished.append(outcome)
                case .submit(let batch): for case .live(let event, _, _) in batch.entries { events.append(event) }
                default: break
                }
            }
        }
        func receive(_ identifier: UInt8, _ data: [UInt8], _ seconds: Double) {
            handle(.transport(.received(PackedFrame.encode(identifier, data))), seconds)
        }
        handle(.transport(.opened))
        handle(.measureNow(.automatic))
        receive(0x20, [0x01, 0x4B, 0, 1], 1)  // 331 mmHg
        #expect(ends == [.failed(.givenUp(.init(.overPressure), "the cuff pressure exceeded 330 mmHg"))])
        #expect(writes == 2 && !link.isListening)
        handle(.timePassed, 1.7)
        #expect(writes == 3 && finished.isEmpty)
        receive(0x21, [1], 2)
        #expect(finished == [.complete] && link.isListening && ends.count == 1)
        #expect(events.filter { $0 != .cuffPressure(.mmHg(331)) } == [.started, .failed(.init(.overPressure))])
    }

    @Test func packed_ZeroOrNegativePressures_AreAbsent() {
        for values in [[0, 80, 93], [120, 0, 93], [120, -1, 93], [-100, 80, 93]] {
            var session = CuffDriver.iBioBoard.makeSession(SessionContext())
            let frames =
                PackedFrame.encode(0x21, [1]) + PackedFrame.encode(0x22, [UInt8](bigEndian: values))
                + PackedFrame.encode(0x23, [0, 70])
            #expect(contents(session.handle(.received(frames))) == [.failure(.init(.noValue))], "\(values)")
        }
    }

    private func contents(_ actions: [SessionAction]) -> [Reading.Content] {
        actions.compactMap { if case .emit(let reading) = $0 { reading.content } else { nil } }
    }

    /// End status other than 0: what the module then gives as its result may be of an earlier measurement.
    @Test func fa_ResultAfterAFailedEnd_IsNoReading() {
        let format = FaFrame(sumsHead: true)
        let result = format.frame(0x03, 0x83, [0x85, 0, 0x54, 0, 0x64, 0, 0x4D, 0, 1, 0, 0, 0])
        for (status, isReading) in [(UInt8(0), true), (3, false)] {
            var session = CuffDriver.faNIBP.makeSession(SessionContext())
            let found = contents(session.handle(.received(format.frame(0x04, 0x86, [0, status]) + result)))
            #expect(
                found == [
                    isReading ? .bloodPressure(.mmHg(133, 84, mean: 100, pulse: 77)) : .failure(.init(.unknown, code: ShortText("3")))
                ])
        }
    }
}
