import CuffCore
import Testing

@testable import CuffClinical

/// What this program adds to its own samples, in a file that it reads again.
struct ImportAppleMetadataTests {
    private static func file(id: String = "cuff:20250202T070000-45d9621ae0ee0919", _ entries: [(String, String)]) -> String {
        let moment = "sourceName=\"A\" startDate=\"2025-02-02 07:00:00 +0100\""
        let all = [("HKMetadataKeySyncIdentifier", id), ("HKMetadataKeySyncVersion", "1")] + entries
        return """
            <HealthData locale="en">
            <Correlation type="HKCorrelationTypeIdentifierBloodPressure" \(moment)>
            \(all.map { "<MetadataEntry key=\"\($0.0)\" value=\"\($0.1)\"/>\n" }.joined())\
            <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" unit="mmHg" value="128" \(moment)/>
            <Record type="HKQuantityTypeIdentifierBloodPressureDiastolic" unit="mmHg" value="82" \(moment)/>
            </Correlation>
            </HealthData>

            """
    }

    @Test func anExport_IsReadBackWithItsMetadata() throws {
        var reading = WorkedExample.corrected
        let note = "after \"the\" <stairs> & it's &lt; cold"
        let texts = [Remarks.Key.note: note, .medication: "amlodipine", .posture: "lying down", .arm: "left"]
        reading.remarks = Remarks(stored: { texts[$0] })
        let text = try WorkedExample.export(.appleHealth, [reading]).text
        let read = ImportFixture(text).readings
        #expect(read.count == 1 && read.first?.id == reading.id)
        #expect(read.first?.flags == [.irregularPulse, .bodyMovement])
        #expect(read.first?.pressure == reading.bloodPressure)
        #expect(read.first?.remarks == reading.remarks)
    }

    @Test func unknownWords_AreIgnored_AndLimitsHold() throws {
        let long = String(repeating: "x", count: 2000)
        let read = ImportFixture(
            Self.file([
                ("CuffFlags", "irregular_pulse nonsense"), ("CuffMeanPressure", "12.4 kPa"), ("CuffPosture", "hanging"),
                ("CuffArm", "left"), ("CuffNote", "a\u{1B}" + long), ("CuffNotes", "other"), ("Cuff", "x"),
            ]))
        let one = try #require(read.readings.first)
        #expect(read.readings.count == 1 && read.complaints.isEmpty)
        #expect(one.flags == [.irregularPulse])
        #expect(one.pressure?.mean == nil, "not in the unit of the pressures")
        #expect(one.remarks?[.posture] == nil && one.remarks?[.arm] == "left")
        #expect(one.remarks?[.note]?.utf8.count == 1000 && one.remarks?[.note]?.hasPrefix("a x") == true)
    }

    @Test(arguments: ["97", "mmHg", "0 mmHg", "-1 mmHg", "97 psi", "97  mmHg", "900 mmHg", "9999999999999999999 mmHg"])
    func aDamagedMean_IsIgnored(_ text: String) throws {
        #expect(try #require(ImportFixture(Self.file([("CuffMeanPressure", text)])).readings.first).pressure == .mmHg(128, 82))
    }

    @Test func theSamplesOfAnotherProgram_HaveNoneOfIt() throws {
        let one = try #require(ImportFixture(Self.file(id: "abc", [("CuffFlags", "irregular_pulse"), ("CuffNote", "x")])).readings.first)
        #expect(one.flags.isEmpty && one.remarks == nil)
    }

    /// All times of an export have the offset of the day and place of the export.
    @Test(arguments: [
        ("GMT-0400", "02:00:00-04:00"), ("Asia/Tokyo", "15:00:00+09:00"), ("Europe/Berlin", "08:00:00+02:00"), ("x", "07:00:00+01:00"),
    ])
    func zoneOfTheMetadata_IsThatOfTheReading(_ zone: String, _ clock: String) {
        let read = ImportFixture(Self.file([("HKTimeZone", zone)]))
        #expect(read.lines.map { $0["measured"] } == ["2025-02-02T\(clock)"] && read.complaints.isEmpty)
    }
}
