import TestSupport
import Testing

@testable import CuffCore

/// Manager and agent over a damaged line: a command ends within its bound, what was acknowledged is stored, the rest is still in the agent,
/// and nothing is stored twice.
@Suite struct PHDLineTests {
    static let variants: [[String: String]] = [
        [:], ["configuration": "extended"], ["persons": "yes"], ["report": "variable"], ["report": "apart", "batch": "3"],
        ["status": "yes", "batch": "7"], ["report": "apart", "persons": "yes", "batch": "4"], ["store": "yes"],
        ["store": "yes", "persons": "yes", "status": "yes"], ["store": "yes", "entries": "100"],
    ]

    static let records: [SimulatedRecord] = {
        var records = SimulatedRecord.sample(count: 7, seed: 3)
        records[1].flags = [.irregularPulse]
        records[4].failure = .noValue
        return records
    }()

    static func text(_ records: [SimulatedRecord], _ options: [String: String]) -> [String] {
        records.filter { $0.failure == nil }.map {
            "\($0.time.wallSeconds) \(options["persons"] == "yes" ? $0.user : 0) \($0.systolic)/\($0.diastolic) \($0.pulse)"
        }.sorted()
    }

    /// Faults that keep APDUs whole; others; and all. A truncated APDU is completed by the first bytes of the next one if that comes at
    /// once, and the protocol has no checksum to detect it: see PHDFrame.
    static let faults: [[BadLine.Fault]] = [
        [.lost, .doubled, .split, .late, .noise], [.lost, .doubled, .truncated, .beheaded, .split, .noise], BadLine.Fault.allCases,
    ]

    /// A line that is bad for minutes, with sinks that are fast, slow or too slow for the agent, and then recovers.
    @Test(arguments: variants)
    func anyFaults_LoseNothing_AndDoubleNothing(_ options: [String: String]) {
        let wanted = Self.text(Self.records, options)
        for seed in UInt64(0)..<Effort.choose(22, exhaustive: 150) {
            var talk = PHDConversation(SimulatorScript(records: Self.records, options: options))
            let line = BadLine(seed: seed, every: 4 + seed % 12, faults: Self.faults[Int(seed % 3)])
            talk.use(line)
            talk.commitDelay = .milliseconds(Int64(seed % 11) * 350)
            talk.start(.follow)
            talk.run(until: .seconds(400))
            line.mend()
            talk.commitDelay = .milliseconds(5)
            talk.run(until: .seconds(430))
            // An agent that was refused stays silent until its button is pressed.
            talk.press()
            talk.run(until: .seconds(2000))
            talk.tell(.closed)
            let kept = talk.pressures
            #expect(kept == wanted, "seed \(seed): \(talk.notes.suffix(8))")
        }
    }

