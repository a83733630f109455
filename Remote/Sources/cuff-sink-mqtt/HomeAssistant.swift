import RemoteSink

/// The messages of Home Assistant's MQTT discovery: one retained message for each cuff, with the entities of all its users.
///
/// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload, since release 2024.11; checked against the source of
/// 2026.4.0 and 2026.11.0. `default_entity_id` replaces `object_id`, which 2026.4 ignores; its domain is required.
enum HomeAssistant {
    struct Message: Sendable, Equatable {
        let topic: String
        let payload: String
    }

    /// An entity or a device trigger: a member of `cmps`.
    struct Component: Sendable, Equatable {
        let id: String
        /// A JSON object.
        let json: String

        var value: JSONValue? { JSONValue(parsing: Array(json.utf8)) }
        /// The topic of its values.
        var source: String? { value.flatMap { ($0["stat_t"] ?? $0["t"])?.string } }
    }

    /// Starts the transfer of an entity from its own message to the message of the device, see `Announcement`.
    static let migration = #"{"migrate_discovery":true}"#

    /// The node id of a cuff in discovery topics, also the identifier of its device.
    static func node(_ device: String) -> String { "cuff_\(identifier(device))" }

    /// Letters, digits, `_` and `-`.
    static func identifier(_ text: String) -> String {
        String(
            text.unicodeScalars.map {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-") ? Character($0) : "_"
            })
    }

    static func topic(_ device: String, below discovery: String) -> String { "\(discovery)/device/\(node(device))/config" }

    /// Matches the messages of single entities that earlier builds published.
    static func oldTopics(_ device: String, below discovery: String) -> String { "\(discovery)/+/\(node(device))/+/config" }

    /// The user whose entities have no user number, announced by any gateway.
    static func plainUser(_ components: [Component], of device: String) -> Int? {
        let levels = components.first { $0.id == "systolic" }?.source?.split(separator: "/").suffix(3)
        guard let levels, levels.count == 3, let place = levels.first, place == device, levels.last == "state" else { return nil }
        return (0...1).first { levels.dropFirst().first == "u\($0)" }
    }

    // MARK: The message

    static func payload(_ device: String, serial: String?, _ components: [Component]) -> String {
        let device =
            [("ids", "[\(JSONValue.quoted(node(device)))]"), ("name", JSONValue.quoted("Blood pressure cuff"))]
            + (serial.map { [("sn", JSONValue.quoted($0))] } ?? [])
        return JSONValue.object([
            ("dev", JSONValue.object(device)),
            ("o", JSONValue.object([("name", JSONValue.quoted("cuff")), ("sw", JSONValue.quoted(helperVersion))])),
            ("cmps", JSONValue.object(components.map { ($0.id, $0.json) })),
        ])
    }

    static func components(in payload: [UInt8]?) -> [Component] {
        guard case .object(let members)? = payload.flatMap({ JSONValue(parsing: $0) })?["cmps"] else { return [] }
        return members.map { Component(id: $0.key, json: $0.value.text) }
    }

    /// The component for the message of a single entity; `nil` if the message is not one.
    static func component(from topic: String, _ payload: [UInt8]) -> Component? {
        let levels = topic.split(separator: "/").suffix(4)
        guard levels.count == 4, let kind = levels.first, let name = levels.dropLast().last,
            case .object(let members)? = JSONValue(parsing: payload), members.contains(where: { $0.key == "uniq_id" })
        else { return nil }
        var kept = [("p", JSONValue.quoted(String(kind)))]
        for member in members {
            switch member.key {
            case "dev", "o": continue
            case "obj_id": kept.append(("def_ent_id", JSONValue.quoted("\(kind).\(member.value.string ?? "")")))
            default: kept.append((member.key, member.value.text))
            }
        }
        return Component(id: String(name), json: JSONValue.object(kept))
    }

    static func components(for slot: Slot, isPlain: Bool, _ topics: Topics) -> [Component] {
        let user = isPlain ? "" : Topics.distinct(slot.place, identifier(slot.place)) + "_"
        let suffix = isPlain ? "" : " (\(slot.person ?? (slot.user == 0 ? "no user" : "user \(slot.user)")))"
        return entities(state: slot.state(topics), reading: slot.reading(topics)).map {
            component($0, user + $0.name, title: $0.title + suffix, node(slot.device), topics)
        }
    }

    /// A cuff's alerts, for all users: an event entity, and triggers that automations can select by name.
    static func alertComponents(_ slot: Slot, _ topics: Topics) -> [Component] {
        let topic = JSONValue.quoted(slot.alert(topics))
        let event = Entity(
            kind: "event", name: "alert", title: "Alert",
            particulars: [
                ("stat_t", topic), ("evt_typ", #"["raised","cleared"]"#),
                ("val_tpl", JSONValue.quoted("{{ dict(value_json, event_type=value_json.event) | tojson }}")),
            ])
        return [component(event, event.name, title: event.title, node(slot.device), topics)]
            + ["raised", "cleared"].map {
                Component(
                    id: "alert_\($0)",
                    json: JSONValue.object([
                        ("p", JSONValue.quoted("device_automation")), ("atype", JSONValue.quoted("trigger")), ("t", topic),
                        ("type", JSONValue.quoted("alert")), ("stype", JSONValue.quoted($0)), ("pl", JSONValue.quoted($0)),
                        ("val_tpl", JSONValue.quoted("{{ value_json.event }}")),
                    ]))
            }
    }

    // MARK: Entities

    private struct Entity {
        let kind: String
        let name: String
        let title: String
        let particulars: [(String, String)]
    }

    private static func component(_ entity: Entity, _ name: String, title: String, _ node: String, _ topics: Topics) -> Component {
        let identity = [("p", JSONValue.quoted(entity.kind)), ("name", JSONValue.quoted(title))]
        // Not shared by the components, because another gateway may have announced some of them.
        let availability = ("avty_t", JSONValue.quoted(topics.status))
        return Component(
            id: name,
            json: JSONValue.object(
                identity + entity.particulars + [
                    ("uniq_id", JSONValue.quoted("\(node)_\(name)")), ("def_ent_id", JSONValue.quoted("\(entity.kind).cuff_\(name)")),
                    availability,
                ]))
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
}
