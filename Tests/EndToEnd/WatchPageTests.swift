import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// The page and the counters of a watch. A port in use does not affect reading cuffs.
@Suite struct WatchPageTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: ["--web", "--metrics"])
    func aTakenPort_StopsNoCuff_AndIsTriedAgain(_ option: String) async throws {
        let taken = try TCPTransport.listening("", "0", "test")
        let link = scratch.path("port")
        let simulator = try RunningCuff(
            ["simulate", "and-std", "--count", "3", "--every", "100ms", "--link", link, "--for", "60s"], folder: scratch, name: "simulator")
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually { FileManager.default.fileExists(atPath: link) })
        let lines = scratch.path("bp.jsonl")
        let watch = try RunningCuff(
            [
                "watch", "--no-config", option, option == "--web" ? "127.0.0.1:\(taken.port)" : "\(taken.port)", "--assign",
                "\(link)=and-std",
                "--sink", "jsonl:\(lines)",
            ], folder: scratch)
        #expect(
            try await eventually { (try? String(contentsOfFile: lines, encoding: .utf8))?.split(separator: "\n").count == 3 },
            "\(watch.said)")
        #expect(watch.said.contains("cannot listen on 127.0.0.1:\(taken.port): address already in use"), "\(watch.said)")
        #expect(!watch.said.contains("tcp-listen"), "\(watch.said)")
        close(taken.descriptor)
        #expect(try await eventually { watch.said.contains("at http://127.0.0.1:\(taken.port)/") }, "\(watch.said)")
        watch.signal(SIGTERM)
        #expect(await watch.end() == 0)
    }

    @Test func configCheckAndDoctor_SayWhetherThePageCanBeServed() async throws {
        let taken = try TCPTransport.listening("", "0", "test")
        let file = try scratch.write("config.toml", "[watch]\nweb = \"127.0.0.1:\(taken.port)\"\n")
        let check = try await CuffProcess.run(["config", "check", "--config", file])
        #expect(check.status == 69 && check.errors.contains("another program listens on 127.0.0.1:\(taken.port)"), "\(check.errors)")
        let doctor = try await CuffProcess.run(["doctor", "--json"], environment: ["CUFF_CONFIG": file])
        let page = try #require(doctor.objects("check").first { $0["step"] as? String == "page" }, "\(doctor.output) \(doctor.errors)")
        #expect(page["state"] as? String == "failed" && doctor.status != 0)
        close(taken.descriptor)
        let free = try await CuffProcess.run(["config", "check", "--config", file])
        #expect(free.status == 0 && free.output.contains("web 127.0.0.1:\(taken.port): ok"), "\(free.output) \(free.errors)")
        let wrong = try scratch.write("wrong.toml", "[watch]\nweb = \"192.0.2.1:6025\"\n")
        let cannot = try await CuffProcess.run(["config", "check", "--config", wrong])
        #expect(cannot.status == 78 && cannot.errors.contains("cannot listen on 192.0.2.1:6025"), "\(cannot.errors)")
    }

    @Test func aCuffThatVanishes_LeavesNoPressureOnThePage() async throws {
        let link = scratch.path("port")
        let simulator = try RunningCuff(
            ["simulate", "nibp-nano", "--count", "200", "--link", link, "--for", "120s"], folder: scratch, name: "simulator")
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually { FileManager.default.fileExists(atPath: link) })
        let watch = try RunningCuff(
            [
                "watch", "--no-config", "--web", "127.0.0.1:0", "--assign", "\(link)=nibp-nano", "--sink",
                "jsonl:\(scratch.path("bp.jsonl"))",
            ],
            folder: scratch)
        defer { watch.signal(SIGKILL) }
        #expect(try await eventually { watch.said.contains("page at http://") }, "\(watch.said)")
        #expect(try await eventually { try await answer("/api/state", of: watch).contains("\"live\":[{") })
        // The watch keeps trying the link, which could lead to the pseudo terminal of another test that gets the same number.
        try FileManager.default.removeItem(atPath: link)
        simulator.signal(SIGKILL)
        #expect(
            try await eventually {
                let text = try await answer("/api/state", of: watch)
                return text.contains("\"cuffs\":[]") && text.contains("\"live\":[]")
            })
    }

    /// The response, or its part up to the line that matches `last`.
    private func answer(
        _ path: String, of watch: RunningCuff, meanwhile: String = "", until last: String = "no such line"
    ) async throws -> String {
        // An event stream does not end, and `sed` inherits that SIGTERM is ignored.
        let start = try #require(watch.said.range(of: "http://"))
        let address = watch.said[start.lowerBound...].prefix { $0 != "\n" && $0 != " " }
        let port = try #require(address.split(separator: ":").last?.prefix { $0.isNumber })
        let request =
            "exec 3<>/dev/tcp/127.0.0.1/\(port); printf 'GET \(path) HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3; "
            + "read -r status <&3; echo \"$status\"; \(meanwhile) timeout -s KILL 14 sed -u '/\(last)/q' <&3"
        return try await CuffProcess.run(executable: "/bin/bash", ["-c", request]).output
    }

    @Test func thePage_NamesWrongSections_AndFollowsTheConfiguration() async throws {
        let database = scratch.path("bp.db")
        #expect(try await CuffProcess.run(["add", "128/82", "--db", database]).status == 0)
        let config = try scratch.write("c.toml", "[report]\nrule = \"all\"\n[person.Anna]\ncufs = [\"hall\"]\n")
        let watch = try RunningCuff(
            ["watch", "--config", config, "--web", "127.0.0.1:0", "--sink", "sqlite:\(database)"], folder: scratch)
        defer { watch.signal(SIGKILL) }
        #expect(try await eventually { watch.said.contains("page at http://") }, "\(watch.said)")
        let before = try await answer("/", of: watch)
        #expect(before.contains("128/82") && before.contains("<li>c.toml:4: ") && !before.contains("Rule: European Society"), "\(before)")
        _ = try scratch.write("c.toml", "[report]\nrule = \"esc-2024\"\n")
        watch.signal(SIGHUP)
        #expect(try await eventually { watch.said.contains("configuration reloaded") }, "\(watch.said)")
        let after = try await answer("/", of: watch)
        #expect(after.contains("Rule: European Society of Cardiology, 2024") && !after.contains("c.toml"), "\(after)")
        // Viewers hear of what another program changes.
        // What happened before the first viewer came is told to it.
        let first = try await answer("/events", of: watch, until: "event: changed")
        #expect(first.contains("text/event-stream") && first.contains("event: changed"), "\(first)")
        let quiet = try await answer("/events", of: watch)
        #expect(!quiet.contains("event: changed"), "\(quiet)")
        let add = "'\(CuffProcess.path)' add 129/83 --db '\(database)' >/dev/null 2>&1 &"
        #expect(try await answer("/events", of: watch, meanwhile: add, until: "event: changed").contains("event: changed"))
    }
}
