import CRabbitMQ
import Glibc
import RemoteSink

/// `amqp://USER@HOST:PORT/VHOST`, `amqps://…?cafile=FILE`. The certificate is always verified.
struct BrokerAddress: Sendable, Equatable {
    let isTLS: Bool
    let host: String
    let port: Int
    let user: String
    let vhost: String
    let authorities: String

    init(_ text: String) throws(ConfigurationFault) {
        let address = try HelperAddress(text)
        guard address.scheme == "amqp" || address.scheme == "amqps" else {
            throw ConfigurationFault("`\(address.scheme)` is not an AMQP scheme; use amqps://USER@HOST/ or, on this machine, amqp://")
        }
        isTLS = address.scheme == "amqps"
        guard isTLS || address.isLoopback else {
            throw ConfigurationFault("amqp:// is not encrypted and only allowed to this machine; use amqps://")
        }
        guard !address.host.isEmpty, let user = address.user, !user.isEmpty else {
            throw ConfigurationFault("the broker's address has no user or no host: amqp://USER@HOST/")
        }
        try address.check(known: isTLS ? ["cafile"] : [])
        host = address.host
        port = address.port ?? (isTLS ? 5671 : 5672)
        self.user = user
        // Both `/` and `/%2F` are the broker's default virtual host.
        vhost = address.path.count > 1 ? String(address.path.dropFirst()) : "/"
        authorities = address["cafile"] ?? "/etc/ssl/certs/ca-certificates.crt"
    }

    func password(_ credentials: Credentials) throws(ConfigurationFault) -> String {
        guard let password = try credentials.find("amqp.password") else {
            throw ConfigurationFault(
                "no password for the broker's user `\(user)`: write it to \(credentials.place("amqp.password")), mode 0600")
        }
        return password
    }
}

struct BrokerFault: Error, Equatable {
    let text: String
    /// The broker does not answer, so trying later may help; otherwise the configuration must be changed.
    var isAway = false
}

/// A librabbitmq connection with one channel. Only connecting and declaring block, with time limits.
final class Broker {
    private let address: BrokerAddress
    private let password: String
    private var state: amqp_connection_state_t?
    private static let channel: amqp_channel_t = 1
    private static let limit = 10
    private static let heartbeat: Int32 = 20

