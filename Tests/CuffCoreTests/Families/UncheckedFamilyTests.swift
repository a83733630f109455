import CuffCore
import Testing

/// The families without a check over their bytes: `ampall-bp868f`, `and-ua767pc`, `paramatech-ft201`, `veroval-bpm25`, `sunrom-1437`,
/// `ansar-b`. Plausibility is validated, and all their readings are flagged as unchecked.
@Suite struct UncheckedFamilyTests {
    private static let ids = ["ampall-bp868f", "and-ua767pc", "paramatech-ft201", "veroval-bpm25", "sunrom-1437", "ansar-b"]

    private static func readings(_ id: String, _ bytes: [UInt8]) throws -> [Reading] {
        let driver = try #require(CuffFamilies.named(id))
        var session = driver.makeSession(SessionContext())
        return (session.handle(.received(bytes)) + session.handle(.closed)).compactMap {
            if case .emit(let reading) = $0 { reading } else { nil }
        }
    }

    private static func readings(_ id: String, _ text: String) throws -> [Reading] { try readings(id, Array(text.utf8)) }

    @Test(arguments: ["ampall-bp868f", "and-ua767pc", "paramatech-ft201", "sunrom-1437", "ansar-b"])
    func pushes_AreWhatTheSimulatorHolds_AndSayTheyWereNotChecked(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        var records = SimulatedRecord.sample(count: 4, seed: 3)
        records[2].failure = .movement
        let script = SimulatorScript(records: records)
        let talk = Conversation(driver, .follow, script: script, closesAfter: .seconds(20))
        let pressures = talk.readings.compactMap(\.bloodPressure)
        #expect(pressures.map { Int($0.systolic.inMmHg) } == [0, 1, 3].map { records[$0].systolic })
        #expect(pressures.map { Int($0.diastolic.inMmHg) } == [0, 1, 3].map { records[$0].diastolic })
        #expect(pressures.map { Int($0.pulse?.digits.value ?? 0) } == [0, 1, 3].map { records[$0].pulse })
        #expect(talk.readings.allSatisfy { $0.flags.contains(.noMeasurementCheck) })
        #expect(talk.writes.isEmpty)
        #expect(talk.outcome == .complete)
    }

    /// 11073 leaves its check to the transport: only a line without one leaves a flag on its readings.
    @Test(arguments: [true, false]) func whereNobodyChecks_ReadingsSaySo(_ isUnchecked: Bool) {
        var setup = LinkState.Setup(.phd)
        setup.isLineUnchecked = isUnchecked
        var link = LinkState(setup)
        var effects: [LinkEffect] = []
        let time = LinkTime(elapsed: .zero)
        link.handle(.transport(.opened), at: time, into: &effects)
        for apdu in [PHDVectorTests.request, PHDStateTableTests.report] {
            link.handle(.transport(.received(Hex.bytes(apdu) ?? [])), at: time, into: &effects)
        }
        link.flush(into: &effects)
        let readings = effects.flatMap { effect -> [Reading] in
            if case .submit(let batch) = effect { batch.entries.readings } else { [] }
        }
        #expect(readings.count == 1)
        #expect(readings.first?.flags.contains(.noMeasurementCheck) == isUnchecked)
    }

