import CuffCore
import Testing

@testable import HL7Sink
@testable import RemoteSink

func target(_ settings: String = "") throws -> HL7Target { try HL7Target("hl7+tcp://ward:2575/?sender=pi-7\(settings)", hostName: "host") }

func reading(_ members: String = "", type: String = "blood_pressure", device: String = "00091ffffe000101", driver: String = "phd") throws
    -> RemoteSink.ReadingLine
{
    let line =
        #"{"type":"\#(type)","schema":1,"id":"20260505T073130-d33c245d2be4b540","driver":"\#(driver)","device":"\#(device)","#
        + #""systolic_mmHg":128,"diastolic_mmHg":82,"measured":"2026-05-05T07:33:20+02:00","received":"2026-05-05T07:40:00.250+02:00""#
        + "\(members)}"
    return try parsed(line)
}

/// `#require` does not accept a name with its module.
func parsed(_ line: String) throws -> RemoteSink.ReadingLine {
    let reading = RemoteSink.ReadingLine(Array(line.utf8))
    return try #require(reading)
}

/// Fields and their order by HL7 2.6, chapters 2, 3 and 7; the rest by the sources that `PCDMessage` names.
@Suite struct PCDMessageTests {
    private func segments(_ reading: RemoteSink.ReadingLine, _ settings: String = "") throws -> [String] {
        let text = try PCDMessage(reading, to: try target(settings)).text
        #expect(text.hasSuffix("\r"))
        return text.split(separator: "\r").map(String.init)
    }

    @Test func bloodPressure_IsAnObservationReport() throws {
        let whole = try reading(#","mean_mmHg":97,"pulse_per_min":71,"flags":["irregular_pulse"],"user":1"#)
        let eui = "00091FFFFE000101^^00091FFFFE000101^EUI-64"
        #expect(
            try segments(whole, "&facility=Ward 3&to=CIS&to-facility=Clinic&patient.1=12345&authority=WARD") == [
                "MSH|^~\\&|pi-7|Ward 3|CIS|Clinic|20260505074000.250+0200||ORU^R01^ORU_R01|20260505T073130-d33c245d2be4b540.0|P|2.6|||NE|AL||UNICODE UTF-8|||IHE_PCD_001^IHE PCD^1.3.6.1.4.1.19376.1.6.1.1.1^ISO",
                "PID|||12345^^^WARD^PI||^^^^^^U",
                "OBR|1|20260505T073130-d33c245d2be4b540^pi-7|20260505T073130-d33c245d2be4b540^pi-7|182777000^monitoring of patient^SCT|||20260505073320+0200",
                "NTE|1||irregular_pulse",
                "OBX|1||528391^MDC_DEV_SPEC_PROFILE_BP^MDC|1.0.0.0|||||||X|||||||\(eui)~cuff \(helperVersion)^phd",
                "OBX|2||70686^MDC_DEV_PRESS_BLD_NONINV_VMD^MDC|1.1.0.0|||||||X",
                "OBX|3||70687^MDC_DEV_PRESS_BLD_NONINV_CHAN^MDC|1.1.1.0|||||||X",
                "OBX|4|NM|150021^MDC_PRESS_BLD_NONINV_SYS^MDC|1.1.1.1|128|266016^MDC_DIM_MMHG^MDC^mm[Hg]^mm[Hg]^UCUM|||||R|||20260505073320+0200||||\(eui)",
                "OBX|5|NM|150022^MDC_PRESS_BLD_NONINV_DIA^MDC|1.1.1.2|82|266016^MDC_DIM_MMHG^MDC^mm[Hg]^mm[Hg]^UCUM|||||R|||20260505073320+0200||||\(eui)",
                "OBX|6|NM|150023^MDC_PRESS_BLD_NONINV_MEAN^MDC|1.1.1.3|97|266016^MDC_DIM_MMHG^MDC^mm[Hg]^mm[Hg]^UCUM|||||R|||20260505073320+0200||||\(eui)",
                "OBX|7|NM|149546^MDC_PULS_RATE_NON_INV^MDC|1.1.1.4|71|264864^MDC_DIM_BEAT_PER_MIN^MDC^{beat}/min^{beat}/min^UCUM|||||R|||20260505073320+0200||||\(eui)",
            ])
    }

