import CMosquitto
import Glibc

/// A libmosquitto connection to a broker, for one thread; collects events until they are fetched.
final class Broker {
    private let settings: Settings
    private let isVersion5: Bool
    /// For a second connection: another client id, and no presence messages.
    private let isSilent: Bool
    private var client: OpaquePointer?
    private var tokens: [Int32: (token: MQTTState.Token, topic: String)] = [:]
    private var topics: [Int32: String] = [:]
    private var isAccepted = false
    private var hasEnded = false
    /// libmosquitto's log messages; only they contain the cause of a TLS error.
    private var words: [String] = []
    private var events: [MQTTState.Event] = []

    private static let isLibraryReady: Bool = mosquitto_lib_init() == 0

    init(_ settings: Settings, isVersion5: Bool, isSilent: Bool = false) {
        self.isSilent = isSilent
        self.settings = settings
        self.isVersion5 = isVersion5
        _ = Self.isLibraryReady
    }

    deinit { if let client { mosquitto_destroy(client) } }

    var socket: Int32 { client.map { mosquitto_socket($0) } ?? -1 }
    var wantsWrite: Bool { client.map { mosquitto_want_write($0) } ?? false }

    func nextEvent() -> MQTTState.Event? { events.isEmpty ? nil : events.removeFirst() }

    // MARK: Connecting

