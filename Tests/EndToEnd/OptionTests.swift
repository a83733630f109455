import Foundation
import Testing

/// Common options mean the same for all verbs, and the shell completes their values.
@Suite struct OptionTests {
    /// Verbs without `--json`, each with the reason.
    private static let withoutJSON: [String: String] = [
        "stop": "prints nothing", "record": "writes a capture", "simulate": "prints the path of its terminal alone",
        "setup": "writes a configuration", "export": "--format jsonl", "report": "writes a page",
        "delete": "prints nothing", "capture convert": "writes a capture", "config example": "prints a configuration",
        "config check": "prints which files are right", "sinks retry": "prints nothing", "sinks drop": "prints nothing",
        "sinks forget": "prints nothing", "help": "prints help", "sinks check": "prints one line for each rule",
        "sources check": "prints one line for each rule", "note": "prints nothing", "edit": "prints nothing",
        "person name": "writes a configuration", "person bind": "writes a configuration", "person unbind": "writes a configuration",
        "web link": "prints links, one a line", "web revoke": "prints nothing",
    ]

    private func verbs() async throws -> [(name: String, verb: [String: Any])] {
        let dump = try await CuffProcess.run(["--experimental-dump-help"])
        let root = try #require(try JSONSerialization.jsonObject(with: Data(dump.output.utf8)) as? [String: Any])
        let command = try #require(root["command"] as? [String: Any])
        return (command["subcommands"] as? [[String: Any]] ?? []).flatMap { verb -> [(String, [String: Any])] in
            let name = verb["commandName"] as? String ?? ""
            let own = verb["subcommands"] as? [[String: Any]] ?? []
            return own.isEmpty ? [(name, verb)] : own.map { ("\(name) \($0["commandName"] as? String ?? "")", $0) }
        }
    }

    private func options(_ verb: [String: Any]) -> Set<String> {
        let arguments = verb["arguments"] as? [[String: Any]] ?? []
        return Set(
            arguments.flatMap { argument in
                (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            })
    }

    @Test func everyVerbThatPrintsData_PrintsJSON() async throws {
        let verbs = try await verbs()
        #expect(verbs.count > 30)
        let without = verbs.filter { !options($0.verb).contains("json") }.map(\.name)
        #expect(Set(without).subtracting(Self.withoutJSON.keys) == [])
    }

    /// As the C library, with a word about it.
    @Test func anUnknownZone_IsUTC_AndSaidOnce() async throws {
        let scratch = try Scratch()
        let database = scratch.path("bp.db")
        func cuff(_ arguments: [String], _ zone: String) async throws -> CuffProcess {
            try await CuffProcess.run(arguments + ["--db", database], environment: ["TZ": zone])
        }
        let added = try await cuff(["add", "128/82", "--at", "2026-05-05T08:00"], "Mars/Phobos")
        #expect(added.status == 0 && added.errors.components(separatedBy: "`Mars/Phobos`").count == 2, "\(added.errors)")
        #expect(added.errors.contains("local times are in UTC"))
        let shown = try await cuff(["show", "--json"], "Mars/Phobos")
        #expect(shown.status == 0 && shown.output.contains("2026-05-05T08:00:00+00:00") && shown.errors.contains("`Mars/Phobos`"))
        #expect(try await cuff(["show", "--json", "--tz", "Europe/Berlin"], "Mars/Phobos").errors.isEmpty, "no local time is needed")
        for zone in ["", "UTC", ":Europe/Berlin", "Europe/Berlin", "XYZ-3", "CET-1CEST,M3.5.0,M10.5.0/3"] {
            #expect(try await cuff(["show", "--json"], zone).errors.isEmpty, "\(zone)")
        }
    }

    @Test func formatSinkAndOption_AreCompleted() async throws {
        let script = try await CuffProcess.run(["--generate-completion-script", "fish"]).output
        var seen: [String: Int] = [:]
        for line in script.split(separator: "\n") {
            guard let match = line.firstMatch(of: #/ -l '(format|sink|option|driver)' .*-rfka '(.*)'$/#) else { continue }
            let (option, words) = (String(match.1), match.2.split(separator: " ").map(String.init))
            seen[option, default: 0] += 1
            let wanted =
                switch option {
                case "format": ["jsonl"]
                case "sink": ["stdout", "sqlite:", "csv:", "exec+ack:"]
                case "driver": ["phd", "beurer-serial"]
                default: line.contains("\"cuff simulate\"") ? ["asleep=", "clock="] : ["variant=", "model="]
                }
            #expect(Set(wanted).isSubset(of: words), "\(line.prefix(120))")
        }
        // Options in another form would be missed above.
        for (option, least) in [("format", 5), ("sink", 5), ("option", 8), ("driver", 8)] {
            let all = script.split(separator: "\n").count { $0.contains(" -l '\(option)' ") }
            #expect(seen[option] == all && all >= least, "\(option): \(seen[option] ?? 0) of \(all)")
        }
    }

    @Test func addresses_AreJSON_Too() async throws {
        let forms = try await CuffProcess.run(["list", "--addresses", "--json"]).objects("address_form")
        let usb = forms.first { $0["form"] as? String == "usb:VVVV:PPPP[:SERIAL]" }
        #expect(usb?["example"] as? String == "usb:0403:6001:A900XYZ1")
    }
}