    /// Every single fault at every single write of a whole conversation.
    @Test(arguments: variants)
    func everySingleFault_LosesNothing_AndDoublesNothing(_ options: [String: String]) {
        let wanted = Self.text(Self.records, options)
        var clean = PHDConversation(SimulatorScript(records: Self.records, options: options))
        clean.start(.follow)
        clean.run(until: .seconds(100))
        #expect(clean.pressures == wanted)
        for fromAgent in [true, false] {
            for number in 0..<(fromAgent ? clean.agentWrites.count : clean.managerWrites.count) {
                for fault in BadLine.Fault.allCases {
                    let line = BadLine(seed: UInt64(number), every: 1, faults: [fault])
                    var talk = PHDConversation(SimulatorScript(records: Self.records, options: options))
                    talk.fault = { $0 == fromAgent && $1 == number ? line.pass($2) : [$2] }
                    talk.latency = { $0 == fromAgent && $1 == number ? line.latency() : .zero }
                    talk.start(.follow)
                    talk.run(until: .seconds(200))
                    talk.press()
                    talk.run(until: .seconds(400))
                    talk.tell(.closed)
                    #expect(
                        talk.pressures == wanted, "\(fault) at write \(number) of the \(fromAgent ? "agent" : "manager"): \(talk.notes)")
                }
            }
        }
    }

    /// Every write of the agent, cut short at every byte.
    @Test(arguments: [["configuration": "extended"], ["persons": "yes", "report": "variable"], ["store": "yes"]] as [[String: String]])
    func everyTruncation_LosesNothing(_ options: [String: String]) {
        let records = Array(Self.records.prefix(2))
        let wanted = Self.text(records, options)
        var clean = PHDConversation(SimulatorScript(records: records, options: options))
        clean.start(.follow)
        clean.run(until: .seconds(100))
        for (number, bytes) in clean.agentWrites.enumerated() {
            for length in 0..<bytes.count {
                var talk = PHDConversation(SimulatorScript(records: records, options: options))
                talk.fault = { $0 && $1 == number ? [Array($2.prefix(length))] : [$2] }
                talk.start(.follow)
                talk.run(until: .seconds(60))
                talk.press()
                talk.run(until: .seconds(200))
                talk.tell(.closed)
                #expect(talk.pressures == wanted, "write \(number) cut to \(length): \(talk.notes)")
            }
        }
    }

    /// A truncated report directly followed by the next one: no value of the first is made of the second's bytes, and in a recording the
    /// second is read.
    @Test func truncatedReport_IsNotFilledUpByTheNext() {
        let first = Hex.bytes(PHDStateTableTests.report) ?? []
        // 121/81, mean 95, at another minute.
        let second =
            Hex.bytes(
                "e700003e003c004e010100360000ffffffff0d1d002cf000000100020024000100120003000600790051005f20261120072012000002000a00412026112007201200"
            ) ?? []
        let accepted = PHDManagerAPDU.associationResponse(result: 0, manager: [1, 2, 3, 4, 5, 6, 7, 8])
        for length in 6..<first.count {
            var live = PHDVectorTests.Manager()
            live.take(PHDVectorTests.request)
            live.writes = []
            live.play(.received(Array(first.prefix(length)) + second))
            #expect(live.readings.isEmpty && live.writes == ["e60000020000"], "cut to \(length): \(live.writes)")
            var recorded = CuffDriver.phd.makeSession(SessionContext())
            var readings: [Reading] = []
            let begin: [SessionEvent] = [.opened, .received(Hex.bytes(PHDVectorTests.request) ?? []), .sent(accepted)]
            for event in begin + [.received(first.prefix(length) + second + second), .closed] {
                for action in recorded.handle(event) { if case .emit(let reading) = action { readings.append(reading) } }
            }
            #expect(readings.compactMap { $0.bloodPressure?.systolic.digits.mantissa } == [121, 121], "cut to \(length)")
        }
    }

    /// A read over a line that stays bad: it ends with an error, and everything acknowledged is stored.
    @Test(arguments: variants)
    func aReadOverABadLine_Ends_AndLosesNothingThatWasAcknowledged(_ options: [String: String]) {
        for seed in UInt64(0)..<Effort.choose(14, exhaustive: 90) {
            var talk = PHDConversation(SimulatorScript(records: Self.records, interval: .milliseconds(200), options: options))
            let line = BadLine(seed: seed, every: 3 + seed % 5, faults: Self.faults[Int(seed % 2)])
            talk.use(line)
            talk.commitDelay = .milliseconds(Int64(seed % 7) * 500)
            talk.start(.readMemory(user: nil))
            talk.run(until: .seconds(7200))
            #expect(talk.outcome != nil, "seed \(seed) has no end")
            // A minute after the last possible progress: seven records, and as many steps as a plan has.
            #expect(talk.now <= .seconds(600), "seed \(seed) took \(talk.now)")
            if case .unsupported = talk.outcome { #expect(Bool(false)) }
            guard let agent = talk.agent as? PHDSimulator else { return #expect(Bool(false)) }
            let held = agent.unsent + agent.segments.flatMap { $0 }
            let forgotten = Self.records.filter { !held.contains($0) }
            #expect(Set(talk.pressures).isSuperset(of: Self.text(forgotten, options)), "seed \(seed): \(talk.notes.suffix(8))")
            #expect(Set(talk.pressures).count == talk.pressures.count, "seed \(seed)")
            if talk.outcome == .complete, options["store"] == "yes" {
                #expect(Set(talk.pressures).isSuperset(of: Self.text(Self.records, options)), "seed \(seed) says it is complete")
            }
        }
    }

    /// Single bytes lost, doubled and changed, one in a hundred: values may be wrong without a check, but it ends.
    @Test(arguments: variants, [0.002, 0.01, 0.05])
    func aReadOverAWornLine_Ends(_ options: [String: String], _ rate: Double) {
        for seed in UInt64(0)..<Effort.choose(8, exhaustive: 25) {
            var talk = PHDConversation(SimulatorScript(records: Self.records, interval: .milliseconds(200), options: options))
            let line = BadLine(seed: seed, byteRate: rate)
            talk.use(line)
            talk.start(.readMemory(user: nil))
            talk.run(until: .seconds(7200))
            #expect(talk.outcome != nil && talk.now <= .seconds(600), "seed \(seed): \(talk.now)")
        }
    }

    /// An agent that associates repeatedly without any data getting through.
    @Test func associationsWithoutProgress_AreCounted() {
        var talk = PHDConversation(SimulatorScript(records: Self.records, interval: .milliseconds(100), options: ["release": "no"]))
        // Reports are lost; everything else arrives.
        talk.fault = { fromAgent, _, bytes in fromAgent && bytes.count > 10 && bytes[9] == 1 && bytes[8] == 1 ? [] : [bytes] }
        talk.start(.readMemory(user: nil))
        talk.run(until: .seconds(7200))
        guard case .failed(let why) = talk.outcome else { return #expect(Bool(false), "\(String(describing: talk.outcome))") }
        #expect(why.hasPrefix("\(PHDProgress.limitInRow) associations"))
        #expect(talk.now <= PHDProgress.patience)
        #expect(talk.readings.isEmpty)
    }

    /// The same unconfirmed report again and again is not progress.
    @Test func confirmationsThatAreLost_AreNoProgress() {
        var talk = PHDConversation(SimulatorScript(records: Self.records, interval: .milliseconds(100)))
        talk.fault = { fromAgent, _, bytes in !fromAgent && bytes.count == 22 && bytes[8] == 2 ? [] : [bytes] }
        talk.start(.readMemory(user: nil))
        talk.run(until: .seconds(7200))
        guard case .failed = talk.outcome else { return #expect(Bool(false), "\(String(describing: talk.outcome))") }
        #expect(talk.now <= PHDProgress.patience + .seconds(10))
        // The reading is stored once, and the agent still has it.
        #expect(talk.pressures == Self.text(Array(Self.records.prefix(1)), [:]))
        #expect((talk.agent as? PHDSimulator)?.unsent.count == Self.records.count)
    }

    @Test func patience_IsTheOptions() {
        var talk = PHDConversation(SimulatorScript(records: Self.records), options: ["patience": "7"])
        talk.fault = { _, _, _ in [] }
        talk.start(.readMemory(user: nil))
        talk.run(until: .seconds(7200))
        #expect(talk.now == .seconds(7))
        guard case .noAnswer = talk.outcome else { return #expect(Bool(false), "\(String(describing: talk.outcome))") }
    }

    /// All of our ABRTs except every third are lost, but the agent receives one.
    @Test func lostABRT_IsRepeated() {
        var talk = PHDConversation(SimulatorScript(records: Self.records, options: ["store": "yes"]))
        var aborts = 0
        talk.fault = { fromAgent, number, bytes in
            if !fromAgent, bytes.first == 0xE6 {
                aborts += 1
                return aborts % 3 == 0 ? [bytes] : []
            }
            // The answer to the first request is lost, so that the association is given up.
            return fromAgent && number == 3 ? [] : [bytes]
        }
        talk.start(.follow)
        talk.run(until: .seconds(100))
        #expect(aborts == 3)
        #expect(talk.pressures == Self.text(Self.records, ["store": "yes"]))
    }

    /// A wrong length swallows what follows, but only for a limited time.
    @Test func wrongLength_IsGivenUp_WhileBytesKeepComing() {
        var manager = PHDVectorTests.Manager()
        manager.take(PHDVectorTests.request)
        manager.writes = []
        manager.play(.received([0xE7, 0x00, 0x20, 0x3E, 0x00, 0x3C]))
        let limits = manager.actions.compactMap { if case .arm(.frame, let limit) = $0 { limit } else { nil } }
        #expect(limits.last == .milliseconds(2000 + 2 * 0x203E))
        // More bytes restart the pause between bytes, but not the limit of the whole.
        manager.actions.removeAll()
        manager.play(.received([UInt8](repeating: 0, count: 40)))
        #expect(!manager.actions.contains { if case .arm(.frame, _) = $0 { true } else { false } })
        #expect(manager.actions.contains { if case .arm(.silence, _) = $0 { true } else { false } })
        manager.play(.timerFired(.frame))
        #expect(manager.writes == ["e60000020002"])
        #expect(manager.session.reader.waiting == 0)
    }

    /// A damaged configuration does not fit; reports that it cannot decode are not confirmed.
    @Test func damagedConfiguration_IsAskedForAgain() {
        var talk = PHDConversation(SimulatorScript(records: Self.records, options: ["configuration": "extended"]))
        talk.fault = { fromAgent, number, bytes in
            guard fromAgent, number == 1 else { return [bytes] }
            // The compound's length in the attribute-value-map: 12 bytes instead of 10.
            var damaged = bytes
            for place in 0..<(bytes.count - 3) where Array(bytes[place..<place + 4]) == [0x0A, 0x75, 0x00, 0x0A] {
                damaged[place + 3] = 0x0C
            }
            return [damaged]
        }
        talk.start(.follow)
        talk.run(until: .seconds(200))
        talk.tell(.closed)
        #expect(talk.pressures == Self.text(Self.records, [:]), "\(talk.notes)")
    }
}
