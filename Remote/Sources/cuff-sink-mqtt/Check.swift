import RemoteSink

/// Checks the address, the certificate, the password and the permission for each kind of topic.
///
/// Nothing is retained: it publishes empty messages to topics of a cuff that does not exist. Only the presence of
/// this gateway is published again unchanged.
struct Check {
    private static let device = "_check"
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    func run() -> CheckResult {
        do throws(CheckResult) { return try found() } catch { return error }
    }

    private func found() throws(CheckResult) -> CheckResult {
        let connection = try ShortConnection.open(settings)
        let topics = settings.topics
        var presence = "offline"
        if settings.keepsState {
            let retained: [String: [UInt8]]
            do throws(CheckResult) { retained = try connection.retained([topics.status]) } catch {
                // Some brokers close the connection if an operation is not permitted; MQTT 3.1.1 gives no reason.
                if case .later = error, connection.isVersion5 { throw error }
                throw .fatal(
                    "\(accepted) but not reading \(topics.status); grant it permission to read \(topics.base)/#, or add state=no")
            }
            presence = retained[topics.status].flatMap { String(validating: $0, as: UTF8.self) } ?? presence
        }
        try publish(topics.status, presence, on: connection)
        var places = ["\(topics.base)/#"]
        if settings.keepsState { try publish("\(topics.base)/\(Self.device)/u0/state", on: connection) }
        if let discovery = settings.discovery {
            // An empty message would make Home Assistant log a warning.
            try publish(HomeAssistant.topic(Self.device, below: discovery), HomeAssistant.migration, on: connection)
            places.append("\(discovery)/#")
        }
        let reading = "\(topics.base)/\(Self.device)/u0/reading"
        let isHeard = try publish(reading, on: connection)
        connection.disconnect()
        guard isHeard || settings.isUnheardTaken else {
            return .later(
                "the broker at \(settings.place) accepts readings, but there is no subscriber to \(topics.base)/+/+/reading: readings will stay queued until there is one; to count them as delivered add nobody-listens=taken"
            )
        }
        return .ok("\(accepted), and publishing below \(places.joined(separator: " and "))\(caveats(connection))")
    }

    private var accepted: String {
        "the broker at \(settings.place) accepts \(settings.user.map { "`\($0)`\(settings.password == nil ? "" : " with the password")" } ?? "connections without a user")"
    }

    private func caveats(_ connection: ShortConnection) -> String {
        var text = ""
        if !connection.isVersion5 { text += "; it uses MQTT 3.1.1, which does not always report that publishing is not permitted" }
        if !settings.isEncrypted, !settings.isLoopback { text += "; the connection is not encrypted: use mqtts://" }
        return text
    }

    /// Returns whether the topic has a subscriber, if the broker reports that.
    @discardableResult
    private func publish(_ topic: String, _ payload: String = "", on connection: ShortConnection) throws(CheckResult) -> Bool {
        let verdicts: [Verdict]
        do throws(CheckResult) { verdicts = try connection.publish([(topic, payload, false)]) } catch {
            // RabbitMQ's reaction to a publish that is not permitted.
            guard !connection.isVersion5, case .later = error else { throw error }
            throw .fatal(
                "\(accepted) but closed the connection after a message to \(topic): probably the topic is not permitted; \(right(topic))")
        }
        switch verdicts.first {
        case .unheard: return false
        case .later(let text): throw .later(text)
        case .fatal: throw .fatal("\(accepted) but not the topic \(topic); \(right(topic))")
        case .refuse(let text): throw .fatal(text)
        case .accepted, nil: return true
        }
    }

    private func right(_ topic: String) -> String {
        let isOwn = topic.hasPrefix(settings.topics.base + "/")
        return "grant it permission to publish to \(isOwn ? settings.topics.base : settings.discovery ?? "")/#"
    }
}
