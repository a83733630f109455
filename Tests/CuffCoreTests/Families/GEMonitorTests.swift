import Testing

@testable import CuffCore

/// Two monitors that repeat their last result without its time: `ge-dri` and `ge-unity`.
@Suite struct GEMonitorTests {
    private static func bytes(_ file: String) throws -> [[UInt8]] {
        let file = try #require(CaptureFile.own.first { $0.testDescription == file })
        return file.items.compactMap { if case .fromCuff(let bytes) = $0.content { bytes } else { nil } }
    }

    private static func readings(_ actions: [SessionAction]) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    private static func writes(_ actions: [SessionAction]) -> [[UInt8]] {
        actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
    }

    /// The request of LNhealth, s5.scm, with its five seconds: 49 bytes, a sum of 31 + FF + 1 + 5 + E = 144, so 44.
    @Test func dri_Request_IsTheDocumentedOne() {
        let request = GeDRIRequest.displayedValues(every: 5)
        let zeros = [UInt8](repeating: 0, count: 20)
        let expected: [UInt8] = [0x7E, 0x31] + zeros + [0xFF] + zeros.prefix(18) + [1, 5, 0, 0x0E, 0, 0, 0, 0, 0, 0x44, 0x7E]
        #expect(request == expected)
        #expect(GeDRIRequest.displayedValues(every: 0x7D) != GeDRIRequest.displayedValues(every: 0x5D))
        let stuffed = GeDRIRequest.displayedValues(every: 0x7D)
        let record = GeDRIFrame.record(stuffed.span)
        #expect(record?[41] == 0x7D)
    }

    @Test(arguments: [[:], ["layout": "old"]]) func dri_Read_TakesTheResultAndStopsTheRecords(_ options: [String: String]) throws {
        let script = SimulatorScript(options: options)
        let talk = Conversation(.geDRI, .readMemory(user: nil), script: script)
        #expect(talk.outcome == .complete)
        let pressure = try #require(talk.readings.first?.bloodPressure)
        #expect(talk.readings.count == 1 && talk.readings[0].origin == .memory)
        let record = script.records[0]
        #expect(pressure.systolic == Pressure(Digits(mantissa: Int64(record.systolic) * 100, exponent: -2), .mmHg))
        #expect([pressure.diastolic, pressure.mean].map { $0?.inMmHg } == [Double(record.diastolic), Double(record.mean)])
        #expect(pressure.pulse == PulseRate(record.pulse))
        #expect(talk.writes == [GeDRIRequest.displayedValues(every: 10), GeDRIRequest.displayedValues(every: 0)])
    }

    @Test func dri_Follow_ReadsEachDeterminationOnce() {
        let script = SimulatorScript()
        let talk = Conversation(.geDRI, .follow, script: script, closesAfter: .seconds(120))
        #expect(talk.readings.compactMap { $0.bloodPressure?.systolic.inMmHg } == script.records.map { Double($0.systolic) })
        #expect(talk.readings.map(\.origin) == [.memory, .measurement, .measurement])
        #expect(talk.readings.allSatisfy { $0.trigger == .automatic })
        #expect(talk.lives == [.started, .ended, .started, .ended])
        #expect(talk.writes == [GeDRIRequest.displayedValues(every: 10)])
    }

    @Test func dri_WhileItMeasures_AReadSaysSo() {
        var session = GeDRISession()
        _ = session.handle(.command(.readMemory(user: nil)))
        let measuring = Self.record(label: 0x2B, [11800, 7200, 8700, 64])
        let actions = session.handle(.received(measuring))
        #expect(Self.readings(actions).isEmpty)
        #expect(actions.contains { if case .finish(.failed) = $0 { true } else { false } })
        #expect(Self.writes(actions) == [GeDRIRequest.displayedValues(every: 0)])
    }

    /// Who started the measurement, from the label.
    @Test(
        arguments: [
            (0x0B, Reading.Trigger.automatic), (0x08, .automatic), (0x13, .automatic), (0x03, .manual), (0x101, .manual), (0x00, .unknown),
        ] as [(UInt16, Reading.Trigger)])
    func dri_Label_TellsTheTrigger(_ label: UInt16, _ trigger: Reading.Trigger) throws {
        var session = GeDRISession()
        let readings = Self.readings(session.handle(.received(Self.record(label: label, [11800, 7200, 8700, 64]))))
        #expect(readings.map(\.trigger) == [trigger])
    }

    @Test(arguments: [0x8B, 0x2B] as [UInt16]) func dri_CalibratingOrMeasuring_IsNoReading(_ label: UInt16) {
        var session = GeDRISession()
        #expect(Self.readings(session.handle(.received(Self.record(label: label, [11800, 7200, 8700, 64])))).isEmpty)
    }

