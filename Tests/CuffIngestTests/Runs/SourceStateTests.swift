import CuffCore
import Testing

@testable import CuffIngest

private let received = Timestamp(milliseconds: 1_777_966_400_000)

private func line(_ id: String, _ more: String = "") -> [UInt8] {
    Array(
        #"{"type":"blood_pressure","id":"\#(id)","measured":"2026-05-05T07:33:20+02:00","systolic_mmHg":128,"diastolic_mmHg":82\#(more)}"#
            .utf8)
}

@Suite struct SourceStateTests {
    private struct Rig {
        var state = SourceState("a")
        var now = Duration.zero
        var submitted: [String] = []
        var answers: [String] = []
        var notices: [String] = []
        var starts = 0
        var closes = 0

        mutating func handle(_ event: SourceState.Event) {
            for effect in state.handle(event, at: now, received: received) {
                switch effect {
                case .start: starts += 1
                case .submit(let line): submitted.append(line.id)
                case .answer(let text): answers.append(text)
                case .close: closes += 1
                case .notify(let text): notices.append(text)
                }
            }
        }

        mutating func pass(_ seconds: Double) {
            now += .seconds(seconds)
            handle(.time)
        }

        mutating func begin() {
            handle(.time)
            handle(.line(Array("ready 1".utf8)))
        }
    }

    @Test func reading_IsAnsweredWhenItIsStored() {
        var rig = Rig()
        rig.begin()
        rig.handle(.line(line("x")))
        rig.handle(.line(line("y")))
        #expect(rig.submitted == ["x", "y"] && rig.answers.isEmpty)
        rig.handle(.stored(1))
        #expect(rig.answers == ["ok x"])
        rig.handle(.stored(1))
        #expect(rig.answers == ["ok x"])
        rig.handle(.stored(2))
        #expect(rig.answers == ["ok x", "ok y"] && rig.notices.isEmpty)
    }

    /// What the former process sent may be stored after the next one started; the next one sends it again.
    @Test func anotherProcess_GetsNoAnswerForTheFormer() {
        var rig = Rig()
        rig.begin()
        rig.handle(.line(line("x")))
        rig.handle(.ended(isClean: false))
        #expect(rig.notices == ["the helper ended; starting it again in 1 s, then less and less often"] && rig.closes == 1)
        rig.pass(1)
        #expect(rig.starts == 2)
        rig.handle(.line(Array("ready 1".utf8)))
        rig.handle(.line(line("x")))
        rig.handle(.stored(1))
        #expect(rig.answers.isEmpty)
        rig.handle(.stored(2))
        #expect(rig.answers == ["ok x"])
    }