    @Test(arguments: ids) func noise_IsNoReading(_ id: String) throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            let noise = (0..<Int(random.next() % 120)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(try Self.readings(id, noise).isEmpty)
        }
    }

    @Test(arguments: [
        "120095080075^", "^120095080075", "^12009508007^", "^12009508007512^", "^12009508007x^", "^120 95080075^", "^^", "^",
        "^120095^080075^",
    ])
    func ampall_AnythingButTwelveOrThirteenDigitsBetweenCarets_IsNoReading(_ text: String) throws {
        #expect(try Self.readings("ampall-bp868f", text).isEmpty)
    }

    @Test func ampall_ArrhythmiaDigit_IsAFlag() throws {
        let flags = try ["0", "1", "7"].map { try Self.readings("ampall-bp868f", "^120095080075\($0)^").first?.flags }
        #expect(flags == [.noMeasurementCheck, [.noMeasurementCheck, .irregularPulse], [.noMeasurementCheck, .qualityNoted]])
    }

    @Test(arguments: ["804C4C496", "804C4C49600", "7F4C4C4960", "844C4C4960", "804c4C4960", "804C4C49 6", "804C4C4960\r", "-04C4C4960"])
    func ua767_AnythingButTenHexadecimalCharacters_IsNoReading(_ text: String) throws {
        #expect(try Self.readings("and-ua767pc", text).isEmpty)
    }

    @Test func ua767_SilenceEndsAResult_AndPartsOfTwoAreNone() throws {
        var session = try #require(CuffFamilies.named("and-ua767pc")).makeSession(SessionContext())
        var emitted = 0
        for (text, count) in [("804C4", 0), ("C4960", 0), ("804C4C", 0), ("4960", 1)] {
            let actions = session.handle(.received(Array(text.utf8)))
            #expect(actions.contains { if case .arm(.silence, _) = $0 { true } else { false } })
            // Silence follows only the second and the fourth piece; it separates the first two.
            if text == "804C4" || text == "C4960" || text == "4960" {
                for action in session.handle(.timerFired(.silence)) { if case .emit = action { emitted += 1 } }
            }
            #expect(emitted == count, "after \(text)")
        }
    }

    @Test func ua767_EndlessBytes_AreNotKept() throws {
        var session = try #require(CuffFamilies.named("and-ua767pc")).makeSession(SessionContext())
        for _ in 0..<1000 { _ = session.handle(.received(Array("804C4C4960".utf8))) }
        var skipped = 0
        for action in session.handle(.closed) {
            if case .emit = action { Issue.record("a burst that never ended was read") }
            if case .report(.skipped(let bytes, .tooLong)) = action { skipped = bytes }
        }
        #expect(skipped == 10_000)
    }

    /// 152/76 with 96 is the printed example; 105/76 with 82 and 98/66 with 76 are the other known results.
    @Test(arguments: [("804C4C4960", 96), ("801D4C0052", 82), ("802042004C", 76), ("804C4C49FF", nil), ("804C4C4900", nil)])
    func ua767_LastCharacters_AreTheMean_WhereTheyCanBe(_ text: String, _ mean: Int?) throws {
        #expect(try Self.readings("and-ua767pc", text).first?.bloodPressure?.mean == mean.map { .mmHg($0) })
    }

    @Test(arguments: [
        "129, 107, 095\n", " 129, 107, 095", " 129,107, 095\n", " 129, 107, 095\r\n", "1129, 107, 095\n", "-129, 107, 095\n",
        " 129, 107,  95\n", " 256, 107, 095\n", " 107, 129, 095\n", " 129, 107, 000\n", " 000, 000, 000\n",
    ])
    func sunrom_AnythingElse_IsNoReading(_ text: String) throws {
        #expect(try Self.readings("sunrom-1437", text).isEmpty)
    }

    /// The example of the vendor's page.
    @Test func sunrom_VendorsExample() throws {
        #expect(try Self.readings("sunrom-1437", " 129, 107, 095\n").map(\.bloodPressure) == [.mmHg(129, 107, pulse: 95)])
    }

    @Test(arguments: [
        "\u{2} 150502 0943 125 075 099", "\u{2} 150502 0943 125 075 99\u{3}", "\u{2} 150502 0943 125 075 0999\u{3}",
        "\u{2}?150502 0943 125 075 099\u{3}", "\u{2} 150502 0943  25 075 099\u{3}", "\u{2} 150502?0943 125 075 099\u{3}",
    ])
    func paramatech_AnyOtherLayout_IsNoReading(_ text: String) throws {
        #expect(try Self.readings("paramatech-ft201", text).isEmpty)
    }

    private static let veroval = CuffFamilies.named("veroval-bpm25")

    @Test func veroval_ClosingCommand_GoesOutOnlyWhenEverythingIsOnDisk() throws {
        var session = try #require(Self.veroval).makeSession(SessionContext())
        var simulator = try #require(Self.veroval).makeSimulator(SimulatorScript())
        _ = session.handle(.command(.readMemory(user: nil)))
        let question: [UInt8] = [0xA5, 0xF9, 1, 1, 0xFB]
        var emitted = 0
        for _ in 0..<2 {
            guard case .write(let answer)? = simulator.handle(.received(question)).first else { throw Unexpected(nil) }
            _ = session.handle(.received(answer))
            emitted += Self.emissions(session.handle(.timerFired(.silence)))
        }
        #expect(emitted == 3)
        #expect(Self.writes(session.handle(.committed(through: 2))).isEmpty)
        #expect(Self.writes(session.handle(.committed(through: 3))) == [[0xA6, 0xF9, 1, 1, 0xFB]])
    }

    @Test func veroval_OneUsersReadings_AreThatUsers() throws {
        let script = SimulatorScript(records: SimulatedRecord.sample(count: 7, seed: 9))
        let talk = Conversation(try #require(Self.veroval), .readMemory(user: 2), script: script)
        #expect(talk.readings.map(\.user) == [2, 2, 2])
        #expect(talk.outcome == .complete)
        // The closing command may erase what the other users have stored.
        #expect(Set(talk.writes) == [[0xA5, 0xF9, 1, 1, 0xFB]])
    }

    @Test func veroval_AnswersThatDiffer_AreNotTaken() throws {
        var session = try #require(Self.veroval).makeSession(SessionContext())
        _ = session.handle(.command(.readMemory(user: nil)))
        var actions = SessionActions()
        for systolic in UInt8(120)...126 {
            let record: [UInt8] = [1, 1, 0, systolic, 0, 80, 0, 70, 5, 5, 0x07, 0xEA, 7, 31]
            actions += session.handle(.received([0xA5, 0xF9, 1] + record + [0]))
            actions += session.handle(.timerFired(.silence))
        }
        #expect(Self.emissions(actions) == 0)
        #expect(actions.contains { if case .finish(.failed) = $0 { true } else { false } })
    }

    @Test func veroval_OneAnswerAndThenSleep_IsTakenWithAWarning() throws {
        var session = try #require(Self.veroval).makeSession(SessionContext())
        _ = session.handle(.command(.readMemory(user: nil)))
        let record: [UInt8] = [1, 1, 0, 120, 0, 80, 0, 70, 5, 5, 0x07, 0xEA, 7, 31]
        _ = session.handle(.received([0xA5, 0xF9, 1] + record + [0]))
        var actions = session.handle(.timerFired(.silence))
        for _ in 0..<3 { actions += session.handle(.timerFired(.response)) }
        #expect(Self.emissions(actions) == 1)
        #expect(actions.contains { if case .report(.warning) = $0 { true } else { false } })
    }

    @Test(arguments: [(2, UInt8(1)), (4, 1), (0, 0), (0, 10), (8, 13), (9, 32), (10, 0x06), (12, 24), (13, 60)])
    func veroval_RecordThatCannotBe_SpoilsTheAnswer(_ offset: Int, _ value: UInt8) throws {
        var record: [UInt8] = [1, 1, 0, 120, 0, 80, 0, 70, 5, 5, 0x07, 0xEA, 7, 31]
        let good = record
        #expect(try Self.readings("veroval-bpm25", [0xA5, 0xF9, 2] + good + record + [0]).count == 2)
        record[offset] = value
        #expect(try Self.readings("veroval-bpm25", [0xA5, 0xF9, 2] + good + record + [0]).isEmpty)
    }

    private static func emissions(_ actions: some Sequence<SessionAction>) -> Int {
        actions.count { if case .emit = $0 { true } else { false } }
    }
    private static func writes(_ actions: some Sequence<SessionAction>) -> [[UInt8]] {
        actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
    }
}
