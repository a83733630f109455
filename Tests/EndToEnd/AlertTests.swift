import Foundation
import Testing

@Suite(.serialized) struct AlertTests {
    private func configuration(_ port: String, _ rules: String, in scratch: Scratch) throws -> String {
        try scratch.write(
            "alerts.toml", "[device.hallway]\nmatch = \"\(port)\"\ndriver = \"and-ua767pc\"\nusers = { 1 = \"Anna\" }\n\(rules)\n")
    }

    @Test func anAlert_IsALine_AndGoesToAProgram_AndIsNotRaisedAgainAfterARestart() async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let cuff = try SpawnedCuff(["simulate", "and-ua767pc", "--link", port, "--count", "500", "--every", "1s"], limit: 150)
        #expect(try await cuff.prints { $0.output.contains("/dev/") })
        let rules = """
            [alert.test]
            when = "systolic >= 41"
            accept = ["no_measurement_check"]
            [alert.other]
            when = "systolic >= 41"
            driver = "r1"
            accept = ["no_measurement_check"]
            [alert.flagged]
            when = "systolic >= 41"
            [alert.pair]
            when = "systolic >= 41"
            repeated = true
            accept = ["no_measurement_check"]
            """
        let file = try configuration(port, rules, in: scratch)
        let got = scratch.path("got")
        let arguments = [
            "watch", "--config", file, "--sink", "stdout", "--sink", "sqlite:\(scratch.path("bp.db"))", "--sink",
            "exec:sh -c 'cat >> \(got)'",
        ]
        let environment = ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")]
        let watch = try SpawnedCuff(arguments, environment: environment)
        #expect(try await watch.prints { $0.output.contains("\"type\":\"alert\"") }, "\(watch.errors)")
        let lines = { (path: String) in
            ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").filter { $0.contains("\"type\":\"alert\"") }
        }
        #expect(try await eventually { lines(got).count == 1 })
        watch.signal(SIGTERM)
        let run = await watch.end()
        let alerts = run.objects("alert")
        #expect(alerts.count == 1 && alerts.first?["rule"] as? String == "test" && alerts.first?["event"] as? String == "raised")
        #expect(alerts.first?["condition"] as? String == "systolic >= 41" && alerts.first?["device"] as? String == "hallway")
        let readings = try #require(alerts.first?["readings"] as? [String])
        let told = run.objects("blood_pressure").first { $0["id"] as? String == readings.first }
        #expect(told != nil && told?["systolic_mmHg"] as? Int == alerts.first?["systolic_mmHg"] as? Int)
        #expect(run.errors.contains("alert: test (systolic >= 41): "))
        let leftOut = "the alert flagged left out a reading of and-ua767pc that would have met it: it has the flags no_measurement_check"
        #expect(run.errors.split(separator: "\n").count { $0.contains(leftOut) } == 1)
        #expect(lines(got).first == run.output.split(separator: "\n").first { $0.contains("\"type\":\"alert\"") })

        // The next run knows the active alert, however the first one ended.
        let again = try SpawnedCuff(arguments, environment: environment)
        // An alert follows its reading: with the third one, those of the first two would be there.
        #expect(try await again.prints { $0.output.split(separator: "\"origin\":\"push\"").count > 3 }, "\(again.errors)")
        again.signal(SIGTERM)
        #expect(await again.end().objects("alert").isEmpty)
        #expect(lines(got).count == 1)
        cuff.signal(SIGTERM)
    }

    @Test func theFirstRule_WorksAfterSIGHUP() async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let cuff = try SpawnedCuff(["simulate", "and-ua767pc", "--link", port, "--count", "500", "--every", "1s"], limit: 150)
        #expect(try await cuff.prints { $0.output.contains("/dev/") })
        let file = try configuration(port, "", in: scratch)
        let watch = try SpawnedCuff(
            ["watch", "--config", file, "--sink", "stdout"],
            environment: ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")])
        #expect(try await watch.prints { $0.output.contains("\"blood_pressure\"") }, "\(watch.errors)")
        _ = try configuration(port, "[alert.test]\nwhen = \"systolic >= 41\"\naccept = [\"no_measurement_check\"]", in: scratch)
        watch.signal(SIGHUP)
        #expect(try await watch.prints { $0.output.contains("\"type\":\"alert\"") }, "\(watch.errors)")
        watch.signal(SIGTERM)
        #expect(await watch.end().objects("alert").first?["rule"] as? String == "test")
        cuff.signal(SIGTERM)
    }

    @Test func aBadRule_IsReported_AndTheCuffsAreRead() async throws {
        let scratch = try Scratch()
        let file = try configuration("/dev/not-there", "[alert.test]\nwhen = \"systolic => 180\"", in: scratch)
        func isNamed(_ errors: String) -> Bool { errors.contains("alerts.toml:6") && errors.contains("`=>` is not an order") }
        let check = try await CuffProcess.run(["config", "check", "--config", file])
        #expect(check.status == 78 && isNamed(check.errors), "\(check.errors)")
        let watch = try SpawnedCuff(["watch", "--config", file], environment: ["XDG_STATE_HOME": scratch.path("state")])
        #expect(try await watch.prints { isNamed($0.errors) && $0.errors.contains("/dev/not-there") }, "\(watch.errors)")
        watch.signal(SIGTERM)
        #expect(await watch.end().status == 0)
    }
}
