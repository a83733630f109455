import Testing

@testable import CuffCore

/// `hl7-oru`: a corrected result is a revision of its reading, and a withdrawn one invalidates it.
@Suite struct HL7CorrectionTests {
    private typealias B = HL7Bytes

    /// A link, with its output.
    private struct Line {
        private var link: LinkState
        private var clock = Duration.zero
        var readings: [Reading] = []
        var writes: [String] = []
        var warnings: [String] = []
        var memory: [String: [UInt8]] = [:]

        init(memory: [String: [UInt8]] = [:], isRecorded: Bool = false) {
            var setup = LinkState.Setup(.hl7ORU, memory: memory)
            setup.isRecorded = isRecorded
            link = LinkState(setup)
            handle(.transport(.opened))
        }

        mutating func hear(_ segments: [String]) { handle(.transport(.received(B.block(segments)))) }

        private mutating func handle(_ event: LinkEvent) {
            clock += .seconds(1)
            let time = LinkTime(elapsed: clock, wall: Timestamp(milliseconds: 1_778_000_000_000))
            var effects: [LinkEffect] = []
            link.handle(event, at: time, into: &effects)
            link.flush(into: &effects)
            while !effects.isEmpty {
                var next: [LinkEffect] = []
                for effect in effects {
                    switch effect {
                    case .submit(let batch):
                        readings += batch.entries.readings
                        link.handle(.committed(through: batch.through), at: time, into: &next)
                    case .write(let bytes): writes.append(String(decoding: bytes, as: UTF8.self))
                    case .remember(let key, let value): memory[key] = value
                    case .notify(.diagnostic(.warning(let text))): warnings.append(text)
                    default: break
                    }
                }
                effects = next
            }
        }
    }

    private static func result(
        _ id: String, _ systolic: Int, _ diastolic: Int, status: String = "F", placer: String = "", time: String = B.time,
        order: String = "", worth: String = "", patient: String = ""
    ) -> [String] {
        [
            B.header(id), patient.isEmpty ? "EVN|" : "PID|1||\(patient)", "OBR|1|\(placer)||MON|||\(time)||||||||||||||||||\(order)",
            B.value("150301^^MDC", "\(systolic)", worth: worth, status: status, time: time),
            B.value("150302^^MDC", "\(diastolic)", worth: worth, status: status, time: time),
        ]
    }

    private static func pairs(_ readings: [Reading]) -> [String] {
        readings.map { reading in
            guard let pressure = reading.bloodPressure else { return "-" }
            return "\(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa)"
        }
    }

    /// Status of the values, or of the order.
    @Test(arguments: [("C", ""), ("F", "C")])
    func aCorrection_IsARevision(_ status: String, _ order: String) throws {
        var line = Line()
        line.hear(Self.result("M1", 166, 100, placer: "A7"))
        line.hear(Self.result("M2", 126, 80, status: status, placer: "A7", order: order))
        #expect(Self.pairs(line.readings) == ["166/100", "126/80"])
        #expect(line.readings.map(\.revision) == [0, 1] && Set(line.readings.map(\.id)).count == 1)
        #expect(line.writes.count { $0.contains("MSA|AA|") } == 2)
        // The next one is the next revision; a repetition is ignored.
        line.hear(Self.result("M3", 127, 81, status: status, placer: "A7", order: order))
        line.hear(Self.result("M4", 127, 81, status: status, placer: "A7", order: order))
        #expect(line.readings.map(\.revision) == [0, 1, 2] && Set(line.readings.map(\.id)).count == 1)
        #expect(line.writes.count { $0.contains("MSA|AA|") } == 4 && line.warnings.isEmpty)
    }

    /// The order number identifies the reading, also if its time was wrong; without it, the time does.
    @Test func whichOne_TheOrderNumberSays_OrTheTime() {
        for (placer, otherTime) in [("A7", "20260505080000"), ("", B.time)] {
            var line = Line()
            line.hear(Self.result("M1", 120, 79, placer: placer.isEmpty ? "" : "A6", time: "20260505070000"))
            line.hear(Self.result("M2", 166, 100, placer: placer))
            line.hear(Self.result("M3", 126, 80, status: "C", placer: placer, time: otherTime))
            #expect(line.readings.map(\.id)[2] == line.readings.map(\.id)[1] && line.readings.map(\.revision) == [0, 0, 1])
        }
        // An order with two determinations: the time distinguishes them; otherwise nothing is replaced.
        var line = Line()
        line.hear(Self.result("M1", 120, 79, placer: "A7", time: "20260505070000"))
        line.hear(Self.result("M2", 166, 100, placer: "A7", time: "20260505080000"))
        line.hear(Self.result("M3", 126, 80, status: "C", placer: "A7", time: "20260505080000"))
        line.hear(Self.result("M4", 127, 81, status: "C", placer: "A7", time: "20260505090000"))
        #expect(line.readings[2].id == line.readings[1].id && line.readings[2].revision == 1)
        #expect(Set(line.readings.map(\.id)).count == 3 && line.readings[3].revision == 0 && line.warnings.count == 1)
    }

    @Test func anotherMonitorsReading_IsNotCorrected() {
        var line = Line()
        line.hear(Self.result("M1", 166, 100))
        line.hear(Self.result("M2", 126, 80, status: "C").map { $0.replacing("Monitor|Ward", with: "Monitor|Other") })
        #expect(Set(line.readings.map(\.id)).count == 2 && line.readings.map(\.revision) == [0, 0] && line.warnings.count == 1)
    }

