import RemoteSink

/// Removes a cuff: clears its retained messages and Home Assistant entities by empty messages.
struct Forget {
    private let settings: Settings
    private let device: String

    init(_ settings: Settings, device: String) {
        self.settings = settings
        self.device = Topics.level(device)
    }

    /// The retained messages to remove: the cuff's newest readings and the announcements of entities that show them.
    static func removable(_ found: [String: [UInt8]], device: String, _ settings: Settings) -> [String] {
        let own = "\(settings.topics.base)/\(device)/"
        return found.filter { topic, payload in
            guard !payload.isEmpty else { return false }
            if topic.hasPrefix(own) { return true }
            // Another gateway may have announced the same cuff.
            return JSONValue(parsing: payload)?["stat_t"]?.string?.hasPrefix(own) == true
        }.keys.sorted()
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
        if let discovery = settings.discovery { filters.append("\(discovery)/+/\(HomeAssistant.node(device))/+/config") }
        let topics = Self.removable(try connection.retained(filters), device: device, settings)
        for verdict in try connection.publish(topics.map { ($0, "", true) }) {
            switch verdict {
            case .accepted, .unheard: continue
            case .later(let text), .refuse(let text), .fatal(let text): throw .fatal(text)
            }
        }
        connection.disconnect()
        return topics
    }
}
