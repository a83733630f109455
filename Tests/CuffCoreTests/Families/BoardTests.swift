import Testing

@testable import CuffCore

/// Boards and cuffs started by the host: `berry-pm6750`, `evgmolt-oem`, `maibobo`, `nibp-nano`.
@Suite struct BoardTests {
    private func driver(_ id: String) throws -> CuffDriver { try #require(CuffFamilies.named(id)) }

    private static func failures(_ readings: [Reading]) -> [FailureReason] {
        readings.compactMap { if case .failure(let failure) = $0.content { failure.reason } else { nil } }
    }

    private static func script(failing reason: FailureReason) -> SimulatorScript {
        var record = SimulatedRecord.sample(count: 1, seed: 4)[0]
        record.failure = reason
        return SimulatorScript(records: [record], pushes: false)
    }

    @Test(arguments: [
        ("berry-pm6750", FailureReason.cuffLoose), ("berry-pm6750", .overPressure), ("berry-pm6750", .movement),
        ("berry-pm6750", .outOfRange), ("berry-pm6750", .timeout), ("berry-pm6750", .stopped),
        ("evgmolt-oem", .noInflation), ("evgmolt-oem", .movement), ("evgmolt-oem", .wrongCuff), ("evgmolt-oem", .weakPulse),
        ("maibobo", .leak), ("maibobo", .overPressure), ("maibobo", .hardware),
    ])
    func measure_ThatFails_EndsInTheCuffsOwnReason(_ id: String, _ reason: FailureReason) throws {
        let talk = Conversation(try driver(id), .measure, script: Self.script(failing: reason))
        #expect(Self.failures(talk.readings) == [reason])
        #expect(talk.readings.allSatisfy { $0.bloodPressure == nil && $0.origin == .measurement })
        #expect(talk.outcome == .complete)
    }

    @Test(arguments: ["berry-pm6750", "evgmolt-oem", "maibobo", "nibp-nano"])
    func measure_OfACuffThatNeverStarts_IsStoppedAndSaysSo(_ id: String) throws {
        let talk = Conversation(try driver(id), .measure, faultRate: 0, script: nil)
        guard case .noAnswer? = talk.outcome else { throw Unexpected(talk.outcome) }
        // A cuff that may have received the start is stopped. Maibobo and evgmolt-oem are not started before they have answered.
        let isStarted = id != "maibobo" && id != "evgmolt-oem"
        #expect(talk.lives.contains { if case .failed = $0 { true } else { false } } == isStarted)
    }

    @Test(arguments: [("adult", "55 aa 04 09 01 f1"), ("child", "55 aa 04 09 02 f0"), ("neonate", "55 aa 04 09 03 ef")])
    func berry_SetsThePatientMode_OnlyWhenAsked(_ patient: String, _ bytes: String) throws {
        let berry = try driver("berry-pm6750")
        let asked = Conversation(berry, .measure, context: SessionContext(options: ["patient": patient]))
        #expect(asked.writes.map { Hex.text($0) } == [bytes, "55 aa 04 02 01 f8"])
        #expect(Conversation(berry, .measure).writes.map { Hex.text($0) } == ["55 aa 04 02 01 f8"])
    }

    @Test func evgmolt_ResultWithoutItsMark_IsNotRead() throws {
        // The only record failed, so that the board never shows a new result.
        let talk = Conversation(try driver("evgmolt-oem"), .readMemory(user: nil), script: Self.script(failing: .noPulse))
        #expect(talk.outcome == .complete)
        #expect(talk.readings.isEmpty)
        #expect(talk.notes.contains("the board marks no result as new"))
    }

    /// A start may clear the mark of an unread result, so the board is polled first.
    @Test func evgmolt_UnreadResult_IsGivenBeforeTheStart() throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        #expect(Self.written(session.handle(.command(.measure))) == [[0xA0]])
        _ = session.handle(.sent([0xA0]))
        // Marked as new; its mean comes with it, its pulse in the next answer.
        let marked = session.handle(.received(Self.answer([0xA0, 141, 92, 0, 0x40, 0, 0, 6, 108])))
        #expect(Self.written(marked).isEmpty)
        #expect(Self.written(session.handle(.timerFired(.poll))) == [[0xA0]])
        let rest = session.handle(.received(Self.answer([0xA0, 141, 92, 0, 0, 0, 0, 7, 77])))
        #expect(Self.emitted(rest).map(\.origin) == [.memory])
        #expect(Self.emitted(rest).first?.bloodPressure == .mmHg(141, 92, mean: 108, pulse: 77))
        #expect(Self.written(rest) == [[0xA1]])
    }