    @Test func anEarlyResult_IsReplacedByTheFinalOne() {
        for (systolic, diastolic) in [(128, 82), (131, 84)] {
            var line = Line()
            line.hear(Self.result("M1", 128, 82, status: "P"))
            line.hear(Self.result("M2", systolic, diastolic))
            #expect(line.readings.map { $0.flags.contains(.earlyIndication) } == [true, false])
            #expect(line.readings.map(\.revision) == [0, 1] && Set(line.readings.map(\.id)).count == 1)
        }
        var line = Line()
        line.hear(Self.result("M1", 128, 82))
        line.hear(Self.result("M2", 131, 84))
        #expect(Set(line.readings.map(\.id)).count == 2 && line.readings.map(\.revision) == [0, 0])
    }

    /// An order may have many results, and a gateway sends those of many patients.
    @Test(arguments: [("20260505080000", "1"), (B.time, "2")])
    func aFinalResult_OfAnotherTimeOrPatient_IsAReadingOfItsOwn(_ time: String, _ patient: String) {
        var line = Line()
        line.hear(Self.result("M1", 128, 82, status: "P", placer: "A7", patient: "1"))
        line.hear(Self.result("M2", 140, 90, placer: "A7", time: time, patient: patient))
        #expect(Self.pairs(line.readings) == ["128/82", "140/90"])
        #expect(Set(line.readings.map(\.id)).count == 2 && line.readings.map(\.revision) == [0, 0])
    }

    @Test func equalResults_OfTwoPatients_AreTwoReadings() {
        var line = Line()
        for patient in ["1", "2", "1", "2"] { line.hear(Self.result("M", 128, 82, patient: patient)) }
        #expect(Self.pairs(line.readings) == ["128/82", "128/82"] && Set(line.readings.map(\.id)).count == 2)
    }

    @Test(arguments: ["W", "D"])
    func aWithdrawnReading_IsTakenBack(_ status: String) throws {
        var line = Line()
        line.hear(Self.result("M1", 166, 100))
        line.hear(Self.result("M2", 166, 100, status: status))
        try #require(line.readings.count == 2)
        let last = line.readings[1]
        #expect(last.isWithdrawal && last.id == line.readings[0].id && last.revision == Reading.lastRevision)
        var text = TextBuffer()
        ReadingLine().append(.reading(last), device: "Monitor Ward", to: &text)
        #expect(text.string.hasPrefix(#"{"type":"deleted","of":"blood_pressure","schema":1,"id":""#))
        #expect(text.string.contains(#""revision":255"#) && !text.string.contains("166"))
        // A repetition is ignored, as is its correction.
        line.hear(Self.result("M3", 166, 100, status: status))
        line.hear(Self.result("M4", 126, 80, status: "C"))
        #expect(line.readings.count == 2 && line.warnings.count == 1)
        #expect(line.writes.count { $0.contains("MSA|AA|") } == 4)
    }

    @Test func aWithdrawalOfSomethingUnknown_IsSaidAndAnswered() {
        var line = Line()
        line.hear(Self.result("M1", 166, 100, status: "D"))
        #expect(line.readings.isEmpty && line.warnings.count == 1 && line.writes.count { $0.contains("MSA|AA|M1\r") } == 1)
    }

    @Test func overARestart_TheIdIsRemembered_AndOfARecordingNothing() {
        var first = Line()
        first.hear(Self.result("M1", 166, 100, placer: "A7"))
        var second = Line(memory: first.memory)
        second.hear(Self.result("M2", 126, 80, status: "C", placer: "A7"))
        var third = Line(memory: first.memory.merging(second.memory) { $1 })
        third.hear(Self.result("M3", 126, 80, status: "C", placer: "A7"))
        third.hear(Self.result("M4", 126, 80, status: "W", placer: "A7"))
        let all = first.readings + second.readings + third.readings
        #expect(Set(all.map(\.id)).count == 1 && all.map(\.revision) == [0, 1, 1, 255])
        // Ids without values.
        let kept = first.memory.values.flatMap { $0 }
        #expect(!kept.isEmpty && !String(decoding: kept, as: UTF8.self).contains("166"))

        var recorded = Line(memory: first.memory, isRecorded: true)
        recorded.hear(Self.result("M2", 126, 80, status: "C", placer: "A7"))
        #expect(recorded.readings.map(\.revision) == [0] && recorded.memory.isEmpty)
        var whole = Line(isRecorded: true)
        whole.hear(Self.result("M1", 166, 100, placer: "A7"))
        whole.hear(Self.result("M2", 126, 80, status: "C", placer: "A7"))
        #expect(whole.readings.map(\.revision) == [0, 1] && whole.memory.isEmpty)
    }

    @Test func whatIsRemembered_HasALimit() {
        var line = Line()
        for number in 0..<300 {
            let time = "2026050507\(Decimal.text(number / 60, 2))\(Decimal.text(number % 60, 2))"
            for round in 0..<8 { line.hear(Self.result("M", 100 + round, 80, placer: "\(number)-\(round)", time: time)) }
        }
        #expect(line.memory.values.allSatisfy { $0.count <= 16 * 34 } && line.memory.count <= 256)
    }
}