    @Test func pauses_Grow_UntilAReadingIsStored() {
        var rig = Rig()
        for pause in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            rig.begin()
            rig.handle(.ended(isClean: false))
            let starts = rig.starts
            rig.pass(pause - 0.5)
            #expect(rig.starts == starts, "\(pause)")
            // The next `begin` starts it.
            rig.now += .seconds(0.5)
        }
        #expect(rig.notices.count == 1)
        rig.begin()
        rig.handle(.line(line("x")))
        rig.handle(.stored(1))
        rig.handle(.ended(isClean: false))
        rig.pass(1)
        #expect(rig.answers == ["ok x"])
        rig.handle(.line(Array("ready 1".utf8)))
        rig.handle(.line(line("y")))
        #expect(rig.submitted == ["x", "y"])
    }

    @Test func cleanEnd_IsNoFault() {
        var rig = Rig()
        rig.begin()
        rig.handle(.ended(isClean: true))
        rig.pass(59)
        #expect(rig.starts == 1 && rig.notices.isEmpty)
        rig.pass(1)
        #expect(rig.starts == 2)
    }

    @Test func firstLine_HasTenSeconds() {
        var rig = Rig()
        rig.handle(.time)
        rig.pass(9)
        #expect(rig.notices.isEmpty)
        rig.pass(1)
        #expect(rig.notices.count == 1 && rig.notices[0].contains("ready 1") && rig.closes == 1)
        var other = Rig()
        other.handle(.time)
        other.handle(.line(Array("ready 2".utf8)))
        #expect(other.notices.count == 1 && other.closes == 1)
        other.handle(.line(line("x")))
        #expect(other.submitted.isEmpty)
    }

    @Test func unusableReading_IsRefused_AndTheOthersStay() {
        var rig = Rig()
        rig.begin()
        rig.handle(.line(line("x", #","user":0"#)))
        rig.handle(.line(line("y")))
        #expect(rig.answers == ["refuse x `user` is not a whole number from 1 to 2147483647"])
        #expect(rig.notices == ["a reading was refused: `user` is not a whole number from 1 to 2147483647"])
        rig.handle(.stored(1))
        #expect(rig.answers.last == "ok y" && rig.closes == 0)
    }

    @Test(arguments: ["hello", "{\"type\":\"blood_pressure\"}", "{", ""]) func otherLines_EndTheHelper(text: String) {
        var rig = Rig()
        rig.begin()
        rig.handle(.line(Array(text.utf8)))
        #expect(rig.closes == 1 && rig.notices.count == 1 && rig.answers.isEmpty)
    }

    @Test func wordsOfTheHelper_AreTold() {
        var rig = Rig()
        rig.begin()
        rig.handle(.line(Array("later the adapter is off".utf8)))
        rig.handle(.line(Array("later the adapter is off".utf8)))
        #expect(rig.notices == ["the adapter is off"] && rig.closes == 0)
        rig.handle(.line(Array("fatal no such cuff".utf8)))
        #expect(rig.notices.last == "no such cuff; starting it again in 5 min" && rig.closes == 1)
    }

    /// Two faults in turn, at each start: each is reported once.
    @Test func faultsThatAlternate_AreReportedOnce() {
        var rig = Rig()
        for pause in [1.0, 2, 4, 8] {
            rig.begin()
            rig.handle(.line(line("x", #","user":0"#)))
            rig.handle(.answersUnread)
            rig.pass(pause)
        }
        #expect(rig.notices.count == 2 && rig.starts == 5, "\(rig.notices)")
    }

    @Test func aTalkativeHelper_IsReportedEveryTenSeconds() {
        var rig = Rig()
        rig.begin()
        for second in 0..<60 {
            for number in 0..<100 { rig.handle(.line(Array("later \(second).\(number)".utf8))) }
            rig.pass(1)
        }
        #expect(rig.notices == ["0.0", "10.0", "20.0", "30.0", "40.0", "50.0"] && rig.closes == 0)
    }

    @Test func input_StopsWhileTooManyAreUnanswered() {
        var rig = Rig()
        rig.begin()
        for number in 0..<1000 {
            #expect(rig.state.wantsInput)
            rig.handle(.line(line("\(number)")))
        }
        #expect(!rig.state.wantsInput)
        rig.handle(.stored(1))
        #expect(rig.state.wantsInput)
    }
}

@Suite struct SourceLineTests {
    private func read(_ text: String, source: String = "a") throws(SourceLine.Refusal) -> SourceLine {
        try SourceLine(Array(text.utf8), source: source, received: received)
    }

    private func reading(_ more: String = "", id: String = "x", source: String = "a") throws -> Reading {
        try SourceLine(line(id, more), source: source, received: received).reading
    }

    @Test func values_AreThoseOfTheLine() throws {
        let reading = try reading(
            #","pulse_per_min":71,"mean_mmHg":97,"user":2,"flags":["irregular_pulse"],"origin":"memory","revision":3"#)
        let pressure = try #require(reading.bloodPressure)
        #expect(pressure == .mmHg(128, 82, mean: 97, pulse: 71))
        #expect(reading.user == 2 && reading.flags == .irregularPulse && reading.origin == .memory && reading.revision == 3)
        // 2026-05-05T05:33:20Z
        #expect(reading.measured == Timestamp(milliseconds: 1_777_959_200_000) && reading.measuredOffset == 120)
        #expect("\(reading.id)".hasPrefix("20260505T073320-") && reading.driver == "source")
    }

    @Test func kilopascals_KeepTheirDigits() throws {
        let text = #"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_kPa":17.1,"diastolic_kPa":10.95}"#
        let pressure = try #require(try read(text).reading.bloodPressure)
        #expect(pressure.systolic == Pressure(Digits(mantissa: 171, exponent: -1), .kPa))
        #expect(pressure.diastolic == Pressure(Digits(mantissa: 1095, exponent: -2), .kPa))
    }

    @Test func implausible_IsFlagged() throws {
        let text = #"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":80,"diastolic_mmHg":120}"#
        #expect(try read(text).reading.flags.contains(.implausible))
    }

    /// 188736 is MDC_MASS_BODY_ACTUAL, partition 2.
    @Test func quantity_HasCodeAndUnit() throws {
        let text = #"{"type":"quantity","id":"w","measured":"2026-05-05T07:33:20Z","mdc":188736,"value":71.2,"unit":"kg"}"#
        guard case .quantity(let weight) = try read(text).reading.content else { return #expect(Bool(false)) }
        #expect(weight.mdc == 188736 && weight.value == Digits(mantissa: 712, exponent: -1) && weight.unit == Nomenclature.unitTerm("kg"))
    }

    @Test func id_RestsOnSourceDeviceIdUserAndTime() throws {
        let first = try reading().id
        #expect(try reading(#","pulse_per_min":60"#).id == first)
        let others = [
            try reading(id: "y").id, try reading(source: "b").id, try reading(#","device":"d""#).id, try reading(#","user":1"#).id,
        ]
        #expect(Set(others + [first]).count == 5)
    }

    private static let usable =
        #"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":128,"diastolic_mmHg":82,"#

    @Test(arguments: [
        (#"{"id":"x"}"#, "measured"), (#"{"id":"x y"}"#, "id"), ("[1]", "object"),
        (#"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20","systolic_mmHg":1,"diastolic_mmHg":1}"#, "offset"),
        (#"{"type":"blood_pressure","id":"x","measured":"2027-05-05T07:33:20Z","systolic_mmHg":1,"diastolic_mmHg":1}"#, "future"),
        (#"{"type":"blood_pressure","id":"x","measured":"1970-01-01T00:00:00Z","systolic_mmHg":1,"diastolic_mmHg":1}"#, "before 1990"),
        (#"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":128}"#, "diastolic"),
        (#"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":"128","diastolic_mmHg":82}"#, "systolic"),
        (#"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":-1,"diastolic_mmHg":82}"#, "systolic"),
        (#"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":128,"diastolic_kPa":10}"#, "units"),
        (
            #"{"type":"blood_pressure","id":"x","measured":"2026-05-05T07:33:20Z","systolic_mmHg":128,"diastolic_mmHg":82,"flags":["odd"]}"#,
            "flags"
        ),
        (Self.usable + #""flags":"irregular_pulse"}"#, "`flags` is not a list"),
        (Self.usable + #""flags":{"irregular_pulse":true}}"#, "`flags` is not a list"),
        (Self.usable + #""flags":null}"#, "`flags` is not a list"), (Self.usable + #""flags":[["irregular_pulse"]]}"#, "flags"),
        (Self.usable + #""origin":["memory"]}"#, "origin"), (Self.usable + #""origin":null}"#, "origin"),
        (#"{"type":"temperature","id":"x","measured":"2026-05-05T07:33:20Z"}"#, "type"),
    ]) func others_AreRefused(text: String, why: String) {
        #expect { try read(text) } throws: { ($0 as? SourceLine.Refusal)?.text.contains(why) == true }
    }
}
