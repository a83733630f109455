import Testing

@testable import CuffCore

@Suite struct IntelliVueTests {
    /// `aarq_msg` of xeonfusion/VSCaptureMP, Class2.cs, unchanged.
    private static let published = Hex.bytes(
        """
        0dec0508130100160102800014020002c1dc3180a0808001010000a280a003000001a480308002010106045201000130
        8006025101000000003080020102060c2a8648ce14020100000001013080060c2a8648ce140201000000020100000000
        000061803080020101a0806080a180060c2a8648ce14020100000003010000be802880060c2a8648ce14020100000001
        0102010281488000000040000000000000008000000020000000000000000001002c0001002880000000000009c40000
        09c4000003e8ffffffff600000000001000cf00100088c0000000000000000000000000000000000000000000000
        """.filter { !$0.isWhitespace })

    private static func user(_ frame: [UInt8]) -> [UInt8]? { IntelliVueFrame.user(frame.span) }

    /// Built from the fields in LNhealth, the request equals the constant of VSCaptureMP.
    @Test func associationRequest_IsThatOfBothReaders() throws {
        let theirs = IntelliVueAssociation.Profile(period: 0x09C4, receives: 0x09C4, sends: 0x03E8, extended: 0x8C00_0000)
        let built = IntelliVueAssociation.request(theirs)
        #expect(built.count == 238)
        #expect(Hex.text(built) == Hex.text(try #require(Self.published)))
        // The period of LNhealth: 6 s of 1/8 ms.
        #expect(IntelliVueAssociation.Profile.ours.period == 6 * 8000)
    }

