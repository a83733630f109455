import Glibc
import RemoteSink

/// Removes a cuff: what this gateway retained for it, and its entities in Home Assistant, are replaced by empty messages.
final class Forget {
    private let settings: Settings
    private let device: String
    private var found: [String: [UInt8]] = [:]
    private static let limit = 15.0
    /// Retained messages come right after the subscription; how long a silence ends them.
    private static let silence = 0.5

    init(_ settings: Settings, device: String) {
        self.settings = settings
        self.device = Topics.level(device)
    }

    /// Which of the retained messages are to be removed: the cuff's newest readings, and what announces entities that show them.
    static func removable(_ found: [String: [UInt8]], device: String, _ settings: Settings) -> [String] {
        let own = "\(settings.topics.base)/\(device)/"
        return found.filter { topic, payload in
            guard !payload.isEmpty else { return false }
            if topic.hasPrefix(own) { return true }
            // Another gateway may have read the same cuff since.
            return JSONValue(parsing: payload)?["stat_t"]?.string?.hasPrefix(own) == true
        }.keys.sorted()
    }

    func run() -> Int32 {
        var attempts = [true, false][...]
        while let isVersion5 = attempts.popFirst() {
            let broker = Broker(settings, isVersion5: isVersion5, isSilent: true)
            broker.connect()
            do throws(ConfigurationFault) {
                guard try isConnected(broker, isLast: attempts.isEmpty) else { continue }
                try collect(broker)
                let topics = Self.removable(found, device: device, settings)
                try remove(topics, broker)
                broker.disconnect()
                for topic in topics { print("removed \(topic)") }
                if topics.isEmpty { say("cuff-sink-mqtt: nothing is retained for \(device) by \(settings.gateway)") }
                return topics.isEmpty ? 69 : 0
            } catch {
                say("cuff-sink-mqtt: \(error.description)")
                return 75
            }
        }
        return 75
    }

    private func isConnected(_ broker: Broker, isLast: Bool) throws(ConfigurationFault) -> Bool {
        while true {
            switch try next(broker, within: Self.limit) {
            case .connected: return true
            case .ended(.oldVersion) where !isLast, .ended(.closedEarly) where !isLast: return false
            case nil: throw ConfigurationFault("the broker at \(settings.place) does not answer")
            default: continue
            }
        }
    }

    private func collect(_ broker: Broker) throws(ConfigurationFault) {
        var filters = ["\(settings.topics.base)/\(device)/+/state"]
        if let discovery = settings.discovery { filters.append("\(discovery)/+/\(HomeAssistant.node(device))/+/config") }
        for filter in filters { broker.subscribe(filter) }
        var confirmed = 0
        while let event = try next(broker, within: confirmed < filters.count ? Self.limit : Self.silence) {
            switch event {
            case .subscribed(let filter, let isGranted):
                guard isGranted else { throw ConfigurationFault("the broker does not let this user read \(filter)") }
                confirmed += 1
            case .message(let topic, let payload): found[topic] = payload
            default: break
            }
        }
    }

    private func remove(_ topics: [String], _ broker: Broker) throws(ConfigurationFault) {
        for (token, topic) in topics.enumerated() { broker.publish(token, topic, "", isRetained: true) }
        var left = topics.count
        while left > 0 {
            switch try next(broker, within: Self.limit) {
            case .acknowledged(_, .accepted), .acknowledged(_, .unheard): left -= 1
            case .acknowledged(_, .later(let text)), .acknowledged(_, .refuse(let text)), .acknowledged(_, .fatal(let text)):
                throw ConfigurationFault(text)
            case nil: throw ConfigurationFault("the broker at \(settings.place) does not acknowledge")
            default: continue
            }
        }
    }

    /// `nil` when nothing came in that time.
    private func next(_ broker: Broker, within seconds: Double) throws(ConfigurationFault) -> MQTTState.Event? {
        let until = monotonicSeconds() + seconds
        while true {
            if let event = broker.nextEvent() {
                switch event {
                case .ended(.later(let text)), .ended(.lost(let text)), .ended(.fatal(let text)): throw ConfigurationFault(text)
                default: return event
                }
            }
            let left = until - monotonicSeconds()
            guard left > 0 else { return nil }
            var entry = pollfd(fd: broker.socket, events: Int16(POLLIN | (broker.wantsWrite ? POLLOUT : 0)), revents: 0)
            _ = poll(&entry, 1, Int32(min(left, 1) * 1000) + 1)
            let ready = Int32(entry.revents)
            broker.run(isReadable: ready & ~POLLOUT != 0, isWritable: ready & POLLOUT != 0)
        }
    }
}
