import CuffCore
import TestSupport
import Testing

/// Simulator and session over a line that drops, doubles or flips a bit in 1 % of the bytes, in both directions.
@Suite struct FaultyLineTests {
    static let seeds: Range<UInt64> = 0..<Effort.choose(8, exhaustive: 300)

    /// Commands that end by themselves and make a driver send requests.
    static let questions: [(driver: String, command: SessionCommand)] = CuffFamilies.all.flatMap { driver in
        SessionCommand.all.compactMap { command in
            guard command != .follow else { return nil }
            let clean = Conversation(driver, command)
            return clean.writes.isEmpty ? nil : (driver.id.description, command)
        }
    }

    @Test func questions_AreAsked() {
        #expect(!Self.questions.isEmpty)
    }

    @Test(arguments: questions)
    func cleanLine_EndsInAResult(_ driver: String, _ command: SessionCommand) throws {
        let driver = try #require(CuffFamilies.named(driver))
        let talk = Conversation(driver, command)
        // A cuff may have refused the request.
        #expect(
            talk.outcome == .complete || talk.outcome?.isUnsupported == true,
            "\(driver.id) \(command): \(talk.outcome.map { "\($0)" } ?? "no end")")
        if case .readMemory = command { #expect(!talk.readings.isEmpty) }
        if case .measure = command { #expect(!talk.readings.isEmpty) }
        Self.expectTrue(talk.readings, driver)
    }

    @Test(arguments: questions)
    func badLine_EndsInTime_WithoutAWrongNumber(_ driver: String, _ command: SessionCommand) throws {
        let driver = try #require(CuffFamilies.named(driver))
        var wrong: [String] = []
        for seed in Self.seeds {
            let talk = Conversation(driver, command, faultRate: 0.01, seed: seed)
            if talk.outcome == nil { wrong.append("hangs with seed \(seed) after \(talk.steps) steps") }
            if driver.check != nil { wrong += Self.untrue(talk.readings, "seed \(seed)") }
        }
        #expect(wrong.isEmpty, "\(driver.id) \(command)")
    }

    @Test(arguments: CuffFamilies.all.filter { $0.capabilities.contains(.push) && $0.check != nil }.map(\.id.description))
    func badLine_Followed_GivesNoWrongNumber(_ driver: String) throws {
        let driver = try #require(CuffFamilies.named(driver))
        var wrong: [String] = []
        for seed in Self.seeds {
            let script = SimulatorScript(records: SimulatedRecord.sample(count: 5, seed: seed))
            let talk = Conversation(driver, .follow, script: script, faultRate: 0.01, seed: seed, closesAfter: .seconds(60))
            if talk.outcome == nil { wrong.append("no end with seed \(seed)") }
            wrong += Self.untrue(talk.readings, "seed \(seed)", of: script)
        }
        #expect(wrong.isEmpty, "\(driver.id)")
    }

    /// With a silent cuff, every command ends by the session's own timers.
    @Test(arguments: questions)
    func silentCuff_EndsInTime(_ driver: String, _ command: SessionCommand) throws {
        let driver = try #require(CuffFamilies.named(driver))
        let talk = Conversation(driver, command, faultRate: 0, script: nil)
        #expect(talk.outcome != nil, "\(driver.id) \(command) waits for ever")
        #expect(talk.readings.isEmpty)
    }

    /// Every value is one of the simulated cuff.
    static func expectTrue(
        _ readings: [Reading], _ driver: CuffDriver, _ where: String = "clean", of script: SimulatorScript = SimulatorScript()
    ) {
        #expect(untrue(readings, `where`, of: script).isEmpty, "\(driver.id)")
    }

    /// Readings that the simulated cuff does not hold.
    static func untrue(_ readings: [Reading], _ where: String, of script: SimulatorScript = SimulatorScript()) -> [String] {
        readings.compactMap { reading in
            guard let pressure = reading.bloodPressure else { return nil }
            let isHeld = script.records.contains { record in
                pressure.systolic.inMmHg == Double(record.systolic) && pressure.diastolic.inMmHg == Double(record.diastolic)
                    && (pressure.mean.map { $0.inMmHg == Double(record.mean) } ?? true)
                    && (pressure.pulse.map { $0.digits.value == Double(record.pulse) } ?? true)
                    && (reading.clock.time.map { abs($0.wallSeconds - record.time.wallSeconds) < 60 } ?? true)
            }
            return isHeld ? nil : "\(`where`): no such reading in the cuff, raw \(Hex.text(reading.raw.array))"
        }
    }
}

/// Receives everything and sends nothing.
struct MuteSimulator: CuffSimulator {
    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] { [] }
}

extension Conversation {
    /// With a silent cuff, if `script` is `nil`.
    init(_ driver: CuffDriver, _ command: SessionCommand, faultRate: Double, script: SimulatorScript?) {
        var mute = driver
        if script == nil { mute.makeSimulator = { _ in MuteSimulator() } }
        self.init(mute, command, script: script ?? SimulatorScript(), faultRate: faultRate)
    }
}
