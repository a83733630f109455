import Glibc
import PersonNames
import RemoteSink
import Testing

@testable import cuff_sink_mqtt

/// The parts of the helper that many machines need: persons without names, and reports of the machine.
@Suite struct FleetMessageTests {
    private func line(_ more: String) throws -> ReadingLine {
        try #require(ReadingLine(Array(#"{"type":"blood_pressure","id":"a","driver":"r1","mean_mmHg":16.0\#(more)}"#.utf8)))
    }

    /// RFC 4231 has no such case: computed with Python's hmac and base64 from the 32 bytes 00 01 … 1f and the name in lower case.
    @Test func subject_IsAKeyedHash() throws {
        let subjects = Subjects(key: Array(0..<32))
        #expect(subjects.subject(of: "Anna") == "s-j2ocl2yk6i2cgkih47zv5lr7oa")
        #expect(subjects.subject(of: "aNNA") == subjects.subject(of: "Anna") && subjects.subject(of: "Ben") != subjects.subject(of: "Anna"))
        #expect(Subjects(key: Array(1...32)).subject(of: "Anna") != subjects.subject(of: "Anna"))
    }

    @Test func names_AreReplaced_AndNothingElse() throws {
        let subjects = Subjects(key: Array(0..<32))
        let rule = PersonRule(form: .subjects, subjects: subjects)
        let replaced = rule.apply(try line(#","person":"Anna","note":"x""#))
        #expect(replaced.person == subjects.subject(of: "Anna") && !replaced.json.contains("Anna"))
        #expect(replaced.json.contains(#""mean_mmHg":16.0"#) && replaced.json.contains(#""note":"x""#))
        let alert = rule.apply(try line(#","person":"Anna","text":"Anna: 190/110","rule":"anna high""#))
        #expect(!alert.json.contains("Anna"))
        let lowered = rule.apply(try line(#","person":"Anna","text":"anna-high: Annas 190/110","rule":"anna-high""#))
        #expect(!lowered.json.lowercased().contains("anna") && lowered.json.contains(#"-high""#))
        let short = PersonRule(form: .none, subjects: nil).apply(try line(#","person":"Al","text":"Alarm of al: 190/110""#))
        #expect(short["text"]?.string == "Alarm of the person: 190/110")
        let without = PersonRule(form: .none, subjects: nil).apply(try line(#","person":"Anna""#))
        #expect(without.person == nil && !without.json.contains("Anna"))
        let plain = try line(#","user":2"#)
        #expect(rule.apply(plain) == plain)
        let named = try line(#","person":"Anna""#)
        #expect(PersonRule(form: .names, subjects: nil).apply(named) == named)
    }

    @Test func key_IsMadeOnce_AndReadByItsOwnerOnly() throws {
        var template = Array("/tmp/cuff-subjects-XXXXXX".utf8CString)
        let folder = String(cString: mkdtemp(&template))
        defer {
            unlink(folder + "/k")
            rmdir(folder)
        }
        let first = try Subjects(path: folder + "/k").subject(of: "Anna")
        #expect(try Subjects(path: folder + "/k").subject(of: "Anna") == first)
        var status = stat()
        #expect(stat(folder + "/k", &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(folder + "/k", 0o644)
        #expect(throws: ConfigurationFault.self) { try Subjects(path: folder + "/k") }
        #expect(throws: ConfigurationFault.self) { try Subjects(path: folder + "/none/k") }
    }

    private func settings(_ text: String) throws -> Settings {
        try Settings(try HelperAddress(text), credentials: Credentials(systemd: nil, own: nil), hostName: "host")
    }

    @Test func names_LeaveTheMachineOnlyIfTheAddressSaysSo() throws {
        #expect(try settings("mqtt://localhost/").persons == .subjects)
        #expect(try settings("mqtt://localhost/?discovery=homeassistant").persons == .names)
        #expect(try settings("mqtt://localhost/?persons=names").persons == .names)
        #expect(try settings("mqtt://localhost/?discovery=homeassistant&persons=none").persons == .none)
        #expect(throws: ConfigurationFault.self) { try settings("mqtt://localhost/?persons=some") }
        #expect(throws: ConfigurationFault.self) { try settings("mqtt://a@localhost/?login=x") }
        #expect(throws: ConfigurationFault.self) { try settings("mqtt://localhost/?login=../x") }
    }

    @Test func report_IsPublishedOnce_WithUserAndVersion() throws {
        var state = MQTTState(try settings("mqtt://localhost/?gateway=pi-1&state=no&heartbeat=60"))
        let report = try #require(JSONValue(parsing: Array(#"{"type":"status","waiting":2}"#.utf8)))
        _ = state.handle(.time, at: 0)
        _ = state.handle(.status(report), at: 0)
        let online = state.handle(.connected, at: 0)
        guard case .publish(let token, "cuff/pi-1/status", "online", true)? = online.first else { return #expect(Bool(false), "\(online)") }
        let effects = state.handle(.acknowledged(token, .accepted), at: 0)
        guard case .publish(let second, let topic, let payload, let isRetained)? = effects.first else {
            return #expect(Bool(false), "\(effects)")
        }
        #expect(topic == "cuff/pi-1/heartbeat/status" && isRetained)
        #expect(payload == #"{"type":"status","waiting":2,"version":"\#(helperVersion)","user":""}"#)
        #expect(state.handle(.time, at: 1).isEmpty)
        #expect(state.handle(.status(report), at: 2).isEmpty, "the broker still has to acknowledge the first")
        #expect(state.handle(.acknowledged(second, .accepted), at: 3).count == 1)
    }
}
