import Testing

@testable import CuffCore

@Suite struct ParNIBPTests {
    private let plain = ParCommands([:])

    @Test(arguments: [
        (1, "D7"), (3, "D9"), (14, "DB"), (17, "DE"), (18, "DF"), (19, "E0"), (20, "D8"), (21, "D9"), (22, "DA"), (23, "DB"), (24, "DC"),
        (25, "DD"),
    ])
    func commands_HaveThePublishedSums(_ number: Int, _ sum: String) {
        let digits = Array(Decimal.text(number, 2).utf8)
        #expect(plain.frame(number) == [0x02] + digits + [0x3B, 0x3B] + Array(sum.utf8) + [0x03])
    }

    @Test func combiBoard_IsSpokenToInItsOwnWay() {
        let combi = ParCommands(["variant": "combi"])
        #expect(combi.frame(1) == [0xFD, 0x30, 0x31, 0x3B, 0x3B, 0x44, 0x37, 0xFE, 0x0D])
        #expect(ParCommands(["cr": "yes"]).frame(1) == plain.frame(1) + [0x0D])
        #expect(ParCommands(["cr": "yes"]).abort == [0x58, 0x0D])
    }

    private func status(_ text: String) -> ParStatus? {
        let whole = Array(text.utf8) + Hex.upper(Array(text.utf8).sum8)
        return ParStatus(([0x02] + whole + [0x03, 0x0D]).span)
    }

    @Test func manualsExample_HasTheSumOfTheRule() {
        let text = Array("S1;A0;C03;M00;P125080090;R075;T0005;;".utf8)
        #expect(text.sum8 == 0x40)  // the manual prints D2
        #expect(FrameReader.find(ParFrame(), in: [0x02] + text + Array("D2".utf8) + [0x03, 0x0D]).frames == 0)
        #expect(FrameReader.find(ParFrame(), in: [0x02] + text + Array("40".utf8) + [0x03, 0x0D]).frames == 1)
    }

    @Test func values_AreReadOnlyAtRest_WithoutAMessage() {
        for state in 0...9 {
            let read = status("S\(state);A0;C00;M00;P128082097;R071;T    ;;")?.bloodPressure
            #expect((read != nil) == (state == 1 || state == 6), "S\(state)")
        }
        for message in ["02", "03", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "--", "  "] {
            #expect(status("S1;A0;C00;M\(message);P128082097;R071;T    ;;")?.bloodPressure == nil, "M\(message)")
        }
    }

    @Test func dashesAndBlanks_AreAbsence() throws {
        let read = try #require(status("S1;A0;C00;M00;P128082---;R   ;T----;;")?.bloodPressure)
        #expect(read.mean == nil && read.pulse == nil && read.pulseAbsence == .notMeasured)
        #expect(status("S1;A0;C00;M00;P---082097;R071;T    ;;")?.bloodPressure == nil)
        #expect(status("S0;A0;C--;M--;P---------;R---;T----;;")?.failure == nil)
    }

    /// Of another host: after X the status has the former pressures.
    /// The X may be lost: three pressures after it show that the module goes on.
    @Test func aStopThatIsNotHeard_IsSentAgain() {
        var session = ParNIBPSession(SessionContext())
        func writes(_ event: SessionEvent) -> [[UInt8]] {
            session.handle(event).compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
        }
        let live = Array("\u{02}080C0S0\u{03}\r".utf8)
        _ = writes(.command(.measure)) + writes(.sent(plain.frame(ParCommands.start))) + writes(.received(live))
        #expect(writes(.command(.stop)) == [[0x58]])
        for _ in 1...3 {
            _ = writes(.sent([0x58]))
            #expect((writes(.received(live)) + writes(.received(live))).isEmpty && writes(.received(live)) == [[0x58]])
        }
    }

    @Test(arguments: [[0x58], [0x58, 0x0D]] as [[UInt8]]) func anAbortedMeasurement_DoesNotRepeatTheFormerResult(_ abort: [UInt8]) {
        let body = Array("S1;A0;C00;M00;P120080090;R070;T    ;;".utf8)
        let result = [0x02] + body + Hex.upper(body.sum8) + [0x03, 0x0D]
        let live = Array("\u{02}080C0S0\u{03}\r".utf8)
        var session = ParNIBPSession(SessionContext(options: abort.count > 1 ? ["cr": "yes"] : [:]))
        func said(_ event: SessionEvent) -> [Reading] {
            session.handle(event).compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
        }
        #expect(said(.received(result)).map(\.origin) == [.memory])
        for isAborted in [true, false] {
            _ = said(.sent(plain.frame(ParCommands.start)))
            for _ in 0..<5 { _ = said(.received(live)) }
            if isAborted { _ = said(.sent(abort)) }
            #expect(said(.received(result)).map(\.origin) == (isAborted ? [] : [.measurement]))
        }
    }