    init(_ address: BrokerAddress, password: String) {
        self.address = address
        self.password = password
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { close() }

    var descriptor: Int32 { state.map { amqp_get_sockfd($0) } ?? -1 }
    /// librabbitmq has buffered data that poll() on the descriptor does not report.
    var hasBuffered: Bool { state.map { amqp_frames_enqueued($0) != 0 || amqp_data_in_buffer($0) != 0 } ?? false }

    func close() {
        guard let state else { return }
        // Without `connection.close`, which would wait for an answer. The broker requeues unacknowledged messages.
        amqp_destroy_connection(state)
        self.state = nil
    }

    // MARK: Connecting

    func connect() throws(BrokerFault) {
        close()
        guard let state = amqp_new_connection() else { throw BrokerFault(text: "out of memory") }
        self.state = state
        do throws(BrokerFault) {
            try open(state)
        } catch {
            close()
            throw error
        }
    }

    private func open(_ state: amqp_connection_state_t) throws(BrokerFault) {
        guard let socket = address.isTLS ? amqp_ssl_socket_new(state) : amqp_tcp_socket_new(state) else {
            throw BrokerFault(text: "out of memory")
        }
        if address.isTLS {
            amqp_ssl_socket_set_verify_peer(socket, 1)
            amqp_ssl_socket_set_verify_hostname(socket, 1)
            guard amqp_ssl_socket_set_cacert(socket, address.authorities) == 0 else {
                throw BrokerFault(text: "cannot read the certificates in \(address.authorities)")
            }
            _ = amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        }
        var time = timeval(tv_sec: Self.limit, tv_usec: 0)
        let opened = amqp_socket_open_noblock(socket, address.host, Int32(address.port), &time)
        guard opened == 0 else {
            let isAway = [AMQP_STATUS_SOCKET_ERROR, AMQP_STATUS_TIMEOUT, AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED].contains {
                $0.rawValue == opened
            }
            let isTLSFault = address.isTLS && !isAway
            let hint =
                isTLSFault
                ? "; the certificate must be for \(address.host) and signed by an authority in \(address.authorities) (cafile=FILE)" : ""
            throw BrokerFault(text: "no connection to \(address.host):\(address.port): \(Self.words(opened))\(hint)", isAway: isAway)
        }
        _ = amqp_set_handshake_timeout(state, &time)
        _ = amqp_set_rpc_timeout(state, &time)
        let reply = cuff_amqp_login(state, address.vhost, Self.heartbeat, address.user, password)
        guard reply.reply_type == AMQP_RESPONSE_NORMAL else {
            // RabbitMQ answers 403 to a wrong password; old versions of librabbitmq only see a closed socket.
            let text = Self.words(reply)
            let isRefused = text.contains("ACCESS_REFUSED") || text.contains("closed")
            throw BrokerFault(
                text: "\(text)\(isRefused ? "; check the user `\(address.user)`, its password in amqp.password and its permissions" : "")")
        }
        _ = amqp_channel_open(state, Self.channel)
        try check("cannot open a channel")
    }

    private func check(_ what: String, hint: String = "") throws(BrokerFault) {
        guard let state else { throw BrokerFault(text: "not connected") }
        let reply = amqp_get_rpc_reply(state)
        if reply.reply_type != AMQP_RESPONSE_NORMAL { throw BrokerFault(text: "\(what): \(Self.words(reply))\(hint)") }
    }

    // MARK: Consuming

    func consume(_ queue: String, prefetch: Int) throws(BrokerFault) {
        guard let state else { throw BrokerFault(text: "not connected") }
        _ = amqp_basic_qos(state, Self.channel, 0, UInt16(clamping: prefetch), 0)
        try check("cannot set the prefetch count")
        _ = amqp_basic_consume(state, Self.channel, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table)
        try check("cannot consume from the queue `\(queue)`", hint: "; declare it and its permissions: cuff-gateway --setup")
    }

    /// The next delivery, or `nil`; does not block. Also sends heartbeats: call it every few seconds.
    func receive() throws(BrokerFault) -> GatewayState.Message? {
        guard let state else { return nil }
        amqp_maybe_release_buffers(state)
        var envelope = amqp_envelope_t()
        var none = timeval(tv_sec: 0, tv_usec: 0)
        let reply = amqp_consume_message(state, &envelope, &none, 0)
        if reply.reply_type == AMQP_RESPONSE_NORMAL {
            defer { amqp_destroy_envelope(&envelope) }
            return GatewayState.Message(
                tag: envelope.delivery_tag, routingKey: Self.text(envelope.routing_key), body: Self.bytes(envelope.message.body))
        }
        guard reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION else { throw BrokerFault(text: Self.words(reply)) }
        if reply.library_error == AMQP_STATUS_TIMEOUT.rawValue { return nil }
        guard reply.library_error == AMQP_STATUS_UNEXPECTED_STATE.rawValue else { throw BrokerFault(text: Self.words(reply)) }
        // Not a delivery: the broker closes the channel, the connection or the consumer.
        var frame = amqp_frame_t()
        guard amqp_simple_wait_frame_noblock(state, &frame, &none) == 0, frame.frame_type == UInt8(AMQP_FRAME_METHOD) else { return nil }
        switch frame.payload.method.id {
        case cuff_amqp_channel_close, cuff_amqp_connection_close:
            throw BrokerFault(text: Self.closing(frame.payload.method) ?? "the broker closed the connection")
        case cuff_amqp_basic_cancel: throw BrokerFault(text: "the queue was deleted; declare it: cuff-gateway --setup")
        default: return nil
        }
    }

    func acknowledge(_ tag: UInt64) throws(BrokerFault) {
        guard let state else { throw BrokerFault(text: "not connected") }
        let result = amqp_basic_ack(state, Self.channel, tag, 1)
        if result != 0 { throw BrokerFault(text: Self.words(result)) }
    }

    // MARK: Declaring

    func declareExchange(_ name: String, kind: String) throws(BrokerFault) {
        guard let state else { throw BrokerFault(text: "not connected") }
        _ = amqp_exchange_declare(state, Self.channel, amqp_cstring_bytes(name), amqp_cstring_bytes(kind), 0, 1, 0, 0, amqp_empty_table)
        try check("cannot declare the exchange `\(name)`")
    }

    /// Durable: a message is confirmed when it is on the disks of a majority.
    func declareQuorumQueue(_ name: String) throws(BrokerFault) {
        guard let state else { throw BrokerFault(text: "not connected") }
        try name.withCString { name in
            "quorum".withCString { kind in
                "x-queue-type".withCString { key in
                    var entry = amqp_table_entry_t()
                    entry.key = amqp_cstring_bytes(key)
                    entry.value.kind = UInt8(AMQP_FIELD_KIND_UTF8.rawValue)
                    entry.value.value.bytes = amqp_cstring_bytes(kind)
                    return withUnsafeMutablePointer(to: &entry) { entries in
                        let table = amqp_table_t(num_entries: 1, entries: entries)
                        _ = amqp_queue_declare(state, Self.channel, amqp_cstring_bytes(name), 0, 1, 0, 0, table)
                        return Result { () throws(BrokerFault) in try check("cannot declare the queue `\(String(cString: name))`") }
                    }
                }
            }
        }.get()
    }

    func bind(_ queue: String, to exchange: String, _ key: String) throws(BrokerFault) {
        guard let state else { throw BrokerFault(text: "not connected") }
        _ = amqp_queue_bind(
            state, Self.channel, amqp_cstring_bytes(queue), amqp_cstring_bytes(exchange), amqp_cstring_bytes(key), amqp_empty_table)
        try check("cannot bind the queue `\(queue)` to `\(exchange)`")
    }

    // MARK: Texts

    private static func bytes(_ bytes: amqp_bytes_t) -> [UInt8] {
        bytes.bytes.map { Array(UnsafeRawBufferPointer(start: $0, count: bytes.len)) } ?? []
    }
    private static func text(_ bytes: amqp_bytes_t) -> String { String(decoding: Self.bytes(bytes), as: UTF8.self) }
    private static func words(_ status: Int32) -> String { amqp_error_string2(status).map { String(cString: $0) } ?? "error \(status)" }

    private static func words(_ reply: amqp_rpc_reply_t) -> String {
        switch reply.reply_type {
        case AMQP_RESPONSE_LIBRARY_EXCEPTION: words(reply.library_error)
        case AMQP_RESPONSE_SERVER_EXCEPTION: closing(reply.reply) ?? "the broker closed the connection"
        default: "no answer"
        }
    }

    /// `NOT_FOUND - no queue 'cuff' in vhost '/'`
    private static func closing(_ method: amqp_method_t) -> String? {
        guard let decoded = method.decoded else { return nil }
        switch method.id {
        case cuff_amqp_channel_close: return text(decoded.assumingMemoryBound(to: amqp_channel_close_t.self).pointee.reply_text)
        case cuff_amqp_connection_close: return text(decoded.assumingMemoryBound(to: amqp_connection_close_t.self).pointee.reply_text)
        default: return nil
        }
    }
}
