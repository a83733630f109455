import Testing

@testable import CuffCore

/// `hl7-oru`: makers' codes, OBX-8 and OBX-11, and pressures that are not read.
@Suite struct HL7CodeSystemTests {
    private typealias B = HL7Bytes

    @Test func edan() {
        let actions = B.heard([
            B.header(), B.value("393216^NIBP_SYS^EHC", "131"), B.value("393217^NIBP_DIA^EHC", "84"), B.value("393218^NIBP_MEAN^EHC", "99"),
            B.value("393219^NIBP_PR^EHC", "67", unit: "bpm"),
        ])
        #expect(actions.emitted.map(\.bloodPressure) == [.mmHg(131, 84, mean: 99, pulse: 67)])
        #expect(actions.emitted.map(\.flags) == [.noMeasurementCheck] && actions.ignored.isEmpty)
    }

    @Test(arguments: ["0002-4a05^NBPs^MDIL", "0002-4A05^^MDIL"])
    func philips(_ systolic: String) {
        let unit = "0002-0f20^mmHg^MDIL"
        let actions = B.heard([
            B.header(), B.value(systolic, "131", unit: unit), B.value("0002-4a06^NBPd^MDIL", "84", unit: unit),
            B.value("0002-4a07^NBPm^MDIL", "99", unit: unit),
        ])
        #expect(actions.emitted.map(\.bloodPressure) == [.mmHg(131, 84, mean: 99)])
        #expect(actions.emitted.map(\.flags) == [.noMeasurementCheck] && actions.ignored.isEmpty)
    }

    /// The cuff's own pulse first; where it is absent or unreadable, that of the spot record.
    @Test(arguments: [
        ("71", "60", 71), ("-100", "60", 60), ("0", "60", 60), ("8388607", "60", 60), ("", "60", 60), ("-100", "0", nil),
    ])
    func pulse(_ ofTheCuff: String, _ ofTheRecord: String, _ expected: Int?) {
        let unit = "264864^MDC_DIM_BEAT_PER_MIN^MDC"
        let actions = B.heard([
            B.header(), B.value("150301^^MDC", "120"), B.value("150302^^MDC", "80"),
            B.value("149546^MDC_PULS_RATE_NON_INV^MDC", ofTheCuff, unit: unit),
            B.value("149522^MDC_PULS_RATE^MDC", ofTheRecord, unit: unit),
        ])
        #expect(actions.emitted.map { $0.bloodPressure?.pulse } == [expected.map { PulseRate($0) }])
        #expect(actions.emitted.allSatisfy { ($0.bloodPressure?.pulseAbsence == .notMeasured) == (expected == nil) })
    }

    @Test func mindrayPulse() {
        let segments = ["170^Sys", "171^Dia", "172^Mean", "173^NIBP_PR"].enumerated().map { index, code in
            B.value(code, "\([131, 84, 99, 67][index])", unit: "")
        }
        let actions = B.heard(["MSH|^~\\&|||||||ORU^R01|503|P|2.3.1|", "OBR||||Monitor|||0|"] + segments)
        #expect(actions.emitted.map(\.bloodPressure) == [.mmHg(131, 84, mean: 99, pulse: 67)])
    }

    @Test(arguments: [
        ("7001^NIBP_SYS^OTHER", "131", "mmHg", "NM", true), ("7001^^OTHER", "131", "mmHg", "NM", true),
        ("7001^^OTHER", "17.4", "kPa", "NM", true), ("7001^Systolic^OTHER", "131", "", "NM", true),
        ("7001^NIBP^OTHER", "131/84", "mmHg", "ST", true), ("0002-4a15^ABPs^MDIL", "131", "0002-0f20^mmHg^MDIL", "NM", true),
        ("150033^MDC_PRESS_BLD_ART_SYS^MDC", "131", "mmHg", "NM", true), ("393216^NIBP_SYS^MDC", "131", "mmHg", "NM", false),
        ("7001^NIBP_SYS^OTHER", "", "mmHg", "NM", true), ("7001^NIBP_SYS^OTHER", "0", "mmHg", "NM", true),
        ("7001^SpO2^OTHER", "97", "%", "NM", true), ("7001^NIBP cuff size^OTHER", "2", "", "NM", true),
    ])
    func aPressureUnderAnotherCode_IsReported(_ code: String, _ value: String, _ unit: String, _ type: String, _ isAlone: Bool) {
        let actions = B.heard([B.header(), B.value(code, value, unit: unit, type: type)])
        let isPressure = !["", "0", "97", "2"].contains(value)
        #expect(actions.emitted.isEmpty && actions.ignored.isEmpty != isPressure, "\(actions.ignored)")
        // It is also reported beside a blood pressure that is read.
        guard isAlone else { return }
        let beside = B.heard([
            B.header(), B.value("150301^^MDC", "120"), B.value("150302^^MDC", "80"), B.value(code, value, unit: unit, type: type),
        ])
        #expect(beside.pressures == ["120/80"] && beside.ignored.isEmpty != isPressure, "\(beside.ignored)")
    }

