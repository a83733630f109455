import RemoteSink
import Testing

@testable import cuff_sink_mqtt

@Suite struct HomeAssistantTests {
    private static let address = "mqtt://broker/?gateway=pi-7&discovery=homeassistant"
    private static let node = "cuff_00091ffffe000101"
    private static let topic = "homeassistant/device/\(node)/config"

    private static func value(_ payload: String?) throws -> JSONValue {
        try #require(payload.flatMap { JSONValue(parsing: Array($0.utf8)) })
    }

    private static func members(_ value: JSONValue?) throws -> [JSONValue.Member] {
        guard case .object(let members)? = value else { throw Missing() }
        return members
    }
    private struct Missing: Error {}

    /// The keys are those of Home Assistant's documentation (MQTT, device discovery payload) and of its sources 2026.4.0 and 2026.11.0,
    /// mqtt/schemas.py and mqtt/abbreviations.py: `dev` with an identifier and `o` with a name are required, other keys of the first
    /// level are refused, each component needs `p`, each entity `uniq_id`, and the domain of `def_ent_id` is required.
    @Test func device_IsAnnouncedOnceBeforeTheReading_InOneMessage() throws {
        var rig = try Rig(Self.address)
        rig.begin()
        try rig.send(line("20260505T000001-a"), line("20260505T000002-a"))
        #expect(rig.published.map(\.topic).filter { $0.hasPrefix("homeassistant/") } == [Self.topic])
        let place = rig.published.map(\.topic)
        #expect(try #require(place.firstIndex(of: Self.topic)) < #require(place.firstIndex(of: "\(base)/reading")))
        let message = try Self.value(rig.retained[Self.topic])
        #expect(try Self.members(message).map(\.key) == ["dev", "o", "cmps"])
        #expect(message["dev"]?["ids"]?.array == [.string(Self.node)] && message["dev"]?["sn"]?.string == "00091ffffe000101")
        #expect(message["o"]?["name"]?.string == "cuff")
        let components = try Self.members(message["cmps"])
        let kinds = [
            "systolic": "sensor", "diastolic": "sensor", "mean": "sensor", "pulse": "sensor", "measured": "sensor",
            "irregular": "binary_sensor", "reading": "event", "alert": "event", "alert_raised": "device_automation",
            "alert_cleared": "device_automation",
        ]
        #expect(Set(components.map(\.key)) == Set(kinds.keys) && components.count == kinds.count)
        for (name, component) in components.map({ ($0.key, $0.value) }) {
            let kind = try #require(kinds[name])
            #expect(component["p"]?.string == kind)
            // The device class would be shown in inches of mercury in a home with US units; a blood pressure does not expire.
            #expect(component["dev_cla"]?.string != "pressure" && component["exp_aft"] == nil && component["obj_id"] == nil)
            guard kind != "device_automation" else { continue }
            #expect(component["uniq_id"]?.string == "\(Self.node)_\(name)" && component["def_ent_id"]?.string == "\(kind).cuff_\(name)")
            #expect(component["avty_t"]?.string == "cuff/pi-7/status")
        }
        let systolic = try #require(message["cmps"]?["systolic"])
        #expect(systolic["name"]?.string == "Systolic" && systolic["stat_t"]?.string == "\(base)/state")
        #expect(systolic["json_attr_t"]?.string == "\(base)/state" && systolic["val_tpl"]?.string == "{{ value_json.systolic_mmHg }}")
        #expect(systolic["unit_of_meas"]?.string == "mmHg" && systolic["stat_cla"]?.string == "measurement")
        #expect(systolic["frc_upd"] == .bool(true) && message["cmps"]?["pulse"]?["unit_of_meas"]?.string == "bpm")
        #expect(message["cmps"]?["measured"]?["dev_cla"]?.string == "timestamp")
        #expect(message["cmps"]?["irregular"]?["dev_cla"]?.string == "problem")
        #expect(message["cmps"]?["reading"]?["stat_t"]?.string == "\(base)/reading")
        #expect(message["cmps"]?["reading"]?["evt_typ"]?.array?.compactMap(\.string) == ["reading", "failed"])
    }

    @Test func withoutDiscovery_NothingIsAnnounced() throws {
        var rig = try Rig("mqtt://broker/?gateway=pi-7")
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        #expect(!rig.published.contains { $0.topic.hasPrefix("homeassistant") } && rig.answers.count == 1)
    }