    @Test func evgmolt_WithNothingUnread_IsStartedAfterOnePoll() throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        _ = session.handle(.command(.measure))
        let first = session.handle(.received(Self.answer([0xA0, 141, 92, 0, 0, 0, 0, 6, 108])))
        #expect(Self.emitted(first).isEmpty)
        #expect(Self.written(first) == [[0xA1]])
    }

    /// A board that is already pumping is not started: its result would be taken for ours.
    @Test(arguments: [UInt8(4), 6, 7]) func evgmolt_ThatIsBusy_IsNotStarted(_ status: UInt8) throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        _ = session.handle(.command(.measure))
        let actions = session.handle(.received(Self.answer([0xA0, 141, 92, 40, status, 0, 0, 6, 108])))
        #expect(Self.written(actions).isEmpty)
        #expect(actions.contains { if case .finish(.failed) = $0 { true } else { false } })
    }

    @Test func evgmolt_ThatAnswersNoPoll_IsNeitherStartedNorStopped() throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        var actions = session.handle(.command(.measure))
        for _ in 0..<5 { actions += session.handle(.timerFired(.response)) }
        #expect(Self.written(actions) == Array(repeating: [0xA0], count: 5))
        #expect(actions.contains { if case .finish(.noAnswer) = $0 { true } else { false } })
    }

    private static func written(_ actions: [SessionAction]) -> [[UInt8]] {
        actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
    }

    @Test func evgmolt_ResultOfBeforeTheStart_IsNotTheMeasurements() throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        _ = session.handle(.command(.measure))
        _ = session.handle(.sent([0xA1]))
        let stale = Self.answer([0xA1, 141, 92, 0, 0x40, 0, 0, 6, 108])
        let after = Self.answer([0xA0, 141, 92, 0, 0x00, 0, 0, 7, 77])
        let readings = [stale, after].flatMap { Self.emitted(session.handle(.received($0))) }
        // No later answer marks it as new, so it is emitted as a stored result.
        #expect(readings.map(\.origin) == [.memory])
        #expect(readings.first?.bloodPressure == .mmHg(141, 92, mean: 108, pulse: 77))
    }

    @Test func evgmolt_ResultThatTheStartCutsShort_IsGivenWithoutItsPulse() throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        _ = session.handle(.command(.measure))
        _ = session.handle(.sent([0xA1]))
        let stale = Self.answer([0xA1, 141, 92, 0, 0x40, 0, 0, 6, 108])
        let running = Self.answer([0xA0, 141, 92, 40, 0x07, 0, 0, 0, 1])
        let first = session.handle(.received(stale)) + session.handle(.received(running))
        #expect(Self.emitted(first).map(\.origin) == [.memory])
        // Its pulse had not come; nothing is known of it.
        #expect(Self.emitted(first).first?.bloodPressure == .mmHg(141, 92, mean: 108))
        // The measurement continues, and its result is used.
        #expect(!first.contains { if case .finish = $0 { true } else { false } })
        let ended = [[0xA0, 131, 84, 0, 0x40, 0, 0, 6, 99], [0xA0, 131, 84, 0, 0, 0, 0, 7, 66]].flatMap {
            session.handle(.received(Self.answer($0)))
        }
        #expect(Self.emitted(ended).map(\.origin) == [.measurement])
    }

    private static func emitted(_ actions: [SessionAction]) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    @Test func evgmolt_MeanAndPulseThatNeverCome_AreUnknown() throws {
        var session = try driver("evgmolt-oem").makeSession(SessionContext())
        _ = session.handle(.command(.readMemory(user: nil)))
        var readings: [Reading] = []
        for count in 0..<30 {
            let bytes = Self.answer([0xA0, 128, 82, 0, count == 0 ? 0x40 : 0, 0, 0, 2, 3])
            for action in session.handle(.received(bytes)) { if case .emit(let reading) = action { readings.append(reading) } }
        }
        #expect(readings.count == 1)
        #expect(readings.first?.bloodPressure == .mmHg(128, 82))
    }

    @Test func evgmolt_Information_TellsSerialNumberAndVersion() throws {
        let talk = Conversation(try driver("evgmolt-oem"), .information)
        #expect(talk.identity?.serial == "300" && talk.identity?.firmware == "3")
        #expect(talk.outcome == .complete)
    }

    private static func answer(_ nine: [UInt8]) -> [UInt8] { nine + [nine.sum8] }

    @Test(arguments: [("6", 6), ("no", 0), (nil, 6)])
    func maibobo_LivePressure_IsTold_AsRecordedOrAsAskedFor(_ offset: String?, _ count: Int) throws {
        let options = offset.map { ["live-pressure": $0] } ?? [:]
        let talk = Conversation(try driver("maibobo"), .measure, context: SessionContext(options: options))
        let pressures = talk.lives.compactMap { if case .cuffPressure(let pressure) = $0 { pressure.inMmHg } else { nil } }
        #expect(pressures == Array([40, 100, 160, 130, 95, 60].prefix(count)))
    }

    @Test func maibobo_ProtocolByte_IsTheOneAskedFor() throws {
        let talk = Conversation(try driver("maibobo"), .measure, context: SessionContext(options: ["protocol": "2"]))
        #expect(talk.writes.map { Hex.text($0) } == ["cc 80 02 03 01 01 00 01", "cc 80 02 03 01 02 00 02"])
        #expect(talk.outcome == .complete && talk.readings.count == 1)
    }

    @Test func maibobo_ResultBeforeTheStartWasHeard_IsNotTheMeasurements() throws {
        var session = try driver("maibobo").makeSession(SessionContext())
        _ = session.handle(.command(.measure))
        let result = Hex.bytes("aa80030f0106000000000000000079004f00427f") ?? []
        for before in [[], Hex.bytes("aa80030301010000") ?? []] {
            let actions = session.handle(.received(before)) + session.handle(.received(result))
            // It comes only once: emitted as pushed, which ends no measurement.
            #expect(Self.emitted(actions).map(\.origin) == [.push])
            #expect(!actions.contains { if case .finish = $0 { true } else { false } })
        }
    }

    /// Ten packets of one arrival are 25 ms apart by the device's own counter, as are those of the next.
    @Test(arguments: [SessionCommand.follow, .measure]) func nano_PressuresOfOneArrival_AreAsFarApartAsMeasured(_ command: SessionCommand)
        throws
    {
        var link = LinkState(LinkState.Setup(try driver("nibp-nano"), commands: [command]))
        var effects: [LinkEffect] = []
        link.handle(.transport(.opened), at: LinkTime(elapsed: .zero), into: &effects)
        // The counter wraps in the second arrival.
        for (arrival, first) in [(1, 65_486), (2, 0), (3, 50), (9, 20)] {
            let bytes = (0..<10).flatMap { index -> [UInt8] in
                let count = UInt16(truncatingIfNeeded: first + index * 5)
                return NibpNanoFrame.encode([0x64, UInt8(count & 0xFF), UInt8(count >> 8), 0x20, 0x03, 0, 0, 0, 0, 7])
            }
            link.handle(.transport(.received(bytes)), at: LinkTime(elapsed: .milliseconds(1000 + arrival * 250)), into: &effects)
            link.flush(into: &effects)
        }
        let times = effects.flatMap { effect -> [Duration] in
            guard case .submit(let batch) = effect else { return [] }
            return batch.entries.compactMap { if case .live(.cuffPressure, _, let elapsed) = $0 { elapsed } else { nil } }
        }
        #expect(times.count == 40)
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        for start in [0, 10, 20, 30] { #expect(steps[start..<(start + 9)].allSatisfy { $0 == .milliseconds(25) }, "\(steps)") }
        #expect(steps[9] == .milliseconds(25) && steps[19] == .milliseconds(25), "\(steps)")
        // The last sample of an arrival has its time, also if the counter restarted.
        let began = times[0]
        #expect(times[9] - began == .milliseconds(225))
        #expect(times[39] - times[29] == .milliseconds(1500))
    }

    @Test func nano_Measure_KeepsItAliveAndStopsIt() throws {
        let talk = Conversation(
            try driver("nibp-nano"), .measure, script: SimulatorScript(pushes: false),
            context: SessionContext(options: ["seconds": "5"]))
        #expect(talk.outcome == .complete)
        #expect(talk.writes.first == [0xD4, 2, 2, 0xD4, 0x65, 0x01, 0xFB])
        #expect(talk.writes.last == [0xD4, 2, 2, 0xD4, 0x65, 0x02, 0x19])
        let keepAlives = talk.writes.filter { $0 == [0xD4, 1, 1, 0xD4, 0x61, 0x3B] }.count
        #expect(Int64(keepAlives + 1) * 500_000 >= talk.elapsed, "\(keepAlives) in \(talk.elapsed) µs")
        #expect(talk.readings.count >= 5)
    }

    @Test func nano_Information_TellsSerialNumberAndVersion() throws {
        let talk = Conversation(try driver("nibp-nano"), .information, script: SimulatorScript(pushes: false))
        #expect(talk.identity?.serial == "NANO-SIM-1" && talk.identity?.firmware == "2.0.1")
        #expect(talk.writes.map { Hex.text($0) } == ["d4 02 02 d4 76 00 1c", "d4 02 02 d4 76 0a 62"])
    }

    @Test func nano_DeviceError_EndsTheMeasurement() throws {
        let talk = Conversation(try driver("nibp-nano"), .measure, script: Self.script(failing: .overPressure))
        guard case .failed(let sentence)? = talk.outcome else { throw Unexpected(talk.outcome) }
        #expect(sentence == "the device reports over_pressure (39)")
        #expect(talk.writes.last == [0xD4, 2, 2, 0xD4, 0x65, 0x02, 0x19])
        #expect(talk.readings.isEmpty)
    }
}

struct Unexpected: Error {
    let outcome: Outcome?
    init(_ outcome: Outcome?) { self.outcome = outcome }
}