    /// The end of a measurement makes a reading, also with equal values; if the monitor labels it older than a minute, the reading is
    /// questionable.
    @Test(arguments: [(0x03, MeasurementFlags()), (0x103, .questionable)] as [(UInt16, MeasurementFlags)])
    func dri_EndOfMeasuring_WithOldData_IsFlagged(_ label: UInt16, _ flags: MeasurementFlags) {
        var session = GeDRISession()
        var readings: [Reading] = []
        for label in [0x103, 0x123, label, label] {
            readings += Self.readings(session.handle(.received(Self.record(label: label, [11800, 7200, 8700, 64]))))
        }
        #expect(readings.map(\.flags) == [[], flags])
        #expect(readings.map(\.origin) == [.memory, .measurement])
    }

    /// One of 256 damaged records has a right sum: after much damage the same values must come twice.
    @Test func dri_AfterMuchDamage_ValuesMustComeTwice() {
        let good = Self.record(label: 3, [11800, 7200, 8700, 64])
        var damaged = good
        damaged[200] ^= 1
        var session = GeDRISession()
        for _ in 0..<3 { #expect(Self.readings(session.handle(.received(damaged))).isEmpty) }
        #expect(Self.readings(session.handle(.received(good))).isEmpty)
        #expect(Self.readings(session.handle(.received(good))).count == 1)
        // After one damaged record the next is accepted.
        var other = GeDRISession()
        #expect(Self.readings(other.handle(.received(damaged + good))).count == 1)
    }

    private static func record(label: UInt16, _ values: [Int16]) -> [UInt8] {
        var record = [UInt8](repeating: 0, count: 318)
        record[0] = 0x3E
        record[1] = 0x01
        record[18] = 1
        record[21] = 0xFF
        record[116] = 3
        for (index, word) in ([label] + values.map { UInt16(bitPattern: $0) }).enumerated() {
            record[120 + 2 * index] = UInt8(word & 255)
            record[121 + 2 * index] = UInt8(word >> 8)
        }
        return GeDRIFrame.encode(record)
    }

    /// The request printed in mindleaving/patient-monitor-datalogger, whatever the command.
    @Test func unity_SendsThePrintedRequestOnly() throws {
        let printed =
            "40 00 00 00 00 00 00 00 00 00 00 00 00 ca 00 23 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
            + "00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 f4 cc"
        let request = try #require(Hex.bytes(printed))
        for command in SessionCommand.all {
            let talk = Conversation(.geUnity, command, faultRate: 0.02, seed: 5, closesAfter: .seconds(60))
            #expect(talk.writes.allSatisfy { $0 == request }, "\(command)")
        }
        #expect(Conversation(.geUnity, .follow, closesAfter: .seconds(60)).writes.count >= 10)
        var session = GeUnitySession()
        #expect(Self.writes(session.handle(.opened)).isEmpty)
    }

    @Test func unity_Read_BelievesWhatComesTwice() throws {
        let script = SimulatorScript(pushes: false)
        let talk = Conversation(.geUnity, .readMemory(user: nil), script: script)
        #expect(talk.outcome == .complete)
        let record = script.records[0]
        #expect(talk.readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean)])
        #expect(talk.readings.map(\.flags) == [.noMeasurementCheck])
        #expect(talk.writes.count == 2)
    }

    /// Parameters of type 10 and 57 may both be present: the one with values counts.
    @Test func unity_TheSecondKindOfCuff_IsRead() throws {
        var answer = try Self.bytes("ge-unity/result-repeated-then-changed")[0]
        let (first, third) = (60 + 6, 60 + 6 + 2 * 68)
        #expect(answer[third + 64] == 10)
        // The ECG becomes a cuff without values, the cuff one of type 57.
        for offset in [4, 6, 8] { answer.replaceSubrange(first + offset..<first + offset + 2, with: [0x80, 0x01]) }
        answer[first + 64] = 10
        answer[third + 64] = 57
        var session = GeUnitySession()
        #expect(Self.readings(session.handle(.received(answer))).map { $0.bloodPressure?.systolic.inMmHg } == [118])
    }

    @Test func unity_AnswersThatDiffer_AreNotTaken() throws {
        let answer = try Self.bytes("ge-unity/result-repeated-then-changed")[0]
        var session = GeUnitySession()
        var actions = session.handle(.command(.readMemory(user: nil)))
        for round in 0..<10 {
            var other = answer
            // Systolic of the third parameter, low byte.
            other[60 + 6 + 2 * 68 + 7] = UInt8(118 + round)
            actions += session.handle(.received(other))
            actions += session.handle(.timerFired(.poll))
        }
        #expect(Self.readings(actions).isEmpty)
        #expect(actions.contains { if case .finish(.failed) = $0 { true } else { false } })
    }

    static let repeated = [
        ("ge-dri", "ge-dri/result-repeated-then-changed"), ("ge-unity", "ge-unity/result-repeated-then-changed"),
        ("intellivue", "intellivue/object-without-a-time"),
    ]

    /// The process is killed after each message, and the next one begins with the same message: no reading is doubled.
    @Test(arguments: repeated) func aRestart_DoublesNothing(_ id: String, _ capture: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        var left = OutstandingRecords()
        var ids: [Reading.ID] = []
        var time: Int64 = 1_778_000_000_000
        for message in try Self.bytes(capture) {
            for _ in 0..<2 {
                var setup = LinkState.Setup(driver, device: "bed 4")
                let before = left
                setup.outstanding = { _ in before }
                var link = LinkState(setup)
                var effects: [LinkEffect] = []
                for event in [LinkEvent.transport(.opened), .transport(.received(message)), .transport(.closed(nil))] {
                    time += 1000
                    link.handle(event, at: LinkTime(elapsed: .zero, wall: Timestamp(milliseconds: time)), into: &effects)
                    link.flush(into: &effects)
                }
                for effect in effects {
                    if case .persist(let records, _, _) = effect { left = records }
                    guard case .submit(let batch) = effect else { continue }
                    ids += batch.entries.readings.map(\.id)
                }
            }
        }
        let whole = Played(try #require(CaptureFile.own.first { $0.testDescription == capture }).items, driver: driver).lines
        let readings = whole.filter { $0.contains("\"blood_pressure\"") }
        #expect(Set(ids).count == readings.count, "\(ids.count) sightings")
        #expect(ids.count > readings.count)
    }

    /// A measurement that ended after a restart has a new result, even with equal values.
    @Test func dri_AfterARestart_AnEqualResultOfAMeasurementSeen_IsKept() {
        var left = OutstandingRecords()
        var time: Int64 = 1_778_000_000_000
        func run(_ labels: UInt16...) -> [Reading.ID] {
            var setup = LinkState.Setup(.geDRI, device: "bed 4")
            let before = left
            setup.outstanding = { _ in before }
            var link = LinkState(setup)
            var effects: [LinkEffect] = []
            let records = labels.map { LinkEvent.transport(.received(Self.record(label: $0, [11800, 7200, 8700, 64]))) }
            for event in [.transport(.opened)] + records + [.transport(.closed(nil))] {
                time += 1000
                link.handle(event, at: LinkTime(elapsed: .zero, wall: Timestamp(milliseconds: time)), into: &effects)
                link.flush(into: &effects)
            }
            for case .persist(let records, _, _) in effects { left = records }
            return effects.flatMap { effect -> [Reading.ID] in
                if case .submit(let batch) = effect { batch.entries.readings.map(\.id) } else { [] }
            }
        }
        let first = run(0x03)
        #expect(first.count == 1)
        #expect(run(0x03) == first)
        let second = run(0x23, 0x03)
        #expect(second.count == 1 && second != first)
        #expect(run(0x03) == second)
    }

    /// A following session on the same link does not repeat the result.
    @Test(arguments: ["ge-dri", "ge-unity"]) func readThenFollow_GivesTheResultOnce(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        let repeated = try Self.bytes("\(id)/result-repeated-then-changed")
        let capture = [repeated[0]] + repeated
        var link = LinkState(LinkState.Setup(driver, device: "bed 4", commands: [.readMemory(user: nil), .follow]))
        var effects: [LinkEffect] = []
        var time: Int64 = 1_778_000_000_000
        var readings: [Reading] = []
        for event in [LinkEvent.transport(.opened)] + capture.map({ LinkEvent.transport(.received($0)) }) {
            time += 1000
            link.handle(event, at: LinkTime(elapsed: .zero, wall: Timestamp(milliseconds: time)), into: &effects)
            link.flush(into: &effects)
        }
        for case .submit(let batch) in effects { readings += batch.entries.readings }
        #expect(readings.map { $0.bloodPressure?.systolic.inMmHg } == [118, 125])
        #expect(link.counters.duplicates == 1)
    }

    /// Equal values of two determinations are two readings if the monitor was measuring in between.
    @Test func dri_EqualDeterminations_HaveIDsOfTheirOwn() throws {
        let file = try #require(CaptureFile.own.first { $0.testDescription == "ge-dri/equal-values-after-measuring" })
        var session = GeDRISession()
        var ledger = ReadingLedger(device: "bed 4", driver: "ge-dri")
        var ids: [UInt64] = []
        for item in file.items {
            guard case .fromCuff(let bytes) = item.content else { continue }
            for action in session.handle(.received(bytes)) {
                if case .acknowledge(let through) = action { ledger.acknowledge(through: through) }
                guard case .emit(var reading) = action else { continue }
                if ledger.admit(&reading, received: Timestamp(milliseconds: 1_778_000_000_000 + Int64(ids.count))) {
                    ids.append(reading.id.hash)
                }
            }
        }
        #expect(ids.count == 2 && ids[0] != ids[1])
    }
}
