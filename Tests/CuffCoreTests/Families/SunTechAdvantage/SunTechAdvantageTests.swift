import Testing

@testable import CuffCore

@Suite struct SunTechAdvantageTests {
    @Test func hostPackets_AreThePublishedOnes() {
        #expect(SunTechPacket.host(SunTechCommand.start) == [0x3A, 0x20, 0xA6])
        #expect(SunTechPacket.host(SunTechCommand.startStream) == [0x3A, 0x56, 0x70])
        #expect(SunTechPacket.host(SunTechCommand.abort) == [0x3A, 0x79, 0x01, 0x00, 0x4C])
        #expect(SunTechPacket.host(SunTechCommand.result) == [0x3A, 0x79, 0x03, 0x00, 0x4A])
        #expect(SunTechPacket.host(SunTechCommand.cuffPressure) == [0x3A, 0x79, 0x05, 0x00, 0x48])
        #expect(SunTechPacket.host(SunTechCommand.inflation(160)) == [0x3A, 0x17, 0xA0, 0x00, 0x0F])
        #expect(SunTechPacket.module([0x4F]) == [0x3E, 0x04, 0x4F, 0x6F])
        #expect(SunTechPacket.module([0x02, 0x01]) == [0x3E, 0x05, 0x02, 0x01, 0xBA])
    }

    @Test(arguments: [
        (1, FailureReason.unknown), (3, .outOfRange), (86, .stopped), (87, .leak), (88, .timeout), (89, .overPressure), (90, .hardware),
        (91, .zeroCalibration), (97, .hardware), (99, .hardware), (255, .unknown),
    ])
    func errors_HaveWords(_ code: Int, _ reason: FailureReason) {
        let failure = SunTechAdvantageSession.failures.failure(code)
        #expect(failure.reason == reason && failure.code == ShortText(String(code)))
    }

    /// 400 is 0190, beyond the module's own range: with an error it is not looked at.
    @Test(arguments: [UInt8(3), 0]) func failedMeasurement_KeepsItsReason_WhateverThePressures(_ error: UInt8) {
        var values = [UInt8](repeating: 0, count: 21)
        (values[0], values[1], values[2], values[14], values[18]) = (0x90, 0x01, 80, 70, error)
        var session = SunTechAdvantageSession(SessionContext())
        let events: [SessionEvent] = [
            .command(.readMemory(user: nil)), .sent(SunTechPacket.host(SunTechCommand.result)), .received(SunTechPacket.module(values)),
        ]
        let actions = events.flatMap { session.handle($0) }
        let found: [Reading.Content] = actions.compactMap { if case .emit(let reading) = $0 { reading.content } else { nil } }
        #expect(found == (error == 0 ? [] : [.failure(.init(.outOfRange, code: ShortText("3")))]))
    }

    /// The K before it was lost. Without a stream such a packet may be the former result.
    @Test(arguments: [true, false]) func theLastPacketOfAStream_IsItsEnd(_ streams: Bool) {
        var values = [UInt8](repeating: 0, count: 22)
        (values[0], values[1], values[3], values[15], values[17]) = (3, 128, 82, 71, 97)
        var session = SunTechAdvantageSession(SessionContext(options: streams ? ["stream": "yes"] : [:]))
        let start = SunTechPacket.host(streams ? SunTechCommand.startStream : SunTechCommand.start)
        let events: [SessionEvent] = [
            .command(.measure), .sent(start), .received(SunTechPacket.module([0x4F])), .received(SunTechPacket.module(values)),
        ]
        let actions = events.flatMap { session.handle($0) }
        let found: [Reading] = actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
        #expect(found.map(\.bloodPressure) == (streams ? [.mmHg(128, 82, mean: 97, pulse: 71)] : []))
        #expect(found.allSatisfy { $0.origin == .measurement } && session.isFinished == streams)
    }

    /// The last packet is not believed, and the K before it was lost: the result is asked for.
    @Test func impossibleLastPacketOfAStream_IsAskedForAgain() {
        var values = [UInt8](repeating: 0, count: 22)
        (values[0], values[1], values[2], values[3], values[15], values[17]) = (3, 128, 2, 82, 71, 97)
        var session = SunTechAdvantageSession(SessionContext(options: ["stream": "yes"]))
        let events: [SessionEvent] = [
            .command(.measure), .sent(SunTechPacket.host(SunTechCommand.startStream)), .received(SunTechPacket.module([0x4F])),
        ]
        for event in events { _ = session.handle(event) }
        let actions = session.handle(.received(SunTechPacket.module(values)))
        #expect(!actions.contains { if case .emit = $0 { true } else { false } } && !session.isFinished)
        #expect(actions.contains { if case .arm(.response, _) = $0 { true } else { false } })
        let asked = session.handle(.timerFired(.response)).compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
        #expect(asked == [SunTechPacket.host(SunTechCommand.result)])
    }

