import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

@Suite struct AlertConfigurationTests {
    private func read(_ text: String) throws(IngestError) -> CuffConfiguration {
        var configuration = CuffConfiguration()
        try configuration.read(text, file: "c.toml", drivers: HotplugSample.drivers)
        try configuration.checkPersons()
        return configuration
    }

    @Test func rules_AreRead_EachWithItsLine() throws {
        let configuration = try read(
            """
            [device.hallway]
            match = "port:1-1.2"
            driver = "and-std"
            users = { 1 = "Anna" }

            [alert."very high"]
            when = "systolic>=180  or diastolic >= 110"
            clear = "systolic < 170 and diastolic < 100"
            repeated = true
            after = "2min"
            within = "10min"
            person = "anna"
            device = "hallway"
            driver = "and-std"
            accept = ["no_measurement_check", "irregular_pulse"]
            again = "6h"

            [alert.pulse]
            irregular = "2 of 3"
            [alert.quiet]
            silence = "45min"
            """)
        #expect(configuration.alerts.map(\.rule.name) == ["very high", "pulse", "quiet"])
        let high = try #require(configuration.alerts.first?.rule)
        #expect(
            high.trigger
                == .values(
                    try AlertCondition("systolic >= 180 or diastolic >= 110"),
                    clear: try AlertCondition("systolic < 170 and diastolic < 100"),
                    repeated: AlertRule.Repeated(after: .seconds(120), within: .seconds(600))))
        #expect(high.condition == "systolic >= 180 or diastolic >= 110")
        #expect(high.person == "anna" && high.device == "hallway" && high.driver == "and-std" && high.again == .seconds(21600))
        #expect(high.accepted == [.noMeasurementCheck, .irregularPulse])
        #expect(configuration.alerts[1].rule.trigger == .irregularPulse(count: 2, of: 3, within: .seconds(1800)))
        #expect(configuration.alerts[2].rule.trigger == .silence(.seconds(2700)))
        #expect(configuration.household.person(cuff: "hallway", slot: 1) == .named("Anna"))
        #expect(
            configuration.lines.dropFirst() == [
                """
                alert very high\tsystolic >= 180 or diastolic >= 110\tclear systolic < 170 and diastolic < 100; \
                repeated after 2 min within 10 min; driver and-std; device hallway; person anna; \
                accept irregular_pulse,no_measurement_check\tc.toml:6
                """,
                "alert pulse\tirregular pulse in 2 of 3\twithin 30 min\tc.toml:18",
                "alert quiet\tno reading for 45 min after it was due\t\tc.toml:20",
            ])
    }

    @Test(arguments: [
        ("", 1, "does not say when it is raised"),
        ("when = \"systolic >= 180\"\nsilence = \"1h\"", 3, "in more than one way"),
        ("when = \"systolic = 180\"", 2, "`=` is not an order"),
        ("when = \"sys >= 180\"", 2, "`sys` is not a value"),
        ("when = \"systolic >= 18000\"", 2, "not a number from 1 to 400"),
        ("when = \"systolic >= 180 and systolic < 100\"", 2, "no reading can meet"),
        ("when = 180", 2, "a text in quotes"),
        ("wen = \"systolic >= 180\"", 2, "unknown key `wen`"),
        ("when = \"systolic >= 180\"\nclear = \"systolic < 190\"", 3, "could meet `clear` and `when` at once"),
        ("when = \"systolic >= 180\"\nclear = \"systolic < 100 and systolic > 120\"", 3, "no reading can meet"),
        ("when = \"systolic >= 180\"\nclear = \"diastolic < 100\"", 3, "could meet `clear` and `when` at once"),
        ("when = \"systolic >= 180\"\nwithin = \"15min\"", 3, "`within` has no effect"),
        ("when = \"systolic >= 180\"\nrepeated = \"yes\"", 3, "true or false"),
        ("when = \"systolic >= 180\"\nrepeated = true\nafter = \"20min\"", 4, "`within` is not longer than `after`"),
        ("when = \"systolic >= 180\"\nrepeated = true\nwithin = \"48h\"", 4, "a time from 1 min to 1 d"),
        ("when = \"systolic >= 180\"\nrepeated = true\nwithin = 15", 4, "a text in quotes"),
        ("irregular = \"3 of 2\"", 2, "\"2 of 3\""),
        ("irregular = \"2 of 21\"", 2, "\"2 of 3\""),
        ("irregular = \"2 of 3\"\nrepeated = true", 3, "`repeated` has no effect"),
        ("silence = \"5\"", 2, "a time from 1 min to 1 d"),
        ("silence = \"30min\"\nperson = \"1\"", 3, "has no effect on an alert about silence"),
        ("silence = \"30min\"\nclear = \"systolic < 100\"", 3, "`clear` has no effect"),
        ("when = \"systolic >= 180\"\nperson = \"Ana\"", 3, "no person is called `Ana`"),
        ("when = \"systolic >= 180\"\ndriver = \"and-stt\"", 3, "and-stt"),
        ("when = \"systolic >= 180\"\naccept = [\"implausible\"]", 3, "a list of these flags: irregular_pulse"),
        ("when = \"systolic >= 180\"\naccept = \"body_movement\"", 3, "a list of flags"),
        ("when = \"systolic >= 180\"\nagain = \"1s\"", 3, "a time from 1 min to 7 d"),
    ])
    func aBadRule_IsRefused_WithItsLineAndASentence(_ text: String, _ line: Int, _ words: String) {
        do throws(IngestError) {
            _ = try read("[alert.x]\n\(text)\n")
            Issue.record("accepted: \(text)")
        } catch {
            #expect(error.description.hasPrefix("c.toml:\(line): "), "\(text): \(error)")
            #expect(error.description.contains(words), "\(error)")
            #expect(error.status == .badConfiguration)
        }
    }

    @Test func aPersonOfAnotherFile_IsKnown_AndTheNearestNameIsSaid() throws {
        let users = "[device.hallway]\nmatch = \"port:1-1.2\"\ndriver = \"and-std\"\nusers = { 1 = \"Anna\" }\n"
        var configuration = CuffConfiguration()
        try configuration.read("[alert.x]\nwhen = \"systolic >= 180\"\nperson = \"Ann\"\n", file: "a.toml", drivers: HotplugSample.drivers)
        try configuration.read(users, file: "b.toml", drivers: HotplugSample.drivers)
        do throws(IngestError) {
            try configuration.checkPersons()
            Issue.record("accepted")
        } catch {
            #expect(error.description.hasPrefix("a.toml:3: "))
            #expect((error.fault as? ConfigurationFault) == .unknownPerson("a.toml:3", "Ann", known: ["Anna"]))
        }
        try configuration.read("[alert.x]\nwhen = \"systolic >= 180\"\nperson = \"ANNA\"\n", file: "c.toml", drivers: HotplugSample.drivers)
        try configuration.checkPersons()
        #expect(configuration.alerts.count == 1, "a later file replaces a rule of the same name")
    }
}
