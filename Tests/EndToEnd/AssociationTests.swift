import Foundation
import Testing

/// An 11073 cuff that associates repeatedly on one connection, as over TCP or Bluetooth's serial port.
@Suite(.timeLimit(.minutes(5))) struct AssociationTests {
    /// 500 associations on one connection; every third ends by ABRT, the others by release.
    @Test func read_FollowsEveryAssociation() async throws {
        let scratch = try Scratch()
        let agent = try SpawnedCuff(
            [
                "simulate", "phd", "--tcp", "0", "--count", "500", "--every", "1ms", "--option", "associations=500", "--option",
                "aborts=3",
            ], limit: 280)
        #expect(try await agent.prints { $0.output.contains("tcp://") })
        let address = try #require(agent.output.split(separator: "\n").first.map { String($0) })
        let read = try await CuffProcess.run(
            [
                "read", address, "--driver", "phd", "--follow", "--max", "500", "--timeout", "240s", "--sink", "stdout", "--sink",
                "sqlite:\(scratch.path("bp.db"))",
            ], limit: 250)
        #expect(read.status == 0, "\(read.errors)")
        let ids = Set(read.objects("blood_pressure").compactMap { $0["id"] as? String })
        #expect(ids.count == 500, "\(read.errors.suffix(500))")
        // TCP checks its bytes.
        #expect(read.objects("blood_pressure").allSatisfy { $0["flags"] == nil })
        agent.signal(SIGTERM)
    }

    @Test func watch_FollowsEveryAssociation() async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let agent = try SpawnedCuff(
            [
                "simulate", "phd", "--link", port, "--count", "60", "--every", "5ms", "--option", "associations=60", "--option",
                "aborts=4",
            ], limit: 120)
        #expect(try await agent.prints { $0.output.contains("/dev/") })
        let file = try scratch.write("config.toml", "[device.hallway]\nmatch = \"\(port)\"\ndriver = \"phd\"\n")
        let watch = try SpawnedCuff(
            ["watch", "--config", file, "--sink", "stdout", "--sink", "sqlite:\(scratch.path("bp.db"))"],
            environment: ["XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")], limit: 120)
        let isWhole = try await watch.prints(within: 90) { $0.output.split(separator: "\"type\":\"blood_pressure\"").count > 60 }
        #expect(isWhole, "\(watch.errors)")
        watch.signal(SIGTERM)
        let run = await watch.end()
        agent.signal(SIGTERM)
        #expect(run.status == 0, "\(run.errors)")
        #expect(Set(run.objects("blood_pressure").compactMap { $0["id"] as? String }).count == 60)
        // A pseudo terminal is treated as a serial line, which has no check.
        #expect(run.objects("blood_pressure").allSatisfy { ($0["flags"] as? [String])?.contains("no_measurement_check") == true })
    }
}