    /// A packet of five bytes is a cuff pressure only if one was requested.
    @Test func fiveBytes_UnaskedFor_AreNoPressure() {
        var session = SunTechAdvantageSession(SessionContext())
        let pressure = SunTechPacket.module([0x02, 0x01])
        #expect(!session.handle(.received(pressure)).contains { if case .live = $0 { true } else { false } })
        _ = session.handle(.sent(SunTechPacket.host(SunTechCommand.cuffPressure)))
        #expect(session.handle(.received(pressure)).contains { if case .live(.cuffPressure(.mmHg(258))) = $0 { true } else { false } })
    }

    /// Of another host: after busy, a refusal or an abort by the module, the stored result is the former one.
    @Test(arguments: [[0x42], [0x45], [0x4F, 0x41]] as [[UInt8]])
    func aStartWithoutAMeasurement_MakesNoneOfTheStoredResult(_ answers: [UInt8]) {
        var values = [UInt8](repeating: 0, count: 21)
        (values[0], values[2], values[14], values[16]) = (120, 80, 70, 90)
        let result = SunTechPacket.module(values)
        #expect(result.count == 0x18)
        var session = SunTechAdvantageSession(SessionContext())
        func origins(_ events: SessionEvent...) -> [Reading.Origin] {
            events.flatMap { session.handle($0) }.compactMap { if case .emit(let reading) = $0 { reading.origin } else { nil } }
        }
        let fetched: [SessionEvent] = [.sent(SunTechPacket.host(SunTechCommand.result)), .received(result)]
        #expect(fetched.flatMap { origins($0) } == [.memory])
        _ = origins(.sent(SunTechPacket.host(SunTechCommand.start)))
        for answer in answers { _ = origins(.received(SunTechPacket.module([answer]))) }
        #expect(fetched.flatMap { origins($0) } == [])
        _ = origins(.sent(SunTechPacket.host(SunTechCommand.start)))
        for answer: UInt8 in [0x4F, 0x4B] { _ = origins(.received(SunTechPacket.module([answer]))) }
        #expect(fetched.flatMap { origins($0) } == [.measurement])
    }

    @Test func measure_InEitherWay_GivesTheNextResultAndItsPressures() {
        let record = SimulatedRecord.sample(count: 3, seed: 1)[1]
        for options in [[:], ["stream": "yes"], ["inflation": "160"]] {
            let talk = Conversation(.suntechAdvantage, .measure, context: SessionContext(options: options))
            #expect(talk.outcome == .complete, "\(options)")
            #expect(
                talk.readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse)])
            #expect(talk.lives.contains { if case .cuffPressure = $0 { true } else { false } })
            #expect(talk.writes.count { $0 == [0x3A, 0x20, 0xA6] || $0 == [0x3A, 0x56, 0x70] } == 1)
        }
        let odd = Conversation(.suntechAdvantage, .measure, context: SessionContext(options: ["inflation": "900"]))
        #expect(!odd.writes.contains { $0[1] == 0x17 })
    }

    @Test func stream_OnABadLine_GivesNoWrongNumber_AndStartsOnce() {
        for seed in FaultyLineTests.seeds {
            let talk = Conversation(
                .suntechAdvantage, .measure, context: SessionContext(options: ["stream": "yes"]), faultRate: 0.01, seed: seed)
            #expect(talk.outcome != nil)
            #expect(talk.writes.count { $0 == [0x3A, 0x56, 0x70] } == 1)
            FaultyLineTests.expectTrue(talk.readings, .suntechAdvantage, "seed \(seed)")
        }
    }

    @Test func start_WithoutAnAnswer_IsAbortedAndNotRepeated() {
        let talk = Conversation(.suntechAdvantage, .measure, faultRate: 0, script: nil)
        #expect(talk.writes == [[0x3A, 0x20, 0xA6], [0x3A, 0x79, 0x01, 0x00, 0x4C]])
    }

    @Test func lengths_AreBounded() {
        for length: UInt8 in [0, 1, 2, 3, 33, 255] {
            let packet = [0x3E, length] + [UInt8](repeating: 0, count: 300)
            #expect(FrameReader.find(SunTechPacket(), in: packet).frames == 0)
        }
    }
}