    /// Blocks for the TCP connection, limited by `ConnectGuard`; `run` does the rest.
    func connect() {
        guard
            let client = mosquitto_new(
                isSilent ? "\(settings.clientID).\(getpid())" : settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
        else {
            return end(.later("cannot initialise libmosquitto: \(String(cString: strerror(errno)))"))
        }
        self.client = client
        setCallbacks(client)
        mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        let status = settings.topics.status
        let offline = Array("offline".utf8)
        var result = isSilent ? 0 : mosquitto_will_set(client, status, Int32(offline.count), offline, 1, true)
        if result == 0, let user = settings.user { result = mosquitto_username_pw_set(client, user, settings.password) }
        guard result == 0 else { return end(.fatal("libmosquitto does not accept the settings: \(Self.text(result))")) }
        if settings.isEncrypted, let fault = encrypt(client) { return end(.fatal(fault)) }
        errno = 0
        let code = mosquitto_connect_bind_v5(client, settings.host, Int32(settings.port), Int32(Settings.keepAlive), nil, nil)
        guard code != MOSQ_ERR_SUCCESS.code else { return }
        let number = errno
        switch code {
        case MOSQ_ERR_TLS.code: end(tlsFault())
        case MOSQ_ERR_ERRNO.code: end(.later("cannot reach the broker at \(settings.place): \(String(cString: strerror(number)))"))
        default: end(.later("cannot reach the broker at \(settings.place): \(Self.text(code))"))
        }
    }

    /// The broker's certificate and host name are always verified.
    private func encrypt(_ client: OpaquePointer) -> String? {
        for file in [settings.caFile, settings.certificateFile, settings.keyFile].compactMap({ $0 }) where access(file, R_OK) != 0 {
            return "cannot read \(file): \(String(cString: strerror(errno)))"
        }
        let folder = settings.caFile == nil ? "/etc/ssl/certs" : nil
        var result = mosquitto_tls_set(client, settings.caFile, folder, settings.certificateFile, settings.keyFile, nil)
        if result == 0 { result = mosquitto_tls_opts_set(client, 1, nil, nil) }
        return result == 0 ? nil : "libmosquitto does not accept cafile, certfile or keyfile: \(Self.text(result))"
    }

    private func tlsFault() -> MQTTState.Ending {
        let detail = words.joined(separator: "; ")
        if detail.contains("host name verification") || detail.contains("verify failed") {
            let cause =
                detail.contains("host name")
                ? "it is not valid for \(settings.host)" : "it has expired, or no trusted authority signed it"
            return .fatal(
                "the certificate of the broker at \(settings.place) is not accepted: \(cause); set the authority's certificate with cafile=FILE (\(detail))"
            )
        }
        if detail.contains("wrong version number") {
            return .fatal("the broker at \(settings.place) does not use TLS on this port; use mqtt:// or another port")
        }
        if detail.contains("alert") { return .fatal("the broker at \(settings.place) refuses TLS: \(detail)") }
        return .later("TLS with the broker at \(settings.place) failed: \(detail.isEmpty ? "no reason" : detail)")
    }

    private func setCallbacks(_ client: OpaquePointer) {
        mosquitto_connect_v5_callback_set(client) { _, user, code, _, properties in
            Broker.of(user)?.connected(UInt8(truncatingIfNeeded: code), Broker.reason(properties))
        }
        mosquitto_disconnect_v5_callback_set(client) { _, user, code, properties in
            Broker.of(user)?.disconnected(code, Broker.reason(properties))
        }
        mosquitto_publish_v5_callback_set(client) { _, user, id, code, properties in
            Broker.of(user)?.acknowledged(id, UInt8(truncatingIfNeeded: code), Broker.reason(properties))
        }
        mosquitto_subscribe_v5_callback_set(client) { _, user, id, count, granted, _ in
            Broker.of(user)?.subscribed(id, count > 0 && (granted?[0] ?? 0x80) < 0x80)
        }
        mosquitto_unsubscribe_v5_callback_set(client) { _, user, id, _ in Broker.of(user)?.unsubscribed(id) }
        mosquitto_message_v5_callback_set(client) { _, user, message, _ in
            guard let message, let topic = message.pointee.topic else { return }
            let payload = message.pointee.payload.map {
                [UInt8](UnsafeRawBufferPointer(start: $0, count: Int(max(0, message.pointee.payloadlen))))
            }
            Broker.of(user)?.events.append(.message(topic: String(cString: topic), payload: payload ?? []))
        }
        mosquitto_log_callback_set(client) { _, user, level, text in
            guard level & MOSQ_LOG_ERR != 0, let text, let broker = Broker.of(user), broker.words.count < 8 else { return }
            broker.words.append(String(cString: text))
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> Broker? {
        user.map { Unmanaged<Broker>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func text(_ code: Int32) -> String { String(cString: mosquitto_strerror(code)).lowercasedFirst }

    /// MQTT 5: the broker's reason string.
    private static func reason(_ properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard properties != nil, mosquitto_property_read_string(properties, MQTT_PROP_REASON_STRING.code, &text, false) != nil, let text
        else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    // MARK: Receiving

    private func connected(_ code: UInt8, _ reason: String?) {
        if code == (isVersion5 ? 0x84 : 1) { return end(.oldVersion) }
        switch Reasons.connack(code, isVersion5: isVersion5, settings, words: reason) {
        case .accepted, .unheard, .refuse:
            isAccepted = true
            events.append(.connected)
        case .later(let text): end(.later(text))
        case .fatal(let text): end(.fatal(text))
        }
    }

    private func disconnected(_ code: Int32, _ reason: String?) {
        if code >= 0x80 {
            switch Reasons.disconnect(UInt8(truncatingIfNeeded: code), settings, words: reason) {
            case .fatal(let text): return end(.fatal(text))
            case .later(let text), .refuse(let text): return end(.later(text))
            case .accepted, .unheard: break
            }
        }
        lost(code)
    }

    private func lost(_ code: Int32) {
        if code == MOSQ_ERR_TLS.code || words.contains(where: { $0.contains("OpenSSL") || $0.contains("host name") }) {
            return end(tlsFault())
        }
        guard !isAccepted else { return end(.lost("the connection to the broker at \(settings.place) was lost")) }
        end(
            .closedEarly(
                "the broker at \(settings.place) closed the connection before it answered; it may require mqtts:// or another port, or its disk or memory may be full"
            ))
    }

    private func acknowledged(_ id: Int32, _ code: UInt8, _ reason: String?) {
        guard let (token, topic) = tokens.removeValue(forKey: id) else { return }
        events.append(.acknowledged(token, Reasons.puback(isVersion5 ? code : 0, topic: topic, words: reason)))
    }

    private func subscribed(_ id: Int32, _ isGranted: Bool) {
        if let topic = topics.removeValue(forKey: id) { events.append(.subscribed(topic, isGranted: isGranted)) }
    }

    private func unsubscribed(_ id: Int32) {
        if let topic = topics.removeValue(forKey: id) { events.append(.unsubscribed(topic)) }
    }

    private func end(_ ending: MQTTState.Ending) {
        guard !hasEnded else { return }
        hasEnded = true
        events.append(.ended(ending))
    }

    // MARK: Sending

    func publish(_ token: MQTTState.Token, _ topic: String, _ payload: String, isRetained: Bool) {
        guard let client, !hasEnded else { return }
        var id: Int32 = 0
        let bytes = Array(payload.utf8)
        let code = mosquitto_publish_v5(client, &id, topic, Int32(bytes.count), bytes, 1, isRetained, nil)
        switch code {
        case MOSQ_ERR_SUCCESS.code: tokens[id] = (token, topic)
        case MOSQ_ERR_NO_CONN.code, MOSQ_ERR_CONN_LOST.code: lost(code)
        case MOSQ_ERR_OVERSIZE_PACKET.code, MOSQ_ERR_PAYLOAD_SIZE.code, MOSQ_ERR_MALFORMED_UTF8.code:
            events.append(.acknowledged(token, .refuse("the broker did not accept it: \(Self.text(code))")))
        case MOSQ_ERR_RETAIN_NOT_SUPPORTED.code:
            events.append(
                .acknowledged(
                    token,
                    .fatal("the broker at \(settings.place) does not support retained messages; add state=no and leave out discovery")))
        case MOSQ_ERR_QOS_NOT_SUPPORTED.code:
            events.append(
                .acknowledged(token, .fatal("the broker at \(settings.place) does not support QoS 1, so it acknowledges nothing")))
        default: events.append(.acknowledged(token, .later("libmosquitto cannot publish: \(Self.text(code))")))
        }
    }

    func subscribe(_ topic: String) {
        guard let client, !hasEnded else { return }
        var id: Int32 = 0
        let code = mosquitto_subscribe_v5(client, &id, topic, 0, 0, nil)
        if code == 0 { topics[id] = topic } else { lost(code) }
    }

    func unsubscribe(_ topic: String) {
        guard let client, !hasEnded else { return }
        var id: Int32 = 0
        let code = mosquitto_unsubscribe_v5(client, &id, topic, nil)
        if code == 0 { topics[id] = topic } else { lost(code) }
    }

    /// Sends DISCONNECT, so the last will is not published.
    func disconnect() {
        guard let client, !hasEnded else { return }
        hasEnded = true
        _ = mosquitto_disconnect_v5(client, 0, nil)
        if mosquitto_want_write(client) { _ = mosquitto_loop_write(client, 1) }
    }

    /// Reads and writes the socket; also call it once a second, for keep-alives.
    func run(isReadable: Bool, isWritable: Bool) {
        guard let client, !hasEnded else { return }
        var code = MOSQ_ERR_SUCCESS.code
        if isReadable { code = mosquitto_loop_read(client, 1) }
        if code == 0 && !hasEnded && (isWritable || mosquitto_want_write(client)) { code = mosquitto_loop_write(client, 1) }
        if code == 0 && !hasEnded { code = mosquitto_loop_misc(client) }
        if code != 0 && !hasEnded { lost(code) }
    }
}

extension mosq_err_t { fileprivate var code: Int32 { Int32(rawValue) } }
extension mqtt5_property { fileprivate var code: Int32 { Int32(bitPattern: rawValue) } }
extension String { fileprivate var lowercasedFirst: String { (prefix(1).lowercased() + dropFirst()).filter { $0 != "." } } }
