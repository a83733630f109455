import CuffClinical
import CuffCore
import Testing

/// FHIR files of other programs: which values belong together, and which are none.
@Suite struct ImportFHIRTests {
    private static let time = "2026-05-05T07:33:10+02:00"

    private func value(_ value: Int, _ unit: String, comparator: String? = nil) -> String {
        "\"valueQuantity\":{\"value\":\(value),\"unit\":\"\(unit)\",\"code\":\"\(unit)\"\(comparator.map { ",\"comparator\":\"\($0)\"" } ?? "")}"
    }

    private func reference(_ name: String, _ target: String?) -> String { target.map { "\"\(name)\":{\"reference\":\"\($0)\"}," } ?? "" }

    private func observation(_ code: String, of subject: String?, device: String?, _ rest: String) -> String {
        """
        {"resourceType":"Observation","status":"final","code":{"coding":[{"code":"\(code)"}]},\
        \(reference("subject", subject))\(reference("device", device))"effectiveDateTime":"\(Self.time)",\(rest)}

        """
    }

    private func panel(of subject: String? = nil, device: String? = nil, comparator: String? = nil) -> String {
        let parts = [("8480-6", 128), ("8462-4", 82)].map {
            "{\"code\":{\"coding\":[{\"code\":\"\($0.0)\"}]},\(value($0.1, "mm[Hg]", comparator: $0.1 == 128 ? comparator : nil))}"
        }
        return observation("85354-9", of: subject, device: device, "\"component\":[\(parts.joined(separator: ","))]")
    }

    private func rate(_ pulse: Int, device: String? = nil, comparator: String? = nil) -> String {
        observation("8867-4", of: nil, device: device, value(pulse, "/min", comparator: comparator))
    }

    private func pulses(_ text: String) -> [String?] { ImportFixture(text).lines.map { $0["pulse_per_min"] } }

    @Test func pulse_IsThatOfTheSameDevice() {
        let cuff = "Device/cuff", watch = "Device/watch"
        let rates = [rate(71, device: cuff), rate(170, device: watch)]
        for text in [rates.joined() + panel(device: cuff), panel(device: cuff) + rates.reversed().joined()] {
            #expect(pulses(text) == ["71"])
            #expect(ImportFixture(text).complaints.isEmpty)
        }
        #expect(pulses(panel(device: cuff) + rate(71)) == ["71"], "no other device is named")
        #expect(pulses(panel() + rate(71, device: cuff)) == ["71"], "no other device is named")
        #expect(pulses(panel(device: cuff) + rate(170, device: watch)) == [nil])
        #expect(pulses(panel(device: cuff) + rate(71, device: cuff) + rate(170)) == ["71"])
        #expect(pulses(panel() + rate(71, device: cuff) + rate(71, device: watch)) == ["71"], "they agree")
    }

    /// Some programs write a panel, and its pressures once more as Observations of their own (`hasMember`, `derivedFrom`).
    @Test func partsOfAPanel_AreNoSecondReading() {
        func parts(_ systolic: Int, device: String? = nil) -> String {
            observation("8480-6", of: nil, device: device, value(systolic, "mm[Hg]"))
                + observation("8462-4", of: nil, device: device, value(82, "mm[Hg]"))
        }
        func readings(_ text: String) -> [String?] {
            let read = ImportFixture(text)
            #expect(read.complaints.isEmpty, "\(text)")
            return read.lines.map { $0["systolic_mmHg"] }
        }
        let (cuff, other) = ("Device/cuff", "Device/other")
        for text in [
            panel() + parts(128), parts(128) + panel(), panel(device: cuff) + parts(128, device: cuff), parts(128) + panel(device: cuff),
        ] {
            #expect(readings(text) == ["128"], "\(text)")
        }
        #expect(readings(panel() + parts(129)) == ["128", "129"], "other values")
        #expect(readings(panel(device: cuff) + parts(128, device: other)) == ["128", "128"], "another cuff")
        #expect(readings(panel() + parts(128).replacing(Self.time, with: "2026-05-05T07:33:11+02:00")) == ["128", "128"], "another moment")
        let withdrawn = panel().replacing("final", with: "entered-in-error")
        #expect(ImportFixture(withdrawn + parts(128)).lines.map { $0["systolic_mmHg"] } == ["128"])
    }

    @Test func pulseIsLeftOut_WhereItIsUnclear() {
        for text in [
            panel() + rate(71, device: "Device/cuff") + rate(170, device: "Device/watch"), panel() + rate(71) + rate(170),
            panel(device: "Device/cuff") + rate(71, device: "Device/cuff") + rate(72, device: "Device/cuff"),
        ] {
            let read = ImportFixture(text)
            #expect(read.lines.map { [$0["systolic_mmHg"], $0["pulse_per_min"]] } == [["128", nil]], "\(text)")
            #expect(read.complaints.map(\.reason) == [.malformed("several heart rates of one moment")])
            #expect(read.complaints.map(\.place.number) == [1])
        }
    }

    /// `>` 128 mmHg is not 128 mmHg.
    @Test(arguments: ["<", "<=", ">=", ">", "ad"]) func valueWithAComparator_IsALimit(_ comparator: String) {
        let limit = ImportRefusal.unreadableNumber(column: "value", text: "\(comparator)128")
        let read = ImportFixture(panel(comparator: comparator))
        #expect(read.readings.isEmpty && read.complaints.map(\.reason) == [limit])
        let single = ImportFixture(
            observation("8480-6", of: nil, device: nil, value(128, "mm[Hg]", comparator: comparator))
                + observation("8462-4", of: nil, device: nil, value(82, "mm[Hg]")))
        #expect(single.readings.isEmpty && single.complaints.map(\.reason.isLoss) == [true, true])
        let rated = ImportFixture(panel() + rate(128, comparator: comparator))
        #expect(rated.lines.map { $0["pulse_per_min"] } == [nil])
        #expect(rated.complaints.map(\.reason) == [limit] && rated.complaints.map(\.place.number) == [2])
    }

    @Test func readingsOfSeveralSubjects_AreNotJoined() {
        let (anna, ben) = (panel(of: "Patient/anna"), panel(of: "Patient/ben"))
        let joined = ImportFixture(anna + ben)
        #expect(joined.readings.isEmpty && joined.fault == .severalPersons)
        #expect(ImportFixture(anna + anna).readings.count == 2)
        #expect(ImportFixture(anna + panel()).readings.count == 2, "one has no subject")
        // What is not a reading does not count.
        let withdrawn = ben.replacing("\"final\"", with: "\"entered-in-error\"")
        #expect(ImportFixture(anna + withdrawn).readings.count == 1)
        #expect(ImportFixture(anna + observation("8867-4", of: "Patient/ben", device: nil, value(70, "/min"))).readings.count == 1)
        var options = ImportFixture.options()
        options.isOfOnePerson = true
        #expect(ImportFixture(anna + ben, options).readings.count == 2)
    }

    /// Each cuff of this program is a place of its own, to which a person may be bound.
    @Test func subjectsOfDifferentCuffs_StayApartByTheirCuffs() throws {
        func export(_ cuffs: [String], _ subjects: [String]) throws -> String {
            var choices = ExportChoices()
            for (index, subject) in subjects.enumerated() { choices.choose("subject", "\(cuffs[index]):\(index + 1)=Patient/\(subject)") }
            var writer = try Exporter.fhir.writer(choices, WorkedExample.context)
            var text = TextBuffer()
            for (index, cuff) in cuffs.enumerated() {
                var reading = Reading(
                    .bloodPressure(.mmHg(128, 82)), driver: "and-std", user: Int32(index + 1), origin: .memory, raw: RawBytes([1]))
                reading.measured = Timestamp(seconds: 1_778_000_060 + Int64(index) * 60)
                reading.id = Reading.ID(wallSeconds: reading.measured?.seconds, hash: UInt64(index + 1))
                try writer.append(reading, from: Provenance(driver: "and-std", device: cuff), parts: .values, to: &text)
            }
            writer.end(to: &text)
            return text.string
        }
        let apart = ImportFixture(try export(["hall", "kitchen"], ["anna", "ben"]))
        #expect(apart.fault == nil && apart.readings.map(\.device) == ["hall", "kitchen"])
        #expect(ImportFixture(try export(["hall", "hall"], ["anna", "ben"])).fault == .severalPersons)
        #expect(ImportFixture(try export(["hall", "hall"], ["anna", "anna"])).readings.count == 2)
    }

    private func named(_ text: String, _ subject: String) -> String {
        text.replacing("\"effectiveDateTime\"", with: "\"subject\":\(subject),\"effectiveDateTime\"")
    }

    /// A subject may be named by an identifier, or by a name alone.
    @Test(arguments: [#"{"identifier":{"system":"urn:x","value":"N"}}"#, #"{"identifier":{"value":"N"}}"#, #"{"display":"N"}"#])
    func subjectsWithoutAReference_AreNotJoined(_ subject: String) {
        let (first, second) = (subject.replacing("N", with: "1"), subject.replacing("N", with: "2"))
        #expect(ImportFixture(named(panel(), first) + named(panel(), second)).fault == .severalPersons)
        #expect(ImportFixture(named(panel(), first) + named(panel(), first)).readings.count == 2)
        #expect(pulses(named(panel(), first) + named(rate(155), second)) == [nil])
        #expect(pulses(panel(of: "Patient/1") + named(rate(155), second)) == [nil])
        #expect(pulses(named(panel(), first) + named(rate(71), first)) == ["71"])
        #expect(pulses(named(panel(), first) + rate(71)) == ["71"], "no subject is named")
    }

    @Test func identifiersOfDifferentSystems_AreDifferentSubjects() {
        let subject = #"{"identifier":{"system":"urn:x","value":"1"},"display":"Anna"}"#
        let other = subject.replacing("urn:x", with: "urn:y")
        #expect(ImportFixture(named(panel(), subject) + named(panel(), other)).fault == .severalPersons)
    }

    /// R4: `versionId` is an opaque id, `lastUpdated` an instant.
    @Test func laterVersion_HasAHigherNumber() {
        func version(_ meta: String, status: String = "final") -> Int64? {
            let text = panel().replacing("\"final\"", with: "\"\(status)\"\(meta.isEmpty ? "" : ",\"meta\":{\(meta)}")")
            return ImportFixture(text).readings.first?.version
        }
        let old = "\"lastUpdated\":\"2026-05-05T07:34:00Z\"", new = "\"lastUpdated\":\"2026-05-05T09:34:00.250+02:00\""
        #expect(version("\"versionId\":\"3\",\(old)") == 3)
        #expect(version("\"versionId\":\"W/abc\",\(old)") == 1_777_966_440_000 && version(new) == 1_777_966_440_250)
        #expect(version("") == 0 && version("\"versionId\":\"abc\"") == 0)
        #expect(version("", status: "amended") == 1 && version("", status: "corrected") == 1)
    }

    @Test func heartRateOfAnotherUnit_IsNotThePulse() {
        for unit in ["/min", "1/min", "beats/min", "{beats}/min", "bpm", "beats/minute"] {
            #expect(pulses(panel() + rate(71).replacing("/min", with: unit)) == ["71"], "\(unit)")
        }
        let other = ImportFixture(panel() + rate(71).replacing("/min", with: "Hz"))
        #expect(other.lines.map { [$0["systolic_mmHg"], $0["pulse_per_min"]] } == [["128", nil]])
        #expect(other.complaints.map(\.reason) == [.unknownUnit("Hz")] && other.complaints.map(\.place.number) == [2])
        func component(_ unit: String) -> ImportFixture {
            let part = "{\"code\":{\"coding\":[{\"code\":\"8867-4\"}]},\(value(71, unit))}"
            return ImportFixture(panel().replacing("\"component\":[", with: "\"component\":[\(part),"))
        }
        #expect(component("/min").lines.map { $0["pulse_per_min"] } == ["71"] && component("/min").complaints.isEmpty)
        #expect(component("Hz").lines.map { [$0["systolic_mmHg"], $0["pulse_per_min"]] } == [["128", nil]])
        #expect(component("Hz").complaints.map(\.reason) == [.unknownUnit("Hz")])
    }

    /// RFC 8259 allows an exponent.
    @Test(arguments: [
        ("1.28e2", "128"), ("12.8E+1", "128"), ("1280e-1", "128.0"), ("1.28e0", nil), ("128e1", nil), ("1.28e99", nil), ("128e", nil),
    ])
    func number_MayHaveAnExponent(_ text: String, _ expected: String?) {
        let read = ImportFixture(panel().replacing(":128,", with: ":\(text),"))
        #expect(read.lines.map { $0["systolic_mmHg"] } == (expected.map { [$0] } ?? []))
        #expect(read.complaints.count == (expected == nil ? 1 : 0))
    }

    @Test func pointsOfSeveralUsers_AreNotJoined() {
        func point(_ user: String?, _ body: String = "") -> String {
            """
            {"header":{"schema_id":{"name":"blood-pressure"}\(user.map { ",\"user_id\":\"\($0)\"" } ?? "")},"body":{\(body)\
            "systolic_blood_pressure":{"value":128,"unit":"mmHg"},"diastolic_blood_pressure":{"value":82,"unit":"mmHg"},\
            "effective_time_frame":{"date_time":"\(Self.time)"}}}

            """
        }
        let joined = ImportFixture(point("anna") + point("ben"))
        #expect(joined.readings.isEmpty && joined.fault == .severalPersons)
        #expect(ImportFixture(point("anna") + point("anna") + point(nil)).readings.count == 3)
        #expect(ImportFixture(point("anna") + point("ben", "\"descriptive_statistic\":\"average\",")).readings.count == 1)
        var options = ImportFixture.options()
        options.isOfOnePerson = true
        #expect(ImportFixture(point("anna") + point("ben"), options).readings.count == 2)
    }

    /// A point of the heart rate has no device.
    @Test func severalPulsesOfAPoint_AreLeftOut() {
        func point(_ schema: String, _ body: String) -> String {
            """
            {"header":{"schema_id":{"name":"\(schema)"},"user_id":"a"},"body":{\(body),"effective_time_frame":{"date_time":"\(Self.time)"}}}

            """
        }
        let pressure = point(
            "blood-pressure",
            "\"systolic_blood_pressure\":{\"value\":128,\"unit\":\"mmHg\"},\"diastolic_blood_pressure\":{\"value\":82,\"unit\":\"mmHg\"}")
        func rate(_ pulse: Int) -> String { point("heart-rate", "\"heart_rate\":{\"value\":\(pulse),\"unit\":\"beats/min\"}") }
        #expect(pulses(rate(71) + pressure + rate(71)) == ["71"])
        for text in [rate(71) + pressure + rate(75), pressure + rate(71) + rate(75) + rate(71)] {
            let read = ImportFixture(text)
            #expect(read.lines.map { [$0["systolic_mmHg"], $0["pulse_per_min"]] } == [["128", nil]])
            #expect(read.complaints.map(\.reason) == [.malformed("several heart rates of one moment")])
        }
    }

    /// A device that reports how long it measured.
    @Test func period_IsAMeasurementUnlessItIsLong() {
        func read(_ period: String) -> ImportFixture {
            ImportFixture((panel() + rate(71)).replacing("\"effectiveDateTime\":\"\(Self.time)\"", with: "\"effectivePeriod\":{\(period)}"))
        }
        let one = read("\"start\":\"\(Self.time)\",\"end\":\"2026-05-05T05:34:10Z\"")
        #expect(one.lines.map { [$0["measured"], $0["pulse_per_min"]] } == [[Self.time, "71"]] && one.complaints.isEmpty)
        for end in ["2026-05-05T06:33:10Z", "2026-05-05T05:33:09Z"] {
            #expect(read("\"start\":\"\(Self.time)\",\"end\":\"\(end)\"").complaints.map(\.reason) == [.average("effectivePeriod")])
        }
        #expect(read("\"start\":\"\(Self.time)\"").complaints.map(\.reason) == [.noTime("")])
    }
}