    @Test func kilopascals_KeepUnitAndDigits() throws {
        let all = try segments(try reading(#","systolic_kPa":17.0,"diastolic_kPa":10.9"#))
        #expect(all[5].hasPrefix("OBX|4|NM|150021^MDC_PRESS_BLD_NONINV_SYS^MDC|1.1.1.1|17.0|265987^MDC_DIM_KILO_PASCAL^MDC^kPa^kPa^UCUM|"))
    }

    /// OBX-8 and OBX-11 by the flags and the revision.
    @Test(arguments: [
        ("", "", "R"), (#","flags":["validated"]"#, "", "F"), (#","flags":["early_indication"]"#, "", "P"),
        (#","flags":["questionable","demo_data"]"#, "QUES~DEMO", "R"),
        (#","flags":["test_data","calibration_ongoing"]"#, "CALIB~TEST", "R"),
        (#","revision":2,"flags":["validated"]"#, "", "C"),
    ]) func worth(members: String, words: String, status: String) throws {
        let all = try segments(try reading(members))
        let fields = try #require(all.first { $0.hasPrefix("OBX|4|NM|") }).split(separator: "|", omittingEmptySubsequences: false)
        #expect(fields[8] == words && fields[11] == status)
        #expect(!all.contains { $0.hasPrefix("NTE") })
    }

    @Test func laterRevision_IsACorrectionOfTheSameOrder() throws {
        let first = try PCDMessage(try reading(), to: try target())
        let second = try PCDMessage(try reading(#","revision":2"#), to: try target())
        #expect(first.controlID == "20260505T073130-d33c245d2be4b540.0" && second.controlID == "20260505T073130-d33c245d2be4b540.2")
        func order(_ message: PCDMessage) -> Substring? { message.text.split(separator: "\r").first { $0.hasPrefix("OBR") } }
        #expect(order(first) != nil && order(first) == order(second))
    }

    @Test func deletion_WithdrawsEachValue() throws {
        let gone = try reading(#","of":"blood_pressure","revision":255,"parts":["pulse_rate"]"#, type: "deleted")
        let all = try segments(gone).filter { $0.contains("|NM|") }
        #expect(
            all.map { $0.split(separator: "|", omittingEmptySubsequences: false) }.map { "\($0[3].prefix(6)) \($0[5])\($0[6]) \($0[11])" }
                == ["150021  D", "150022  D", "149546  D"])
    }

    @Test func quantity_HasItsOwnCodeAndUnit() throws {
        let weight = try reading(#","mdc":188736,"code":"MDC_MASS_BODY_ACTUAL","value":"71.20","unit":"kg""#, type: "quantity")
        // 2::57664 is the mass, 4::1731 the kilogram (IEEE 11073-10101).
        #expect(
            try segments(weight).contains { $0.contains("|NM|188736^MDC_MASS_BODY_ACTUAL^MDC|1.1.1.1|71.20|263875^kg^MDC^kg^kg^UCUM|") })
    }

    /// A vendor's serial number is unique within its driver only.
    @Test func device_IsAnEUI64OrASerialNumber() throws {
        #expect(
            try segments(try reading(device: "5080|500", driver: "and-std"))[2].hasSuffix(
                "|5080\\F\\500^and-std~cuff \(helperVersion)^and-std"))
        #expect(try segments(try reading(device: "", driver: "and-std"))[2].hasSuffix("|and-std^cuff~cuff \(helperVersion)^and-std"))
        #expect(try segments(try reading(device: "00091ffffe00010", driver: "phd"))[2].contains("|00091ffffe00010^phd~"))
    }

    /// A reading that was stored by an earlier version says which one decoded it.
    @Test func whatDecodedIt_StandsBesideTheDevice() throws {
        let all = try segments(try reading(#","decoder":"cuff/0.1.9 phd/2""#))
        #expect(all[2].hasSuffix("|00091FFFFE000101^^00091FFFFE000101^EUI-64~cuff/0.1.9^phd/2"))
        #expect(try segments(try reading(#","decoder":"a|b""#))[2].hasSuffix("~a\\F\\b"))
    }

    @Test func text_IsEscaped() {
        #expect(PCDMessage.escaped("a|b^c&d~e\\f\rg\u{1C}é") == "a\\F\\b\\S\\c\\T\\d\\R\\e\\E\\f g é")
    }

    @Test func time_HasSecondsAndZone() throws {
        func text(_ time: String) throws -> String { PCDMessage.time(try #require(Instant(time))) }
        #expect(try text("2026-05-05T07:33+02:00") == "20260505073300+0200")
        #expect(try text("2026-05-05T07:33:20.123456Z") == "20260505073320.1234+0000")
        #expect(try text("2026-01-05T07:33:20-05:30") == "20260105073320-0530")
    }

    /// Two users of a cuff are two persons.
    @Test func patients_AreNeverJoined() throws {
        func refusal(_ members: String, _ settings: String = "") -> String? {
            do { _ = try PCDMessage(try reading(members), to: try target(settings)) } catch { return (error as? Refusal)?.text }
            return nil
        }
        #expect(refusal(#","user":2"#)?.contains("patient.2=ID") == true)
        #expect(refusal(#","user":2"#, "&patient.1=a")?.contains("patient.2=ID") == true)
        #expect(refusal("", "&patient.1=a")?.contains("patient.0=ID") == true)
        #expect(refusal(#","user":2"#, "&patient=a") == nil && refusal(#","user":2"#, "&patient.2=a") == nil)
        // A name goes before the slot.
        #expect(refusal(#","user":2,"person":"Ben""#)?.contains("patient.Ben=ID") == true)
        #expect(refusal(#","user":2,"person":"Ben""#, "&patient.2=a")?.contains("patient.Ben=ID") == true)
        #expect(refusal(#","user":2,"person":"Ben""#, "&patient.ben=b&patient.2=a") == nil)
        #expect(try segments(reading(#","user":2,"person":"Ben""#), "&patient.Ben=b&patient.2=a").contains { $0.contains("|b^") })
        #expect(try !segments(try reading()).contains { $0.hasPrefix("PID") })
    }

    @Test(arguments: [
        (#"{"type":"blood_pressure","id":"a","driver":"phd","systolic_mmHg":1,"diastolic_mmHg":1}"#, "no known time"),
        (
            #"{"type":"blood_pressure","id":"a","driver":"phd","systolic_mmHg":1,"measured":"2026-05-05T07:33:20Z"}"#,
            "no systolic and diastolic"
        ),
        (#"{"type":"measurement","id":"a","driver":"phd","measured":"2026-05-05T07:33:20Z"}"#, "failed"),
        (
            #"{"type":"blood_pressure","id":"a","driver":"phd","systolic_mmHg":1,"diastolic_mmHg":1,"flags":["invalid"],"measured":"2026-05-05T07:33:20Z"}"#,
            "not usable"
        ),
        (#"{"type":"quantity","id":"a","driver":"phd","mdc":1,"value":"1","measured":"2026-05-05T07:33:20Z"}"#, "no unit"),
    ]) func others_AreRefused(line: String, why: String) throws {
        let reading = try parsed(line)
        #expect { try PCDMessage(reading, to: try target()) } throws: { ($0 as? Refusal)?.text.contains(why) == true }
    }

    @Test(arguments: [
        "hl7+tcp:///", "http://ward/", "hl7+tcp://me@ward/", "hl7+tcp://ward/path", "hl7+tcp://ward/?cafile=x",
        "hl7+tls://ward/?certfile=x",
        "hl7+tcp://ward/?patient=a&patient.1=b", "hl7+tcp://ward/?patient.-1=a", "hl7+tcp://ward/?patient.1=a&patient.1=b",
        "hl7+tcp://ward/?pateint=a",
        "hl7+tcp://ward/?authority=WARD", "hl7+tcp://ward/?patient=",
    ]) func otherAddresses_AreFaults(address: String) { #expect(throws: ConfigurationFault.self) { try HL7Target(address, hostName: "h") } }

    @Test func address_HasThePortOfHL7() throws {
        let plain = try HL7Target("hl7+tls://ward", hostName: "h")
        #expect(plain.port == 2575 && plain.isEncrypted && plain.sender == "h" && plain.patients == nil)
    }
}

/// Read by the driver `hl7-oru`, which was written before this helper, from recorded messages.
@Suite struct ReadBackTests {
    private func heard(_ lines: [String], _ settings: String = "") throws -> [Reading] {
        let driver = try #require(CuffFamilies.all.first { $0.id.description == "hl7-oru" })
        var session = driver.makeSession(SessionContext())
        _ = session.handle(.command(.follow))
        var readings: [Reading] = []
        for line in lines {
            let message = try PCDMessage(try reading(line), to: try target(settings))
            for action in session.handle(.received(MLLP.block(message.text))) {
                if case .emit(let reading) = action { readings.append(reading) }
                if case .report(.ignored(let why, _)) = action { Issue.record("ignored: \(why)") }
            }
        }
        return readings
    }

    @Test func values_ComeBackAsTheyWere() throws {
        let found = try heard([#","mean_mmHg":97,"pulse_per_min":71,"flags":["questionable","test_data"],"user":1"#], "&patient.1=12345")
        let reading = try #require(found.first)
        let pressure = try #require(reading.bloodPressure)
        #expect(pressure.systolic == Pressure(Digits(128), .mmHg) && pressure.diastolic == Pressure(Digits(82), .mmHg))
        #expect(pressure.mean == Pressure(Digits(97), .mmHg) && pressure.pulse == PulseRate(Digits(71)))
        #expect(reading.flags.contains([.questionable, .testData]) && !reading.flags.contains(.demoData))
        let time = try #require(reading.clock.time)
        #expect(time.utcOffset == 120 && time.wallSeconds == 1_777_966_400)
        #expect(found.count == 1)
    }

    @Test func kilopascals_ComeBackAsKilopascals() throws {
        let pressure = try #require(try heard([#","systolic_kPa":17.0,"diastolic_kPa":10.9"#]).first?.bloodPressure)
        #expect(
            pressure.systolic == Pressure(Digits(mantissa: 170, exponent: -1), .kPa)
                && pressure.diastolic == Pressure(Digits(mantissa: 109, exponent: -1), .kPa))
    }

    @Test func correction_RefersToTheFirst() throws {
        let found = try heard(["", #","revision":1,"pulse_per_min":71"#])
        #expect(found.count == 2)
        let references = found.compactMap(\.reference)
        #expect(references.count == 2 && references[0].order != 0 && references[0].order == references[1].order)
        #expect(references[1].standing == .correction)
    }
}
