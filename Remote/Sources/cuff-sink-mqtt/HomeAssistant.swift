import RemoteSink

/// The retained messages of Home Assistant's MQTT discovery.
enum HomeAssistant {
    struct Announcement: Sendable, Equatable {
        let topic: String
        let payload: String
    }

    private struct Entity {
        let kind: String
        let name: String
        let title: String
        let particulars: [(String, String)]
    }

    /// The node id of a cuff in discovery topics, also the identifier of its device.
    static func node(_ device: String) -> String { "cuff_\(identifier(device))" }

    /// Letters, digits, `_` and `-`.
    static func identifier(_ text: String) -> String {
        String(
            text.unicodeScalars.map {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-") ? Character($0) : "_"
            })
    }

    /// The discovery topic of the first entity without a user number.
    static func plainTopic(_ device: String, _ settings: Settings) -> String? {
        settings.discovery.map { "\($0)/sensor/\(node(device))/systolic/config" }
    }

    /// The user whose plain names were announced by any gateway.
    static func holder(of device: String, _ payload: [UInt8]?) -> Int? {
        let levels = payload.flatMap { JSONValue(parsing: $0) }?["stat_t"]?.string?.split(separator: "/").suffix(3)
        guard let levels, levels.count == 3, let place = levels.first, place == device, levels.last == "state" else { return nil }
        return (0...1).first { levels.dropFirst().first == "u\($0)" }
    }

    static func announcements(for slot: Slot, isPlain: Bool, _ settings: Settings) -> [Announcement] {
        guard let discovery = settings.discovery else { return [] }
        let topics = settings.topics
        let node = node(slot.device)
        let user = isPlain ? "" : Topics.distinct(slot.place, identifier(slot.place)) + "_"
        let suffix = isPlain ? "" : " (\(slot.person ?? (slot.user == 0 ? "no user" : "user \(slot.user)")))"
        let common = common(slot, topics)
        return entities(state: slot.state(topics), reading: slot.reading(topics)).map { entity in
            let name = user + entity.name
            let members =
                [("name", JSONValue.quoted(entity.title + suffix))] + entity.particulars
                + [("uniq_id", JSONValue.quoted("\(node)_\(name)")), ("obj_id", JSONValue.quoted("cuff_\(name)"))] + common
            return Announcement(topic: "\(discovery)/\(entity.kind)/\(node)/\(name)/config", payload: object(members))
        }
    }

    /// For all users of the cuff; `nil` without discovery.
    static func alertAnnouncement(for slot: Slot, _ settings: Settings) -> Announcement? {
        guard let discovery = settings.discovery else { return nil }
        let node = node(slot.device)
        let members =
            [
                ("name", JSONValue.quoted("Alert")), ("stat_t", JSONValue.quoted(slot.alert(settings.topics))),
                ("evt_typ", #"["raised","cleared"]"#),
                ("val_tpl", JSONValue.quoted("{{ dict(value_json, event_type=value_json.event) | tojson }}")),
                ("uniq_id", JSONValue.quoted("\(node)_alert")), ("obj_id", JSONValue.quoted("cuff_alert")),
            ] + common(slot, settings.topics)
        return Announcement(topic: "\(discovery)/event/\(node)/alert/config", payload: object(members))
    }

    /// The members of every entity: availability, device and origin.
    private static func common(_ slot: Slot, _ topics: Topics) -> [(String, String)] {
        let device = object(
            [
                ("ids", "[\(JSONValue.quoted(node(slot.device)))]"), ("name", JSONValue.quoted("Blood pressure cuff")),
            ] + (slot.serial.map { [("sn", JSONValue.quoted($0))] } ?? []))
        return [
            ("avty_t", JSONValue.quoted(topics.status)), ("dev", device),
            ("o", object([("name", JSONValue.quoted("cuff")), ("sw", JSONValue.quoted(helperVersion))])),
        ]
    }

    /// No `device_class: pressure`: a home with US units would be shown 5.0 inHg instead of 128 mmHg. No `expire_after`: a blood
    /// pressure does not expire.
    private static func entities(state: String, reading: String) -> [Entity] {
        let source = ("stat_t", JSONValue.quoted(state))
        let attributes = ("json_attr_t", JSONValue.quoted(state))
        func number(_ name: String, _ title: String, unit: String, _ template: String) -> Entity {
            Entity(
                kind: "sensor", name: name, title: title,
                particulars: [
                    source, ("unit_of_meas", JSONValue.quoted(unit)), ("stat_cla", JSONValue.quoted("measurement")), ("frc_upd", "true"),
                    ("val_tpl", JSONValue.quoted(template)), attributes,
                ])
        }
        // Missing or deleted values show as unknown, not as 0 or the previous value. A deletion publishes `null`.
        return [
            number("systolic", "Systolic", unit: "mmHg", "{{ value_json.systolic_mmHg }}"),
            number("diastolic", "Diastolic", unit: "mmHg", "{{ value_json.diastolic_mmHg }}"),
            number("mean", "Mean", unit: "mmHg", "{{ value_json.mean_mmHg | default(None) }}"),
            number("pulse", "Pulse", unit: "bpm", "{{ value_json.pulse_per_min | default(None) }}"),
            Entity(
                kind: "sensor", name: "measured", title: "Measured",
                particulars: [
                    source, ("dev_cla", JSONValue.quoted("timestamp")),
                    ("val_tpl", JSONValue.quoted("{{ None if value_json.type == 'deleted' else value_json.measured | default(None) }}")),
                ]),
            Entity(
                kind: "binary_sensor", name: "irregular", title: "Irregular pulse",
                particulars: [
                    source, ("dev_cla", JSONValue.quoted("problem")),
                    ("val_tpl", JSONValue.quoted("{{ 'ON' if 'irregular_pulse' in value_json.flags | default([]) else 'OFF' }}")),
                ]),
            Entity(
                kind: "event", name: "reading", title: "Reading",
                particulars: [
                    ("stat_t", JSONValue.quoted(reading)), ("evt_typ", #"["reading","failed"]"#),
                    (
                        "val_tpl",
                        JSONValue.quoted(
                            "{{ dict(value_json, event_type='failed' if value_json.type == 'measurement' else 'reading') | tojson }}")
                    ),
                ]),
        ]
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(JSONValue.quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }
}
