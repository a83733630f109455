import CuffCore
import Glibc

extension TransportKind {
    static let tcp = TransportKind(
        "tcp", form: "tcp://host:port", help: "a serial port behind the network, e.g. ser2net", example: "tcp://192.0.2.7:3001",
        parse: { (text) throws(AddressFault) in
            guard text.hasPrefix("tcp://") else { return nil }
            let place = try HostPort(text.dropFirst(6), of: text)
            return .tcp(host: place.host, port: place.port)
        },
        open: { request in
            guard case .tcp(let host, let port) = request.address else { return nil }
            return TCPTransport(host: host, port: port, role: .connect)
        })

    static let tcpListen = TransportKind(
        "tcp-listen", form: "tcp-listen://[host][:port]",
        help: "cuffs that connect to this computer: on loopback and port \(agentPort), unless others are named", example: "tcp-listen://",
        parse: { (text) throws(AddressFault) in
            guard text.hasPrefix("tcp-listen://") else { return nil }
            let place = try HostPort(text.dropFirst(13), of: text, listeningAt: agentPort)
            return .tcpListen(host: place.host, port: place.port)
        },
        open: { request in
            guard case .tcpListen(let host, let port) = request.address else { return nil }
            return TCPTransport(host: host, port: port, role: .listen)
        })

    /// The port on which IEEE 11073 managers listen in other stacks: observed, `tcp_mode` of signove/antidote's sample agents and
    /// managers.
    package static let agentPort = 6024
}

/// A serial line over the network (ser2net, a terminal server), or a cuff that connects to this computer.
final class TCPTransport: Transport {
    enum Role: Sendable {
        case connect
        case listen
        case accepted(descriptor: Int32)
        /// A socket of the program that embeds the library.
        case shared(SharedSocket)
    }

    /// `tcp://HOST:PORT` or `tcp-listen://HOST:PORT`.
    let address: String
    private let host: String
    private let service: String
    private let role: Role
    /// The connecting or listening socket; -1 if none.
    private var descriptor: Int32 = -1
    private var token: UInt64?
    private var loop: EventLoop?
    private var port: Port?
    private var deliver: ((TransportEvent) -> Void)?
    private var isPaused = false
    private var connectTimer: LoopTimer?
    private var use: SharedSocket.Use?

    /// The kernel's own time-out is two minutes.
    private static let connectLimit = Duration.seconds(10)

    /// `port` 0 lets a listener pick a free one.
    init(host: String, port: Int, role: Role) {
        self.host = host
        service = String(port)
        self.role = role
        let address: DeviceAddress = if case .listen = role { .tcpListen(host: host, port: port) } else { .tcp(host: host, port: port) }
        self.address = "\(address)"
    }

    /// `socket://NAME`.
    init(name: String, _ socket: SharedSocket) {
        (host, service, role, address) = ("", "", .shared(socket), "\(DeviceAddress.other(scheme: "socket", rest: name))")
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Resolves the host, and listens in that role.
    func open() throws(IngestError) {
        descriptor =
            switch role {
            case .connect: try Self.connecting(host, service, address)
            case .listen: try Self.listening(host, service, address).descriptor
            case .accepted(let descriptor): descriptor
            case .shared(let socket): try shared(socket)
            }
    }

    private func shared(_ socket: SharedSocket) throws(IngestError) -> Int32 {
        let use = try socket.use(address)
        self.use = use
        return use.descriptor
    }

    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.loop = loop
        self.deliver = deliver
        let isConnecting = if case .connect = role { true } else { false }
        switch role {
        case .accepted, .shared: return open(descriptor)
        case .connect, .listen: break
        }
        do throws(SystemFault) {
            let token = try loop.add(descriptor) { [weak self] _ in self?.ready() }
            self.token = token
            loop.arm(token, descriptor, isConnecting ? .output : .input)
        } catch { throw .device(address, error.number) }
        guard isConnecting else { return }
        let timer = LoopTimer(loop) { [weak self] in self?.end(.failed(call: "connect", errno: ETIMEDOUT)) }
        connectTimer = timer
        timer.set(after: Self.connectLimit)
    }

    private func ready() {
        guard let loop, let token else { return }
        switch role {
        case .connect:
            var number: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
            guard number == 0 else { return end(.failed(call: "connect", errno: number)) }
            loop.remove(token, descriptor)
            open(descriptor)
        case .listen:
            let accepted = accept(descriptor, nil, nil)
            guard accepted >= 0 else { return loop.arm(token, descriptor, .input) }
            // One cuff, one line: further connections are refused by the kernel.
            loop.remove(token, descriptor)
            Glibc.close(descriptor)
            _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
            _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
            open(accepted)
        case .accepted, .shared: break
        }
    }

