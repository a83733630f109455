import RemoteSink

/// Removes a cuff: clears its retained messages and Home Assistant entities by empty messages.
struct Forget {
    private let settings: Settings
    private let device: String

    init(_ settings: Settings, device: String) {
        self.settings = settings
        self.device = Topics.level(device)
    }

    /// The retained messages that remove the cuff: its newest readings and the entities that show them. Entities that another
    /// gateway has announced for the same cuff remain.
    static func messages(_ found: [String: [UInt8]], device: String, _ settings: Settings) -> [HomeAssistant.Message] {
        let own = "\(settings.topics.base)/\(device)/"
        let topic = settings.discovery.map { HomeAssistant.topic(device, below: $0) }
        // Entities first: they cannot show an empty message.
        let order = { (place: String) in (place.hasPrefix(own) ? 1 : 0, place) }
        return found.sorted { order($0.key) < order($1.key) }.flatMap { place, payload -> [HomeAssistant.Message] in
            guard !payload.isEmpty else { return [] }
            let components = HomeAssistant.components(in: payload)
            let others = components.filter { $0.source?.hasPrefix(own) != true }
            if place == topic, !others.isEmpty {
                // A component with nothing but its platform is removed; after that it can be omitted.
                let removed = components.filter { !others.contains($0) }.map {
                    HomeAssistant.Component(id: $0.id, json: "{\"p\":\($0.value?["p"]?.text ?? "null")}")
                }
                guard !removed.isEmpty else { return [] }
                let serial = JSONValue(parsing: payload)?["dev"]?["sn"]?.string
                return [others + removed, others].map { .init(topic: place, payload: HomeAssistant.payload(device, serial: serial, $0)) }
            }
            let isOwn =
                place.hasPrefix(own) || place == topic || payload == Array(HomeAssistant.migration.utf8)
                || JSONValue(parsing: payload)?["stat_t"]?.string?.hasPrefix(own) == true
            return isOwn ? [.init(topic: place, payload: "")] : []
        }
    }

    func run() -> Int32 {
        do throws(CheckResult) {
            let topics = try remove()
            for topic in topics { print("removed \(topic)") }
            if topics.isEmpty { say("cuff-sink-mqtt: nothing is retained for \(device) by \(settings.gateway)") }
            return topics.isEmpty ? 69 : 0
        } catch {
            switch error {
            case .ok(let text), .later(let text), .fatal(let text): say("cuff-sink-mqtt: \(text)")
            }
            return 75
        }
    }

    private func remove() throws(CheckResult) -> [String] {
        let connection = try ShortConnection.open(settings)
        var filters = ["\(settings.topics.base)/\(device)/+/state"]
        if let discovery = settings.discovery {
            filters += [HomeAssistant.topic(device, below: discovery), HomeAssistant.oldTopics(device, below: discovery)]
        }
        let messages = Self.messages(try connection.retained(filters), device: device, settings)
        for verdict in try connection.publish(messages.map { ($0.topic, $0.payload, true) }) {
            switch verdict {
            case .accepted, .unheard: continue
            case .later(let text), .refuse(let text), .fatal(let text): throw .fatal(text)
            }
        }
        connection.disconnect()
        return Set(messages.map(\.topic)).sorted()
    }
}