    @Test(arguments: [
        (6, FailureReason.cuffLoose), (7, .leak), (8, .hardware), (9, .timeout), (10, .outOfRange), (11, .movement), (12, .overPressure),
        (13, .saturated), (14, .leak), (15, .hardware), (99, .unknown),
    ])
    func messages_HaveWords(_ message: Int, _ reason: FailureReason) {
        let failure = status("S2;A0;C00;M\(Decimal.text(message, 2));P120078090;R060;T    ;;")?.failure
        #expect(failure == MeasurementFailure(reason, code: ShortText("M" + Decimal.text(message, 2))))
    }

    @Test func measure_GivesTheNextResult_InBothVariants() {
        let record = SimulatedRecord.sample(count: 3, seed: 1)[1]
        for options in [[:], ["variant": "combi"]] {
            let talk = Conversation(
                .parNIBP, .measure, script: SimulatorScript(options: options), context: SessionContext(options: options))
            #expect(talk.outcome == .complete, "\(options)")
            #expect(
                talk.readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse)])
            #expect(talk.lives.contains(.cuffPressure(.mmHg(171))))
        }
    }

    @Test func combi_OnABadLine_GivesNoWrongNumber() {
        let options = ["variant": "combi"]
        for seed in FaultyLineTests.seeds {
            for command in [SessionCommand.measure, .readMemory(user: nil)] {
                let talk = Conversation(
                    .parNIBP, command, script: SimulatorScript(options: options), context: SessionContext(options: options),
                    faultRate: 0.01,
                    seed: seed)
                #expect(talk.outcome != nil)
                FaultyLineTests.expectTrue(talk.readings, .parNIBP, "seed \(seed)")
            }
        }
    }

    /// A lost start leaves the former result, which must not count as new.
    @Test func measure_NotHeard_GivesNoStaleReading() {
        struct Deaf: CuffSimulator {
            mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
                guard case .received(let bytes) = event, ParCommands.number(bytes) == ParCommands.result else { return [] }
                let text = Array("S1;A0;C00;M00;P128082097;R071;T    ;;".utf8)
                return [.write([0x02] + text + Hex.upper(text.sum8) + [0x03, 0x0D])]
            }
        }
        var driver = CuffDriver.parNIBP
        driver.makeSimulator = { _ in Deaf() }
        let talk = Conversation(driver, .measure)
        #expect(talk.readings.isEmpty && talk.outcome != .complete)
        #expect(talk.writes.last == [0x58])
    }

    @Test func schedule_SetsACycleOfTheModule_AndSwitchesItOff() {
        let every = Conversation(.parNIBP, .schedule(.every(30)))
        #expect(every.outcome == .complete)
        #expect(every.writes.first == plain.frame(11))
        let off = Conversation(.parNIBP, .schedule(.off))
        #expect(off.outcome == .complete && off.writes.first == plain.frame(3))
        let odd = Conversation(.parNIBP, .schedule(.every(7)))
        #expect(odd.writes.isEmpty && odd.outcome?.isUnsupported == true)
        #expect(Conversation(.parNIBP, .schedule(.get)).cycles == [0])
    }

    /// Cycles inflate automatically, so only `schedule` may set one.
    @Test func cycles_AreSetOnlyBySchedule() {
        let cycles = (4...13).map { plain.frame($0) }
        for command in SessionCommand.all {
            if case .schedule = command { continue }
            let talk = Conversation(.parNIBP, command, faultRate: 0.05, seed: 7, closesAfter: .seconds(120))
            #expect(!talk.writes.contains { cycles.contains($0) }, "\(command)")
        }
    }

    @Test func following_AsksForTheResult_OnlyWithTheOption() {
        let live: [UInt8] = [0x02] + Array("134C0S3".utf8) + [0x03, 0x0D]
        let end: [UInt8] = [0x02] + Array("999".utf8) + [0x03, 0x0D]
        for asks in [true, false] {
            var session = ParNIBPSession(SessionContext(options: asks ? ["ask": "yes"] : [:]))
            _ = session.handle(.command(.follow))
            let actions = session.handle(.received(live + live + live + end))
            let writes = actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
            #expect(writes == (asks ? [plain.frame(18)] : []))
        }
    }
}