    /// Users are different persons: an entity never shows one after the other.
    @Test func entities_NeverChangeTheirPerson() throws {
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
            var rig = try Rig(Self.address)
            rig.begin()
            for (number, user) in order.enumerated() { try rig.send(line("20260505T00000\(number)-a", user: user == 0 ? nil : user)) }
            let before = try #require(rig.retained[Self.topic])
            let components = try Self.members(Self.value(before)["cmps"])
            // Seven entities for each user; the alerts' entity and two triggers.
            #expect(components.count == 24)
            #expect(Set(components.compactMap { $0.value["uniq_id"]?.string }).count == 22)
            #expect(Set(components.compactMap { $0.value["def_ent_id"]?.string }).count == 22)
            var next = try Rig(Self.address)
            next.retained = rig.retained
            next.begin()
            for (number, user) in order.reversed().enumerated() {
                try next.send(line("20260506T00000\(number)-a", user: user == 0 ? nil : user))
            }
            #expect(next.retained[Self.topic] == before, "\(order)")
            #expect(next.answers.count == 3)
        }
    }

    @Test func denied_IsAConfigurationFault() throws {
        var rig = try Rig(Self.address)
        rig.verdicts[Self.topic] = Reasons.puback(0x87, topic: Self.topic)
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        guard case .fatal(let text) = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("homeassistant/") && rig.answers.count == 1)
    }

    // MARK: The messages of earlier builds

    /// As earlier builds published it.
    private static func old(_ name: String, kind: String = "sensor", state: String) -> (String, String) {
        (
            "homeassistant/\(kind)/\(node)/\(name)/config",
            #"{"name":"\#(name)","stat_t":"\#(state)","frc_upd":true,"uniq_id":"\#(node)_\#(name)","obj_id":"cuff_\#(name)","#
                + #""avty_t":"cuff/pi-7/status","dev":{"ids":["\#(node)"],"name":"Blood pressure cuff"},"o":{"name":"cuff","sw":"0.1.0"}}"#
        )
    }
    private static let oldMessages = Dictionary(uniqueKeysWithValues: [
        old("systolic", state: "cuff/pi-7/00091ffffe000101/u0/state"), old("u2_systolic", state: "cuff/pi-8/00091ffffe000101/u2/state"),
        old("alert", kind: "event", state: "cuff/pi-7/00091ffffe000101/alert"),
    ])

    /// https://www.home-assistant.io/integrations/mqtt/#migration-from-single-component-to-device-based-discovery: the discovery id
    /// (node id and name) and the unique id stay the same.
    @Test func singleEntities_BecomePartsOfTheDevice() throws {
        var rig = try Rig(Self.address)
        rig.retained = Self.oldMessages
        rig.begin()
        // User 1, while the plain names belong to readings without a user.
        try rig.send(line("20260505T000001-a"))
        #expect(rig.answers.isEmpty)
        rig.pass(10)
        #expect(rig.answers.count == 1)
        let steps = rig.published.filter { $0.topic.hasPrefix("homeassistant/") }
        let topics = Self.oldMessages.keys.sorted()
        #expect(steps.map(\.topic) == [Self.topic] + topics + [Self.topic] + topics)
        #expect(steps[1...3].allSatisfy { $0.payload == #"{"migrate_discovery":true}"# } && steps[5...7].allSatisfy { $0.payload.isEmpty })
        #expect(steps[0].payload == steps[4].payload)
        let components = try #require(Self.value(rig.retained[Self.topic])["cmps"])
        #expect(components["systolic"]?["stat_t"]?.string == "cuff/pi-7/00091ffffe000101/u0/state")
        #expect(components["systolic"]?["uniq_id"]?.string == "\(Self.node)_systolic" && components["systolic"]?["p"]?.string == "sensor")
        #expect(components["systolic"]?["def_ent_id"]?.string == "sensor.cuff_systolic" && components["systolic"]?["dev"] == nil)
        #expect(components["systolic"]?["frc_upd"] == .bool(true) && components["systolic"]?["obj_id"] == nil)
        // Another gateway's, not seen in this run.
        #expect(components["u2_systolic"]?["stat_t"]?.string == "cuff/pi-8/00091ffffe000101/u2/state")
        #expect(components["u1_systolic"]?["stat_t"]?.string == "\(base)/state" && components["alert_raised"] != nil)
        #expect(rig.retained.keys.filter { $0.hasPrefix("homeassistant/") } == [Self.topic])
    }

    /// Home Assistant drops a message for an entity that it is unloading.
    @Test func theDevice_IsAnnouncedAgain_ThreeSecondsAfterTheLastMigrationMessage() throws {
        var rig = try Rig(Self.address)
        rig.retained = Self.oldMessages
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        rig.pass(2)
        #expect(rig.payloads(Self.topic).count == 1)
        rig.pass(1.5)
        #expect(rig.payloads(Self.topic).count == 2)
    }

    /// After a crash between any two steps the next run has the same result.
    @Test func interruptedMigration_EndsWithTheSameEntities() throws {
        var whole = try Rig(Self.address)
        whole.retained = Self.oldMessages
        whole.begin()
        try whole.send(line("20260505T000001-a"))
        whole.pass(10)
        var seen = Set<Int>()
        for count in 0...8 {
            var rig = try Rig(Self.address)
            rig.retained = Self.oldMessages
            rig.limit = count
            rig.begin()
            try rig.send(line("20260505T000001-a"))
            rig.pass(10)
            seen.insert(rig.retained.values.filter { $0 == HomeAssistant.migration }.count)
            var next = try Rig(Self.address)
            next.retained = rig.retained
            next.begin()
            try next.send(line("20260505T000001-a"))
            next.pass(10)
            let retained = next.retained.filter { $0.key.hasPrefix("homeassistant/") }
            #expect(retained == whole.retained.filter { $0.key.hasPrefix("homeassistant/") }, "after \(count)")
        }
        #expect(seen == [0, 1, 2, 3])
    }

    // MARK: Forgetting

    @Test func forgotten_CuffLosesWhatIsItsOwn() throws {
        let settings = try settings(Self.address)
        func config(_ state: String) -> [UInt8] { Array(#"{"stat_t":"\#(state)"}"#.utf8) }
        let found: [String: [UInt8]] = [
            "cuff/pi-7/A/u1/state": Array("{}".utf8), "homeassistant/sensor/cuff_A/systolic/config": config("cuff/pi-7/A/u1/state"),
            "homeassistant/event/cuff_A/reading/config": config("cuff/pi-7/A/u1/reading"),
            // Read by another gateway since, or removed already.
            "homeassistant/sensor/cuff_A/u2_mean/config": config("cuff/pi-8/A/u2/state"), "homeassistant/sensor/cuff_A/x/config": [],
        ]
        let messages = Forget.messages(found, device: "A", settings)
        #expect(
            messages.map(\.topic) == [
                "homeassistant/event/cuff_A/reading/config", "homeassistant/sensor/cuff_A/systolic/config", "cuff/pi-7/A/u1/state",
            ])
        #expect(messages.allSatisfy { $0.payload.isEmpty })
    }

    @Test func forgotten_DeviceMessageIsCleared_UnlessAnotherGatewayUsesIt() throws {
        var rig = try Rig(Self.address)
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        let payload = try #require(rig.retained[Self.topic])
        let own = Forget.messages([Self.topic: Array(payload.utf8)], device: "00091ffffe000101", rig.state.settings)
        #expect(own == [HomeAssistant.Message(topic: Self.topic, payload: "")])
        var other = try Rig("mqtt://broker/?gateway=pi-8&discovery=homeassistant")
        other.retained = rig.retained
        other.begin()
        try other.send(line("20260505T000002-a", user: 2))
        let both = try #require(other.retained[Self.topic])
        let messages = Forget.messages([Self.topic: Array(both.utf8)], device: "00091ffffe000101", rig.state.settings)
        #expect(messages.map(\.topic) == [Self.topic, Self.topic])
        // First with nothing but the platform, which removes an entity, then without.
        let first = try #require(Self.value(messages[0].payload)["cmps"])
        #expect(first["systolic"]?.text == #"{"p":"sensor"}"# && first["u2_systolic"]?["stat_t"] != nil)
        let second = try #require(Self.value(messages[1].payload)["cmps"])
        #expect(second["systolic"] == nil && second["u2_systolic"] == first["u2_systolic"])
        // The newest announcement of the alerts is the other gateway's.
        #expect(second["alert"]?["stat_t"]?.string == "cuff/pi-8/00091ffffe000101/alert")
    }
}