    private func open(_ connected: Int32) {
        guard let loop else { return }
        token = nil
        descriptor = -1
        connectTimer?.set(nil)
        Self.setOption(connected, Int32(IPPROTO_TCP), TCP_NODELAY)
        // A peer that has gone without a word is noticed after two minutes instead of two hours.
        Self.setOption(connected, SOL_SOCKET, SO_KEEPALIVE)
        for (name, value) in [(TCP_KEEPIDLE, 60), (TCP_KEEPINTVL, 15), (TCP_KEEPCNT, 4)] as [(Int32, Int32)] {
            Self.setOption(connected, Int32(IPPROTO_TCP), name, value)
        }
        // The kernel reports room only once a third of its buffer is free. It grows the default one to megabytes: a peer that reads
        // slowly would seem to read nothing.
        Self.setOption(connected, SOL_SOCKET, SO_SNDBUF, 64 << 10)
        do throws(SystemFault) {
            port = try Port(
                connected, on: loop, readSize: Port.turnLimit,
                writer: { send($0, $1.baseAddress, $1.count, Int32(MSG_NOSIGNAL)) }
            ) { [weak self] in self?.handle($0) }
        } catch { return end(.failed(call: error.call, errno: error.number)) }
        if isPaused { port?.pause() }
        deliver?(.opened)
    }

    private func handle(_ event: TransportEvent) {
        if case .closed(let fault) = event { end(fault as? TransportFault) } else { deliver?(event) }
    }

    func write(_ bytes: [UInt8]) { port?.write(bytes) }
    /// Shuts down the output; input is still read.
    func finishWriting() { port?.shutdownOutput() }
    /// Always ends with a fault: there are no HID reports.
    func writeFeature(_ bytes: [UInt8]) { end(.failed(call: "HIDIOCSFEATURE", errno: ENOTTY)) }

    func pause() {
        isPaused = true
        port?.pause()
    }

    func resume() {
        isPaused = false
        port?.resume()
    }

    func close() { end(nil) }

    /// Rejects an accepted connection before `start`.
    func refuse() {
        if case .accepted(let descriptor) = role { Glibc.close(descriptor) }
    }

    private func end(_ fault: TransportFault?) {
        guard let deliver else { return }
        self.deliver = nil
        use = nil
        connectTimer?.set(nil)
        let told = LoopBound(deliver)
        if let port { return port.close { told.value(.closed(fault)) } }
        if let token { loop?.remove(token, descriptor) }
        token = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        deliver(.closed(fault))
    }

    // MARK: Sockets

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32 = 1) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The first socket for an address of the host with which `use` succeeds.
    private static func first(
        _ host: String, _ service: String, _ address: String, passive: Bool, _ use: (Int32, addrinfo) -> Bool
    ) throws(IngestError) -> Int32 {
        // getaddrinfo uses the lower sixteen bits of any number.
        guard UInt16(service) != nil else {
            throw IngestError(TransportFault.notAPort(service))
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host.isEmpty ? nil : host, service, &hints, &list)
        guard result == 0, let list else {
            throw IngestError(TransportFault.unknownHost(address, reason: String(cString: gai_strerror(result))))
        }
        defer { freeaddrinfo(list) }
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        var number = EADDRNOTAVAIL
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let entry = next?.pointee {
            let descriptor = socket(entry.ai_family, entry.ai_socktype | flags, entry.ai_protocol)
            if descriptor >= 0, use(descriptor, entry) { return descriptor }
            if descriptor >= 0 || passive { number = errno }
            if descriptor >= 0 { Glibc.close(descriptor) }
            next = entry.ai_next
        }
        throw IngestError(passive ? TransportFault.cannotListen(address, errno: number) : .unreachable(address, errno: number))
    }

    /// A descriptor connecting to the first address of the host that does not fail at once.
    static func connecting(_ host: String, _ service: String, _ address: String) throws(IngestError) -> Int32 {
        try first(host, service, address, passive: false) { descriptor, entry in
            connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 || errno == EINPROGRESS
        }
    }

    /// A listening descriptor and its port; 0 picks any.
    static func listening(
        _ host: String, _ service: String, _ address: String
    ) throws(IngestError) -> (descriptor: Int32, port: Int) {
        // Loopback by default: readings must not be exposed to the network unintentionally.
        let descriptor = try first(host.isEmpty ? "127.0.0.1" : host, service, address, passive: true) { descriptor, entry in
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
            return bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 && listen(descriptor, 16) == 0
        }
        return (descriptor, boundPort(descriptor))
    }

    private static func boundPort(_ descriptor: Int32) -> Int {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            // The port is at the same offset in both families.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        }
    }
}
