import CuffCore
import Dispatch
import Glibc

/// A serial line behind a network (ser2net, a terminal server), or a cuff that connects by itself.
public final class TCPTransport: Transport, @unchecked Sendable {
    public enum Role: Sendable {
        case connect
        /// Waits for one caller.
        case listen
        /// A caller that a `TCPListener` has accepted.
        case accepted(descriptor: Int32)
    }

    public let address: String
    private let host: String
    private let service: String
    private let role: Role
    private var port: Port?
    private var waiting: (descriptor: Int32, token: UInt64)?
    private var queue: CuffQueue?
    private var deliver: (@Sendable (TransportEvent) -> Void)?
    private var early: [[UInt8]] = []
    private var isPaused = false
    /// Hears that the connection stands, before its first byte.
    var whenOpen: (() -> Void)?

    /// Nobody answers on a dead address; the kernel itself would try for two minutes.
    private static let connectLimit = Duration.seconds(10)

    public init(host: String, port: Int, role: Role) {
        self.host = host
        service = String(port)
        self.role = role
        let shown = host.contains(":") ? "[\(host)]" : host
        let scheme = if case .listen = role { "tcp-listen" } else { "tcp" }
        address = "\(scheme)://\(shown):\(port)"
    }

    public func start(
        on queue: CuffQueue, deliver: @escaping @Sendable (TransportEvent) -> Void
    ) throws(IngestError) {
        self.queue = queue
        self.deliver = deliver
        switch role {
        case .connect:
            try wait(for: .output, on: try Self.connecting(host, service, address)) { [weak self] in self?.connected($0) }
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.connectLimit.nanoseconds))) { @Sendable [weak self] in
                if self?.waiting != nil { self?.end(.failed(call: "connect", errno: ETIMEDOUT)) }
            }
        case .listen:
            let (descriptor, _) = try Self.listening(host, service, address)
            try wait(for: .input, on: descriptor) { [weak self] in self?.accepted($0) }
        case .accepted(let descriptor): open(descriptor)
        }
    }

    private func wait(
        for readiness: Reactor.Readiness, on descriptor: Int32, then body: @escaping (Int32) -> Void
    ) throws(IngestError) {
        guard let queue else { return }
        nonisolated(unsafe) let body = body
        do throws(SystemFault) {
            let token = try Reactor.shared.add(descriptor) { _ in queue.async { @Sendable in body(descriptor) } }
            waiting = (descriptor, token)
            Reactor.shared.arm(token, descriptor, readiness)
        } catch {
            Glibc.close(descriptor)
            throw .device(address, error.number)
        }
    }

    private func connected(_ descriptor: Int32) {
        guard let waiting, waiting.descriptor == descriptor else { return }
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        guard number == 0 else { return end(.failed(call: "connect", errno: number)) }
        Reactor.shared.remove(waiting.token, descriptor)
        self.waiting = nil
        open(descriptor)
    }

    private func accepted(_ listener: Int32) {
        guard let waiting, waiting.descriptor == listener else { return }
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return Reactor.shared.arm(waiting.token, listener, .input) }
        // One cuff, one line: whoever comes second is refused by the kernel.
        Reactor.shared.remove(waiting.token, listener)
        Glibc.close(listener)
        self.waiting = nil
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        open(descriptor)
    }

    private func open(_ descriptor: Int32) {
        guard let queue else { return }
        Self.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
        Self.setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE)
        do throws(SystemFault) {
            port = try Port(
                descriptor, on: queue, readSize: 1 << 14,
                writer: { send($0, $1.baseAddress, $1.count, Int32(MSG_NOSIGNAL)) }
            ) { [weak self] in self?.take($0) }
        } catch { return end(.failed(call: error.call, errno: error.number)) }
        if isPaused { port?.pause() }
        whenOpen?()
        whenOpen = nil
        let early = early
        self.early = []
        for bytes in early { port?.write(bytes) }
    }

    private func take(_ event: Port.Event) {
        switch event {
        case .received(let bytes): deliver?(.received(bytes))
        case .sent(let bytes): deliver?(.sent(bytes))
        case .ended(let fault): end(fault)
        }
    }

    /// Before the connection stands, bytes wait; a session has one question under way at a time.
    public func write(_ bytes: [UInt8]) {
        if let port { port.write(bytes) } else if waiting != nil, early.count < 64 { early.append(bytes) }
    }

    public func pause() {
        isPaused = true
        port?.pause()
    }

    public func resume() {
        isPaused = false
        port?.resume()
    }

    public func close() { end(nil) }

    /// Hangs up on a caller before `start`.
    func refuse() {
        if case .accepted(let descriptor) = role { Glibc.close(descriptor) }
    }

    private func end(_ fault: TransportFault?) {
        if let waiting {
            Reactor.shared.remove(waiting.token, waiting.descriptor)
            Glibc.close(waiting.descriptor)
        }
        waiting = nil
        port?.close()
        port = nil
        whenOpen = nil
        let deliver = deliver
        self.deliver = nil
        deliver?(.closed(fault))
    }

    // MARK: Sockets

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, name, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func candidates(
        _ host: String, _ service: String, _ address: String, passive: Bool
    ) throws(IngestError) -> UnsafeMutablePointer<addrinfo> {
        // getaddrinfo takes the lower sixteen bits of any number.
        guard UInt16(service) != nil else {
            throw IngestError(.usage, "`\(service)` is not a TCP port", why: "a port is a number from 0 to 65535")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host.isEmpty ? nil : host, service, &hints, &list)
        guard result == 0, let list else {
            throw IngestError(
                .unavailable, "cannot reach \(address)", why: String(cString: gai_strerror(result)), cure: "check the host's name")
        }
        return list
    }

    private static func socket(for entry: addrinfo) -> Int32 {
        Glibc.socket(
            entry.ai_family, entry.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
            entry.ai_protocol)
    }

    /// A descriptor that is connecting to the first address of the host that does not fail at once.
    static func connecting(_ host: String, _ service: String, _ address: String) throws(IngestError) -> Int32 {
        let list = try candidates(host, service, address, passive: false)
        defer { freeaddrinfo(list) }
        var number = EADDRNOTAVAIL
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let entry = next?.pointee {
            let descriptor = socket(for: entry)
            if descriptor >= 0 {
                if connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 || errno == EINPROGRESS { return descriptor }
                number = errno
                Glibc.close(descriptor)
            }
            next = entry.ai_next
        }
        throw IngestError(.unavailable, "cannot reach \(address)", why: IngestError.lowercased(number))
    }

    /// A listening descriptor and the port it got (0 asks for any).
    static func listening(
        _ host: String, _ service: String, _ address: String
    ) throws(IngestError) -> (descriptor: Int32, port: Int) {
        // On loopback unless an address is said: readings of people are no matter of the whole network.
        let list = try candidates(host.isEmpty ? "127.0.0.1" : host, service, address, passive: true)
        defer { freeaddrinfo(list) }
        var number = EADDRNOTAVAIL
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let entry = next?.pointee {
            let descriptor = socket(for: entry)
            if descriptor >= 0 {
                setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
                if bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0, listen(descriptor, 16) == 0 {
                    return (descriptor, boundPort(descriptor))
                }
                number = errno
                Glibc.close(descriptor)
            }
            next = entry.ai_next
        }
        throw IngestError(
            number == EADDRINUSE ? .tryAgain : .unavailable, "cannot listen on \(address)",
            why: IngestError.lowercased(number), cure: number == EADDRINUSE ? "choose another port" : "")
    }

    private static func boundPort(_ descriptor: Int32) -> Int {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            // The port stands at the same place for both families.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        }
    }
}
