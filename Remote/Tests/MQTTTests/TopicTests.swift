import RemoteSink
import Testing

@testable import cuff_sink_mqtt

func settings(_ address: String) throws -> Settings {
    try Settings(try HelperAddress(address), credentials: Credentials(systemd: nil, own: "/nonexistent"), hostName: "pi 7")
}

func line(
    _ id: String, user: Int? = 1, revision: Int? = nil, type: String = "blood_pressure", of: String? = nil,
    device: String = "00091ffffe000101",
    time: String? = "2026-05-05T07:33:20+02:00"
) -> String {
    #"{"type":"\#(type)""# + (of.map { #","of":"\#($0)""# } ?? "") + #","schema":1,"id":"\#(id)","driver":"phd","device":"\#(device)""#
        + #","systolic_mmHg":128,"diastolic_mmHg":82"# + (user.map { ",\"user\":\($0)" } ?? "")
        + (time.map { #","measured":"\#($0)""# } ?? #","clock":"unset""#) + (revision.map { ",\"revision\":\($0)" } ?? "") + "}"
}

func reading(_ line: String) throws -> ReadingLine { try #require(ReadingLine(Array(line.utf8))) }

@Suite struct TopicTests {
    @Test func device_BecomesOneLevel() throws {
        let topics = Topics(prefix: "cuff", gateway: "pi-7")
        let slot = Slot(try reading(line("a", user: 2, device: "A+B/c #\\u0001é")))
        #expect(slot.state(topics) == "cuff/pi-7/A_B_c___é/u2/state")
        #expect(slot.reading(topics) == "cuff/pi-7/A_B_c___é/u2/reading")
        #expect(Slot(try reading(line("a", user: nil))).state(topics) == "cuff/pi-7/00091ffffe000101/u0/state")
        // Without a name of its own it is called by its driver.
        #expect(Slot(try reading(line("a", device: ""))).state(topics) == "cuff/pi-7/phd/u1/state")
    }

    @Test func aPersonWithAName_HasTopicsAndEntitiesOfTheirOwn() throws {
        let own = try settings("mqtt://b/?discovery=homeassistant&gateway=pi-7")
        func slot(_ person: String, user: Int? = 1) throws -> Slot {
            Slot(try reading(String(line("a", user: user).dropLast()) + ",\"person\":" + JSONValue.quoted(person) + "}"))
        }
        let anna = try slot("Anna")
        #expect(anna.state(own.topics) == "cuff/pi-7/00091ffffe000101/p-Anna/state")
        let (second, ben, disguised, unnamed) = (
            try slot("Anna", user: 2), try slot("Ben"), try slot("u1"), Slot(try reading(line("a")))
        )
        #expect(second == anna, "several slots of one cuff may be one person's")
        #expect(ben != anna && disguised.place != unnamed.place)
        #expect(!anna.mayBePlain && unnamed.mayBePlain)
        // Names that differ only in characters that a topic or an id cannot have.
        let places = try ["A/B", "A+B", "A_B", "A B"].map { try slot($0).place }
        #expect(Set(places).count == 4)
        func ids(_ name: String) throws -> Set<String> {
            Set(HomeAssistant.components(for: try slot(name), isPlain: false, own.topics).map(\.id))
        }
        let (first, other) = (try ids("Jürgen"), try ids("Jörgen"))
        #expect(first.isDisjoint(with: other) && first.count == 7)
        let systolic = try #require(HomeAssistant.components(for: anna, isPlain: false, own.topics).first)
        #expect(systolic.id == "p-Anna_systolic" && systolic.json.contains(#""uniq_id":"cuff_00091ffffe000101_p-Anna_systolic""#))
        #expect(systolic.json.contains(#""name":"Systolic (Anna)""#))
    }

    @Test func address_BecomesSettings() throws {
        let plain = try settings("mqtt://me@broker/?gateway=pi-7&prefix=a/b&discovery=homeassistant")
        #expect(plain.host == "broker" && plain.port == 1883 && !plain.isEncrypted && plain.user == "me" && plain.password == nil)
        #expect(plain.topics.status == "a/b/pi-7/status" && plain.discovery == "homeassistant" && plain.clientID == "cuff-pi-7")
        let encrypted = try settings("mqtts://broker/?cafile=/etc/ca.pem")
        #expect(encrypted.port == 8883 && encrypted.isEncrypted && encrypted.caFile == "/etc/ca.pem" && encrypted.gateway == "pi_7")
        #expect(encrypted.discovery == nil && encrypted.keepsState && !encrypted.isUnheardTaken)
        #expect(try settings("mqtt://b:99/?nobody-listens=taken&state=no").isUnheardTaken)
    }

    @Test(arguments: [
        "http://b/", "mqtt:///", "mqtt://b/topic", "mqtt://b/?insecure=1", "mqtt://b/?prefix=a/%23", "mqtt://b/?prefix=",
        "mqtt://b/?prefix=/a",
        "mqtt://b/?cafile=x", "mqtts://b/?certfile=x", "mqtt://b/?nobody-listens=x", "mqtt://b/?state=x", "mqtt://b/?state=no&discovery=h",
        "mqtt://b/?prefix=$SYS",
    ]) func otherAddresses_AreFaults(address: String) { #expect(throws: ConfigurationFault.self) { try settings(address) } }

    @Test func newness_IsByIDThenRevision() throws {
        let order = try [
            line("20260505T073130-a"), line("20260505T073130-a", revision: 2), line("20260505T073130-b"), line("20260601T000000-0"),
        ]
        .map { Newness(try reading($0)) }
        for (left, first) in order.enumerated() {
            for (right, second) in order.enumerated() { #expect((first < second) == (left < right)) }
        }
    }
}

@Suite struct ReasonTests {
    /// MQTT 5.0, 3.4.2.1 and 2.4.
    @Test func puback() {
        #expect(Reasons.puback(0x00, topic: "t") == .accepted)
        #expect(Reasons.puback(0x10, topic: "t") == .unheard)
        for code: UInt8 in [0x80, 0x83, 0x97] { if case .later = Reasons.puback(code, topic: "t") {} else { Issue.record("\(code)") } }
        for code: UInt8 in [0x90, 0x95, 0x99] { if case .refuse = Reasons.puback(code, topic: "t") {} else { Issue.record("\(code)") } }
        guard case .fatal(let text) = Reasons.puback(0x87, topic: "cuff/pi-7/status", words: "no") else {
            Issue.record("not authorized is no matter of time")
            return
        }
        #expect(text.contains("cuff/pi-7/status") && text.contains("not authorized: no"))
    }

    @Test func connack() throws {
        let settings = try settings("mqtt://me@broker/")
        #expect(Reasons.connack(0, isVersion5: true, settings) == .accepted)
        for (code, isVersion5) in [(4, false), (5, false), (0x86, true), (0x87, true)] as [(UInt8, Bool)] {
            guard case .fatal(let text) = Reasons.connack(code, isVersion5: isVersion5, settings) else {
                Issue.record("\(code)")
                continue
            }
            #expect(text.contains("/nonexistent/mqtt.password") && text.contains("me"))
        }
        for (code, isVersion5) in [(3, false), (0x88, true), (0x89, true), (0x97, true)] as [(UInt8, Bool)] {
            if case .later = Reasons.connack(code, isVersion5: isVersion5, settings) {} else { Issue.record("\(code)") }
        }
        if case .fatal(let text) = Reasons.connack(5, isVersion5: false, try withoutUser()) {
            #expect(text.contains("mqtt://USER@HOST/"))
        } else {
            Issue.record("no user")
        }
    }

    private func withoutUser() throws -> Settings { try settings("mqtt://broker/") }
}