    /// `mds_create_resp_msg` and `poll_request_msg` of VSCaptureMP, the latter with the group of the observed values.
    @Test func answersAndPolls_AreThoseOfTheReaders() {
        let result = IntelliVueMessage.creationResult(2, 1, object: [0, 0x21, 0, 0, 0, 0], time: [0x00, 0x0A, 0xBD, 0x00])
        #expect(Hex.text(result) == "e1 00 00 02 00 02 00 14 00 01 00 01 00 0e 00 21 00 00 00 00 00 0a bd 00 0d 06 00 00")
        #expect(
            Hex.text(IntelliVueMessage.pollRequest(1))
                == "e1 00 00 02 00 01 00 1c 00 01 00 07 00 16 00 21 00 00 00 00 00 00 00 00 0c 16 00 08 00 01 00 01 00 06 08 03")
    }

    /// Begin, end and escape inside a message, and in its check.
    @Test func stuffing_GoesBothWays() throws {
        let user: [UInt8] = [0xC0, 0xC1, 0x7D, 0x20, 0xE0]
        let frame = IntelliVueFrame.encode(user)
        #expect(frame.starts(with: [0xC0, 0x11, 0x01, 0x00, 0x05, 0x7D, 0xE0, 0x7D, 0xE1, 0x7D, 0x5D, 0x20, 0xE0]))
        let verdict = IntelliVueFrame().verdict(on: frame.span)
        #expect(verdict == .frame(length: frame.count))
        #expect(Self.user(frame) == user)
        for index in frame.indices {
            for bit in 0..<8 {
                var damaged = frame
                damaged[index] ^= 1 << UInt8(bit)
                var reader = FrameReader(IntelliVueFrame())
                reader.feed(damaged)
                while let step = reader.next() { if case .frame = step { Issue.record("bit \(bit) of byte \(index)") } }
            }
        }
    }

    @Test(arguments: [[:], ["linked": "yes"]]) func read_AssociatesPollsAndReleases(_ options: [String: String]) throws {
        let script = SimulatorScript(options: options)
        let talk = Conversation(.intelliVue, .readMemory(user: nil), script: script)
        #expect(talk.outcome == .complete)
        let reading = try #require(talk.readings.first)
        let record = script.records[0]
        #expect(talk.readings.count == 1)
        #expect(reading.bloodPressure == .mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse))
        #expect(reading.clock.time?.wallSeconds == record.time.wallSeconds)
        #expect(talk.clocks.map(\.wallSeconds) == [script.clock.wallSeconds])
        let users = talk.writes.compactMap { Self.user($0) }
        #expect(users.map(\.first) == [0x0D, 0xE1, 0xE1, 0x09])
    }

    /// Kind 3 or 5, and state and count behind the length or, as in a layout description, before it.
    @Test(arguments: [3, 5] as [UInt8], [true, false])
    func linkedResults_AreReadInEitherLayout(_ kind: UInt8, _ isBehind: Bool) throws {
        var simulator = IntelliVueSimulator(SimulatorScript(pushes: false, options: ["linked": "yes"]))
        _ = simulator.handle(.received(IntelliVueFrame.encode(IntelliVueAssociation.request())))
        let answers = simulator.handle(.received(IntelliVueFrame.encode(IntelliVueMessage.pollRequest(1)))).compactMap {
            action -> [UInt8]? in
            if case .write(let frame) = action { Self.user(frame) } else { nil }
        }
        #expect(answers.count == 3)
        var session = IntelliVueSession()
        var readings: [Reading] = []
        for var user in answers {
            if user[5] == 5 {
                user[5] = kind
                if !isBehind {
                    let length = user.count - 10
                    user.replaceSubrange(6..<10, with: [user[8], user[9], UInt8(length >> 8), UInt8(length & 255)])
                }
            }
            readings += session.handle(.received(IntelliVueFrame.encode(user))).compactMap {
                if case .emit(let reading) = $0 { reading } else { nil }
            }
        }
        let record = SimulatorScript().records[0]
        #expect(readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse)])
    }

    /// State 0400 (demo) on one value marks its reading; on an unused value it has no effect.
    @Test(arguments: [(0x4A05, true), (0x4A07, true), (0xF0E5, true), (0x4182, false)])
    func whatIsSaidOfOneValue_IsSaidOfTheReading(_ code: Int, _ isFlagged: Bool) throws {
        var simulator = IntelliVueSimulator(SimulatorScript(pushes: false))
        _ = simulator.handle(.received(IntelliVueFrame.encode(IntelliVueAssociation.request())))
        let answer = simulator.handle(.received(IntelliVueFrame.encode(IntelliVueMessage.pollRequest(1)))).compactMap {
            action -> [UInt8]? in
            if case .write(let frame) = action { Self.user(frame) } else { nil }
        }
        var user = try #require(answer.first)
        let place = try #require((0..<user.count - 1).first { Int(user[$0]) << 8 | Int(user[$0 + 1]) == code })
        user[place + 2] = 0x04
        var session = IntelliVueSession()
        let readings = session.handle(.received(IntelliVueFrame.encode(user))).compactMap { action -> Reading? in
            if case .emit(let reading) = action { reading } else { nil }
        }
        #expect(readings.count == 1 && readings.first?.flags == (isFlagged ? .demoData : []))
    }

    @Test func kilopascals_KeepTheirDigits() throws {
        let record = SimulatedRecord(128, 82, mean: 97, pulse: 71, time: DeviceTime(year: 2026, month: 5, day: 5))
        let talk = Conversation(
            .intelliVue, .readMemory(user: nil), script: SimulatorScript(records: [record], options: ["unit": "kPa"]))
        let pressure = try #require(talk.readings.first?.bloodPressure)
        // 128 mmHg are 17.07 kPa, 82 are 10.93.
        #expect(pressure.systolic == Pressure(Digits(mantissa: 171, exponent: -1), .kPa))
        #expect(pressure.diastolic == Pressure(Digits(mantissa: 109, exponent: -1), .kPa))
    }

    @Test func follow_ReadsEachDeterminationOnce() {
        let script = SimulatorScript()
        let talk = Conversation(.intelliVue, .follow, script: script, closesAfter: .seconds(40))
        #expect(talk.readings.compactMap { $0.bloodPressure?.systolic } == script.records.map { .mmHg($0.systolic) })
        #expect(talk.readings.map(\.origin) == [.memory, .measurement, .measurement])
        // It waited for another host's polls before it polled.
        #expect(talk.writes.count > 10)
    }

    @Test func follow_EndsWithARelease() {
        var session = IntelliVueSession()
        let hadWords = session.endInOrder()
        #expect(!hadWords)
        _ = session.handle(.command(.follow))
        let asked = session.handle(.timerFired(.poll))
        for case .write(let bytes) in asked { _ = session.handle(.sent(bytes)) }
        var actions = SessionActions()
        let hasWords = session.endInOrder(into: &actions)
        #expect(hasWords)
        #expect(actions.contains { if case .write(IntelliVueFrame.encode(IntelliVueAssociation.release)) = $0 { true } else { false } })
        #expect(actions.contains { if case .finish(.complete) = $0 { true } else { false } })
    }

    /// The id depends on the monitor's own time and values: another session, and other alarm bits, give the same one.
    @Test func anotherSession_GivesTheSameID() throws {
        let file = try #require(CaptureFile.own.first { $0.testDescription == "intellivue/repeated-result-then-new-time" })
        let answers = file.items.compactMap { item -> [UInt8]? in if case .fromCuff(let bytes) = item.content { bytes } else { nil } }
        let ids = answers.map { answer -> UInt64 in
            var session = IntelliVueSession()
            var ledger = ReadingLedger(device: "bed 4", driver: "intellivue")
            for case .emit(var reading) in session.handle(.received(answer)) {
                _ = ledger.admit(&reading, received: Timestamp(milliseconds: 1_778_000_000_000))
                return reading.id.hash
            }
            return 0
        }
        #expect(ids.count == 4 && !ids.contains(0))
        #expect(ids[0] == ids[1] && ids[2] == ids[3] && ids[0] != ids[2])
    }

    /// The monitor's description is answered only after our association.
    @Test func creation_IsAnsweredOnlyAfterOurRequest() throws {
        var simulator = IntelliVueSimulator(SimulatorScript())
        guard case .write(let creation)? = simulator.handle(.received(IntelliVueFrame.encode(IntelliVueAssociation.request()))).last
        else { throw Unexpected(nil) }
        var session = IntelliVueSession()
        _ = session.handle(.command(.follow))
        #expect(!session.handle(.received(creation)).contains { if case .write = $0 { true } else { false } })
        _ = session.handle(.sent(IntelliVueFrame.encode(IntelliVueAssociation.request())))
        let answered = session.handle(.received(creation)).compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
        #expect(answered.count == 2)
        // Result, invoke id 1 of the event.
        #expect(try #require(Self.user(answered[0])).starts(with: [0xE1, 0, 0, 2, 0, 2, 0, 0x14, 0, 1, 0, 1]))
    }

    /// An inconsistent count or length invalidates the whole answer.
    @Test func listsThatDoNotAddUp_AreRefused() throws {
        let file = try #require(CaptureFile.own.first { $0.testDescription == "intellivue/kilopascals" })
        guard case .fromCuff(let answer)? = file.items.first?.content else { throw Unexpected(nil) }
        let user = try #require(Self.user(answer))
        var read = 0
        // From the lengths of the message to the first attribute's; an unknown attribute may have any value.
        for offset in [6, 7, 12, 13, 14, 22, 23, 44, 45, 46, 47, 50, 51, 52, 53, 56, 57, 58, 59] {
            var damaged = user
            damaged[offset] = damaged[offset] &+ 1
            var session = IntelliVueSession()
            let actions = session.handle(.received(IntelliVueFrame.encode(damaged)))
            if actions.contains(where: { if case .emit = $0 { true } else { false } }) {
                read += 1
                Issue.record("byte \(offset)")
            }
        }
        #expect(read == 0)
        var session = IntelliVueSession()
        #expect(session.handle(.received(IntelliVueFrame.encode(user))).contains { if case .emit = $0 { true } else { false } })
    }
}

extension IntelliVueSession {
    fileprivate mutating func endInOrder() -> Bool {
        var actions = SessionActions()
        return endInOrder(into: &actions)
    }
}
