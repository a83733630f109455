import CTLS
import Glibc
import HL7Sink
import RemoteSink

/// A TCP connection, with TLS if the target wants it. Opening and sending block within limits; receiving does not.
final class Connection {
    private let target: HL7Target
    private var socket: Int32 = -1
    private var context: OpaquePointer?
    private var tls: OpaquePointer?

    /// For each step: TCP to one address, TLS, sending a message.
    private static let limit = 10.0

    init(_ target: HL7Target) { self.target = target }

    deinit {
        if let tls {
            SSL_shutdown(tls)
            SSL_free(tls)
        }
        if let context { SSL_CTX_free(context) }
        if socket >= 0 { close(socket) }
    }

    var descriptor: Int32 { socket }

    // MARK: Opening

    /// `nil` if the connection is open, else `later` or `fatal`.
    func open() -> Answer? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(target.host, "\(target.port)", &hints, &list)
        guard status == 0 else { return .later("cannot find \(target.host): \(String(cString: gai_strerror(status)))") }
        defer { freeaddrinfo(list) }
        var number = ECONNREFUSED
        var next = list
        while let address = next {
            number = connect(address.pointee)
            if number == 0 { return target.isEncrypted ? encrypt() : nil }
            next = address.pointee.ai_next
        }
        return .later("cannot reach the receiver at \(target.place): \(String(cString: strerror(number)))")
    }

    /// 0, or the number of the error.
    private func connect(_ address: addrinfo) -> Int32 {
        if socket >= 0 { close(socket) }
        socket = Glibc.socket(
            address.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return errno }
        var one: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        guard wait(POLLOUT, until: monotonicSeconds() + Self.limit) else { return ETIMEDOUT }
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size)
        return number
    }

    private func wait(_ events: Int32, until: Double) -> Bool {
        while true {
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            let left = until - monotonicSeconds()
            guard left > 0 else { return false }
            let count = poll(&entry, 1, Int32(left * 1000) + 1)
            if count > 0 { return true }
            if count < 0 && errno != EINTR { return false }
        }
    }

    // MARK: TLS

    /// The receiver's certificate and host name are always verified.
    private func encrypt() -> Answer? {
        if let fault = prepare() { return .fatal(fault) }
        guard let tls else { return .later("cannot initialise OpenSSL") }
        let until = monotonicSeconds() + Self.limit
        while true {
            ERR_clear_error()
            let result = SSL_connect(tls)
            if result == 1 { return nil }
            let (isWaiting, events) = obstacle(Int(result))
            guard isWaiting else { return handshakeFault(tls) }
            guard wait(events, until: until) else { return .later("the receiver at \(target.place) does not answer the TLS handshake") }
        }
    }

    private func prepare() -> String? {
        context = SSL_CTX_new(TLS_client_method())
        guard let context, tls_require_1_2(context) == 1 else { return "cannot initialise OpenSSL: \(Self.reason())" }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let file = target.caFile {
            guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
                return "cannot read the certificates of \(file): \(Self.reason())"
            }
        } else {
            SSL_CTX_set_default_verify_paths(context)
        }
        if let certificate = target.certificateFile, let key = target.keyFile {
            guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
                return "cannot use the certificate \(certificate): \(Self.reason())"
            }
            guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1, SSL_CTX_check_private_key(context) == 1 else {
                return "cannot use the key \(key) with \(certificate): \(Self.reason())"
            }
        }
        tls = SSL_new(context)
        guard let tls, SSL_set_fd(tls, socket) == 1 else { return "cannot initialise OpenSSL: \(Self.reason())" }
        let parameters = SSL_get0_param(tls)
        // An address is compared with the certificate's addresses, a name with its names.
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, target.host) == 1 { return nil }
        guard X509_VERIFY_PARAM_set1_host(parameters, target.host, 0) == 1, tls_set_server_name(tls, target.host) == 1 else {
            return "`\(target.host)` is not a host name"
        }
        return nil
    }

    private func handshakeFault(_ tls: OpaquePointer) -> Answer {
        let verdict = SSL_get_verify_result(tls)
        guard verdict == X509_V_OK else {
            let cause = String(cString: X509_verify_cert_error_string(verdict))
            return .fatal(
                "the certificate of the receiver at \(target.place) is not accepted: \(cause); set the authority's certificate with cafile=FILE"
            )
        }
        let detail = Self.reason()
        if detail.contains("wrong version number") || detail.contains("packet length") {
            return .fatal("the receiver at \(target.place) does not use TLS on this port; use hl7+tcp:// or another port")
        }
        if detail.contains("alert") { return .fatal("the receiver at \(target.place) refuses TLS: \(detail)") }
        return .later("TLS with the receiver at \(target.place) failed: \(detail)")
    }

    private static func reason() -> String {
        let code = ERR_get_error()
        guard code != 0 else { return "no reason" }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }

    // MARK: Messages

    /// `nil` when all is sent, else why not.
    func send(_ bytes: [UInt8]) -> String? {
        var left = bytes[...]
        let until = monotonicSeconds() + Self.limit
        while !left.isEmpty {
            let count = left.withUnsafeBytes { room in
                guard let tls else { return Glibc.send(socket, room.baseAddress, room.count, Int32(MSG_NOSIGNAL)) }
                ERR_clear_error()
                return Int(SSL_write(tls, room.baseAddress, Int32(room.count)))
            }
            if count > 0 {
                left = left.dropFirst(count)
                continue
            }
            let (isWaiting, events) = obstacle(count)
            guard isWaiting else { return "the connection to the receiver at \(target.place) was lost" }
            guard wait(events, until: until) else { return "the receiver at \(target.place) does not take a message" }
        }
        return nil
    }

    enum Received { case bytes([UInt8]), nothing, closed }

    func receive() -> Received {
        var room = [UInt8](repeating: 0, count: 1 << 14)
        let count = room.withUnsafeMutableBytes { room in
            guard let tls else { return recv(socket, room.baseAddress, room.count, 0) }
            ERR_clear_error()
            return Int(SSL_read(tls, room.baseAddress, Int32(room.count)))
        }
        if count > 0 { return .bytes(Array(room[..<count])) }
        return obstacle(count).isWaiting && (tls != nil || count < 0) ? .nothing : .closed
    }

    /// Whether the operation can be tried again, and what to wait for.
    private func obstacle(_ count: Int) -> (isWaiting: Bool, events: Int32) {
        guard let tls else { return (count < 0 && (errno == EAGAIN || errno == EINTR), POLLOUT) }
        return switch SSL_get_error(tls, Int32(count)) {
        case SSL_ERROR_WANT_READ: (true, POLLIN)
        case SSL_ERROR_WANT_WRITE: (true, POLLOUT)
        default: (false, 0)
        }
    }
}
