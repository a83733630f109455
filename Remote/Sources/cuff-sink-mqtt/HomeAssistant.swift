import RemoteSink

/// Home Assistant finds the entities of a cuff by these retained messages.
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

    /// The node of a cuff below the discovery prefix, and the identity of its device.
    static func node(_ device: String) -> String { "cuff_\(identifier(device))" }

    /// Letters, digits, `_` and `-`.
    static func identifier(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-") ? Character($0) : "_" })
    }

    static func announcements(for slot: Slot, _ settings: Settings) -> [Announcement] {
        guard let discovery = settings.discovery else { return [] }
        let topics = settings.topics
        let node = node(slot.device)
        // The users of a cuff are different persons, so an entity never changes from one to another: its name depends on cuff and user alone.
        let isFirst = slot.user == 1
        let user = isFirst ? "" : "u\(slot.user)_"
        let suffix = isFirst || slot.user == 0 ? "" : " (user \(slot.user))"
        let device = object([
            ("ids", "[\(JSONValue.quoted(node))]"), ("name", JSONValue.quoted("Blood pressure cuff")),
        ] + (slot.serial.map { [("sn", JSONValue.quoted($0))] } ?? []))
        let common = [
            ("avty_t", JSONValue.quoted(topics.status)), ("dev", device),
            ("o", object([("name", JSONValue.quoted("cuff")), ("sw", JSONValue.quoted(helperVersion))])),
        ]
        return entities(state: slot.state(topics), reading: slot.reading(topics)).map { entity in
            let name = user + entity.name
            let members =
                [("name", JSONValue.quoted(entity.title + suffix))] + entity.particulars
                + [("uniq_id", JSONValue.quoted("\(node)_\(name)")), ("obj_id", JSONValue.quoted("cuff_\(name)"))] + common
            return Announcement(topic: "\(discovery)/\(entity.kind)/\(node)/\(name)/config", payload: object(members))
        }
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
        return [
            number("systolic", "Systolic", unit: "mmHg", "{{ value_json.systolic_mmHg }}"),
            number("diastolic", "Diastolic", unit: "mmHg", "{{ value_json.diastolic_mmHg }}"),
            // What the cuff did not tell is unknown, not 0, and not what it was before.
            number("mean", "Mean", unit: "mmHg", "{{ value_json.mean_mmHg | default(None) }}"),
            number("pulse", "Pulse", unit: "bpm", "{{ value_json.pulse_per_min | default(None) }}"),
            Entity(
                kind: "sensor", name: "measured", title: "Measured",
                particulars: [
                    source, ("dev_cla", JSONValue.quoted("timestamp")), ("val_tpl", JSONValue.quoted("{{ value_json.measured | default(None) }}")),
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