    @Test func whatIsLostOrLeftOut_IsReported() {
        let cuff = [B.value("150301^^MDC", "120"), B.value("150302^^MDC", "80")]
        // A mean alone, a systolic pressure without its diastolic one, periodic values of Patient Data Share.
        #expect(!B.heard([B.header(), B.value("150303^^MDC", "95")]).ignored.isEmpty)
        #expect(!B.heard([B.header(), cuff[0], B.value("150302^^MDC", "")]).ignored.isEmpty)
        let periodic = ["MSH|^~\\&|||||||ORU^R01|204|P|2.3.1|", "OBR||||Monitor|||0|"]
        #expect(!B.heard(periodic + [B.value("170^Sys", "131", unit: "")]).ignored.isEmpty)
        #expect(B.heard(periodic + [B.value("101^HR", "71", unit: "")]).ignored.isEmpty)
        // Nothing was measured.
        #expect(B.heard([B.header(), B.value("150301^^MDC", "0"), B.value("150302^^MDC", "", status: "X")]).ignored.isEmpty)
        // A too long message, the end of the line within one, and an end that may have lost a pulse.
        let long = "NTE|1||" + String(repeating: "x", count: HL7Frame.maximumLength)
        var session = B.session()
        _ = session.handle(.received(B.block([B.header(), long] + cuff)))
        let next = session.handle(.received(B.block([B.header("M2")] + cuff)))
        #expect(next.pressures == ["120/80"] && next.ignored.count == 1, "\(next.ignored)")
        _ = session.handle(.received(Array(B.block([B.header()] + cuff).dropLast(2))))
        #expect(!session.handle(.closed).ignored.isEmpty)
        var bare = B.session()
        _ = bare.handle(.received(B.text([B.header()] + cuff)))
        let closed = bare.handle(.closed)
        #expect(closed.emitted.isEmpty && !closed.ignored.isEmpty)
    }

    @Test(
        arguments: [
            ("DEMO", .demoData), ("TEST", .testData), ("QUES", .questionable), ("CALIB", .calibrationOngoing), ("H", []), ("N", []),
            ("H~DEMO", .demoData), ("demo", .demoData), ("TEST~QUES", [.testData, .questionable]), ("DEMO^Demonstration^X", .demoData),
        ] as [(String, MeasurementFlags)])
    func wordsOfWorth_BecomeFlags(_ word: String, _ flags: MeasurementFlags) {
        for place in 0..<2 {
            let actions = B.heard([
                B.header(), B.value("150301^^MDC", "166", worth: place == 0 ? word : "", status: "R"),
                B.value("150302^^MDC", "100", worth: place == 1 ? word : "", status: "R"),
            ])
            #expect(actions.emitted.map(\.flags) == [flags.union(.noMeasurementCheck)])
        }
    }

    @Test(arguments: ["INV", "NAV", "L~INV"])
    func anInvalidPressure_GivesNoReading_AndSaysSo(_ word: String) {
        for place in 0..<2 {
            let actions = B.heard([
                B.header(), B.value("150301^^MDC", "151", worth: place == 0 ? word : ""),
                B.value("150302^^MDC", "96", worth: place == 1 ? word : ""), B.value("150303^^MDC", "114"),
            ])
            #expect(actions.emitted.isEmpty && !actions.ignored.isEmpty)
        }
        let mean = B.heard([
            B.header(), B.value("150301^^MDC", "151"), B.value("150302^^MDC", "96"), B.value("150303^^MDC", "114", worth: word),
            B.value("149546^^MDC", "67", unit: "bpm", worth: word),
        ])
        #expect(mean.pressures == ["151/96"])
        #expect(mean.emitted.first?.bloodPressure?.mean == nil && mean.emitted.first?.bloodPressure?.pulse == nil)
    }

    @Test(arguments: [
        ("F", true, false), ("R", true, false), ("", true, false), ("C", true, false), ("P", true, true), ("X", false, false),
        ("I", false, false), ("N", false, false), ("O", false, false), ("FX", false, false),
    ])
    func states(_ status: String, _ isRead: Bool, _ isEarly: Bool) {
        let actions = B.heard([
            B.header(), B.value("150301^^MDC", "128", status: status), B.value("150302^^MDC", "82", status: status),
        ])
        #expect(actions.pressures == (isRead ? ["128/82"] : []))
        #expect(actions.emitted.allSatisfy { $0.flags.contains(.earlyIndication) == isEarly })
    }

    @Test func aBlockThatEndsInFSAlone_IsReadAndAnswered() {
        let bytes = Array(B.block([B.header(), B.value("150301^^MDC", "128"), B.value("150302^^MDC", "82")]).dropLast())
        var silent = B.session()
        let heard = silent.handle(.received(bytes))
        #expect(heard.emitted.isEmpty && heard.contains { if case .arm(.silence, _) = $0 { true } else { false } })
        #expect(silent.handle(.timerFired(.silence)).pressures == ["128/82"])
        #expect(silent.handle(.committed(through: 1)).written.count { $0.contains("MSA|AA|M1\r") } == 1)

        // The next block ends the wait.
        var busy = B.session()
        _ = busy.handle(.received(bytes))
        #expect(busy.handle(.received([0x0B])).pressures == ["128/82"])
        #expect(busy.handle(.committed(through: 1)).written.count { $0.contains("MSA|AA|M1\r") } == 1)

        // So does the end of the line, if the block is whole.
        var closed = B.session()
        _ = closed.handle(.received(bytes))
        let last = closed.handle(.closed)
        #expect(last.pressures == ["128/82"] && last.ignored.isEmpty && last.written.isEmpty)
    }
}
