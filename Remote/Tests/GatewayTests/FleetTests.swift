import Foundation
import PostgresStore
import RemoteSink
import Testing

@testable import cuff_gateway

/// What is noted of machines, how they are judged, and what is shown.
@Suite struct FleetTests {
    private func status(_ members: String) -> JSONValue? {
        JSONValue(parsing: Array(#"{"type":"status","time":"2026-05-05T10:00:00Z","every_s":300,\#(members)}"#.utf8))
    }

    private func machine(_ members: String, seen: Int = 60, version: String = "0.2.0") -> MachineFacts {
        MachineFacts(name: "pi-1", added: 9_000_000, seen: seen, version: version, presence: "online", status: status(members))
    }

    private var rules: FleetRules {
        var rules = FleetRules()
        rules.version = "0.2.0"
        return rules
    }

    @Test func alertRulesAndDashboard_UseMetricsThatExist() throws {
        let machine = machine(#""waiting":3,"refused":0,"disk_free_bytes":5,"disk_bytes":16"#)
        let metrics = FleetText(facts: FleetFacts(machines: [machine]), rules: rules).metrics
        let remote = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        for path in ["Prometheus/cuff.rules.yml", "Grafana/fleet.json"] {
            let text = try String(contentsOf: remote.appending(path: path), encoding: .utf8)
            let names = Set(text.matches(of: /cuff_[a-z_]+/).map { String($0.output) })
            #expect(names.count > 5, "\(path)")
            for name in names { #expect(metrics.contains("\n\(name){") || metrics.contains("\n\(name) "), "\(path): \(name)") }
        }
    }

    @Test func topics_TellReadingsFromReports() {
        #expect(Routing("cuff.pi-1.status").kind == .presence(machine: "pi-1"))
        #expect(Routing("cuff.pi-1.heartbeat.status").kind == .heartbeat(machine: "pi-1"))
        #expect(Routing("cuff.pi-1.d.u1.status").kind == .ignored)
        #expect(Routing("cuff.pi-1.d.u1.state").kind == .ignored && Routing("cuff.pi-1.d.alert").kind == .ignored)
        // Of a later version, perhaps: kept, not dropped.
        #expect(Routing("cuff.pi-1.something.new").kind == .reading(machine: "pi-1"))
    }

    @Test func reports_AreOneForEachMachine_AndReadingsCountOnceAMinute() {
        var reports = MachineReports()
        let reading = Routing.Kind.reading(machine: "pi-1")
        reports.add(reading, [], at: 0)
        reports.add(.heartbeat(machine: "pi-2"), Array(#"{"version":"1"}"#.utf8), at: 0)
        reports.add(.heartbeat(machine: "pi-2"), Array(#"{"version":"2","time":"2026-05-05T10:00:00Z"}"#.utf8), at: 0)
        reports.add(.presence(machine: "pi-2"), Array("offline".utf8), at: 0)
        reports.add(.presence(machine: "pi-3"), Array("nonsense".utf8), at: 0)
        reports.add(.heartbeat(machine: "pi-4"), Array("[1]".utf8), at: 0)
        let taken = reports.take()
        #expect(taken.map(\.machine) == ["pi-1", "pi-2"])
        #expect(taken[1].presence == "offline" && taken[1].status?["version"]?.string == "2" && taken[1].sent == "2026-05-05T10:00:00Z")
        reports.add(reading, [], at: 59)
        #expect(reports.take().isEmpty)
        reports.add(reading, [], at: 60)
        #expect(reports.take().count == 1)
        let text = MachineStatement.parameter([.init("a\"b", presence: "online")])
        #expect(text == #"[["a\"b","online",null,null]]"#)
    }

    @Test func machines_AreJudgedByTheirLastReport() {
        let healthy = #""waiting":0,"refused":0,"clock":"synchronised","disk_free_bytes":5000000000,"disk_bytes":16000000000"#
        #expect(rules.troubles(machine(healthy)) == [])
        #expect(rules.troubles(machine(healthy, seen: 900)) == [])
        #expect(rules.troubles(machine(healthy, seen: 901)) == [.silent])
        #expect(rules.troubles(machine(healthy, version: "0.1.9")) == [.old])
        #expect(rules.troubles(machine(healthy, version: "0.10.0")) == [])
        #expect(rules.troubles(machine(#""waiting":3,"oldest_waiting":"2026-05-05T09:01:01Z""#)) == [])
        #expect(rules.troubles(machine(#""waiting":3,"oldest_waiting":"2026-05-05T09:00:00Z""#)) == [.behind])
        #expect(rules.troubles(machine(#""waiting":0,"oldest_waiting":"2026-05-05T09:00:00Z""#)) == [])
        #expect(rules.troubles(machine(#""refused":1,"clock":"unsynchronised""#)) == [.refused, .clock])
        #expect(rules.troubles(machine(#""disk_free_bytes":400000000,"disk_bytes":16000000000"#)) == [.disk])
        // Without heartbeats it sends something when it has readings.
        #expect(rules.troubles(MachineFacts(name: "a", seen: 200_000)) == [])
        #expect(rules.troubles(MachineFacts(name: "a", seen: 300_000)) == [.silent])
        #expect(rules.troubles(MachineFacts(name: "a", added: 90_000, seen: nil)) == [.noContact])
        #expect(rules.troubles(MachineFacts(name: "a", added: 80_000, seen: nil)) == [])
        #expect(rules.troubles(MachineFacts(name: "a", isRevoked: true, seen: 9_000_000)) == [])
    }

    @Test func sentences_SayWhatIsWrong() {
        let behind = machine(#""waiting":3,"oldest_waiting":"2026-05-05T07:00:00Z""#)
        #expect(rules.sentence(.behind, behind) == "pi-1 has 3 unsent readings, the oldest for 3 hours: `cuff sinks` there says why")
        #expect(rules.sentence(.silent, machine(#""waiting":0"#, seen: 172_800)) == "pi-1 sent its last message 2 days ago")
        #expect(FleetRules.isOlder("0.2.0~rc1", than: "0.2.1") && !FleetRules.isOlder("trunk", than: "0.2.0"))
    }

    @Test func metrics_AreOpenMetrics() {
        var facts = FleetFacts(machines: [
            machine(#""waiting":3,"oldest_waiting":"2026-05-05T09:00:00Z""#), MachineFacts(name: "old", isRevoked: true, seen: 5),
        ])
        facts.refused = 7
        var text = FleetText(facts: facts, rules: rules)
        text.stored = 12
        let lines = text.metrics.split(separator: "\n").map(String.init)
        for line in [
            "cuff_gateway_stored_readings_total 12", "cuff_refused_messages 7", #"cuff_machines{state="all"} 1"#,
            #"cuff_machines{state="behind"} 1"#, #"cuff_machines{state="silent"} 0"#, #"cuff_machine_unsent_readings{machine="pi-1"} 3"#,
            #"cuff_machine_oldest_unsent_seconds{machine="pi-1"} 3660"#, #"cuff_machine_info{machine="pi-1",version="0.2.0"} 1"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.last == "# EOF" && !text.metrics.contains("old\""))
    }

    @Test func page_EscapesWhatMachinesSay() {
        var facts = FleetFacts(machines: [machine(#""refused":1"#, version: "0.1.0<b>")])
        facts.refusedToday = [(machine: "pi-1", count: 2, reason: "<script>")]
        let page = FleetText(facts: facts, rules: rules).page
        #expect(
            page.contains("<h1>1 machine, 1 with a problem</h1>") && page.contains("0.1.0&lt;b&gt;") && page.contains("&lt;script&gt;"))
        #expect(!page.contains("<script>"))
    }

    /// A combining mark makes one Character of itself and the sign before or after it.
    @Test func signsBesideCombiningMarks_AreEscaped() {
        let version = "\u{600}<x>\"\u{301}&\u{301}\r\n\\\u{301}"
        let text = FleetText(facts: FleetFacts(machines: [MachineFacts(name: "pi-1", seen: 300_000, version: version)]), rules: rules)
        let page = Array(text.page.unicodeScalars)
        func has(_ part: String, _ scalars: [Unicode.Scalar]) -> Bool { scalars.contains(Array(part.unicodeScalars)) }
        #expect(has("\u{600}&lt;x&gt;&quot;\u{301}&amp;\u{301}\r\n\\\u{301}", page) && !has("<x", page))
        let metrics = Array(text.metrics.unicodeScalars)
        #expect(has("version=\"\u{600}<x>\\\"\u{301}&\u{301}\r\\n\\\\\u{301}\"} 1\n", metrics))
    }

    /// A machine may send anything; the page, the metrics and `check` still work.
    @Test func numbersOutsideTheirRanges_AreNotUsed() {
        let largest = machine(#""every_s":9223372036854775807,"waiting":-1,"refused":-9223372036854775808"#)
        #expect(largest.interval == nil && largest.waiting == 0 && largest.refused == 0)
        let disk = machine(#""disk_free_bytes":9223372036854775807,"disk_bytes":9007199254740993"#)
        #expect(disk.diskFree == nil && disk.diskSize == nil)
        let most = machine(#""every_s":604800,"disk_free_bytes":9007199254740992,"disk_bytes":9007199254740992"#)
        #expect(most.interval == 604_800 && most.diskFree == 9_007_199_254_740_992)
        #expect(machine(#""every_s":604801"#).interval == nil && machine(#""every_s":0"#).interval == nil)
        #expect(machine(#""every_s":1"#).interval == 1)
        for machine in [largest, disk, most] {
            #expect(rules.troubles(machine) == [])
            #expect(Trouble.allCases.allSatisfy { rules.sentence($0, machine).hasPrefix("pi-1 ") })
        }
        #expect(rules.sentence(.disk, most) == "pi-1 has 100 % of its disk free")
        #expect(rules.sentence(.refused, machine(#""refused":1"#)) == "pi-1 has 1 refused reading: `cuff sinks` there shows it")
    }

    @Test func anOlderHeartbeat_DoesNotReplaceANewerOne() {
        var reports = MachineReports()
        for (version, time) in [("2", "12:00:00+02:00"), ("1", "09:59:59Z"), ("3", "10:00:00Z")] {
            reports.add(.heartbeat(machine: "pi-1"), Array(#"{"version":"\#(version)","time":"2026-05-05T\#(time)"}"#.utf8), at: 0)
            #expect(version != "1" || reports.take().first?.status?["version"]?.string == "2")
        }
        #expect(reports.take().first?.status?["version"]?.string == "3")
    }

    @Test func names_OfUsers_TellTheMachine() throws {
        #expect(MachineUser(name: "pi-1") == MachineUser("pi-1") && MachineUser(name: "pi-1.2") == MachineUser("pi-1", number: 2))
        #expect(MachineUser("pi-1").next.name == "pi-1.2" && MachineUser("a", number: 10) > MachineUser("a", number: 9))
        for text in ["pi-1.1", "pi-1.02", "pi-1.x", "pi.1.2", "", ".2", "a b"] { #expect(MachineUser(name: text) == nil, "\(text)") }
        #expect(MachineRights.machine(ofTopics: MachineRights("pi-1").topics) == "pi-1")
        #expect(MachineRights.machine(ofTopics: ".*") == nil && MachineRights.machine(ofTopics: "^cuff\\.a|b\\.") == nil)
        #expect(Management.word("/ä.b-c") == "%2F%C3%A4.b-c")
    }

    @Test func verbs_AreParsed() throws {
        let (verb, options) = try Verb.parse(["machine", "rotate", "--finish", "pi-1", "--to", "postgres://a@h/d"])
        #expect(verb == .machine("rotate", ["pi-1"]) && options.isFinishing && options.database == "postgres://a@h/d")
        #expect(try Verb.parse(["check"]).0 == .check && Verb.parse(["erase", "s-x"]).0 == .erase("s-x"))
        for words in [
            ["machine"], ["machine", "add"], ["machine", "list", "a"], ["machine", "add", "a/b"],
            ["machine", "add", "a", "b", "--output", "f"],
            ["machine", "add", "a", "--finish"], ["check", "a"], ["erase"], ["prune"], ["machine", "burn", "a"], ["check", "--verbose"],
        ] { #expect(throws: ConfigurationFault.self, "\(words)") { try Verb.parse(words) } }
        let settings = try Options.settings("# a\ndatabase = \"postgres://h/d?x=y\"\n\nmachines=\"mqtts://b/\"\n", file: "f")
        #expect(settings == ["database": "postgres://h/d?x=y", "machines": "mqtts://b/"])
        for text in ["other = \"x\"", "=", " = ", "database", "= \"x\"", "database ="] {
            #expect(throws: ConfigurationFault.self, "\(text)") { try Options.settings(text, file: "f") }
        }
    }
}
