import CuffCore
import Glibc

/// Accepts connections on a TCP port, by default on loopback. Each becomes a transport of its own.
final class TCPListener {
    /// `tcp-listen://127.0.0.1:6024`, with the bound port.
    let address: String
    let port: Int
    private let listeners: [Int32]
    private let loop: EventLoop
    private var tokens: [(descriptor: Int32, token: UInt64)] = []
    private var isClosed = false
    private var accept: ((TCPTransport) -> Void)?
    private lazy var retry = LoopTimer(loop) { [weak self] in self?.arm() }

    /// The pause before the next accept without free descriptors or memory.
    private static let pauseAfterFault = Duration.seconds(1)

    /// Port 0 takes any free one. `name` is the address in messages; defaults to a device address.
    init(host: String, port: Int, named given: String? = nil, on loop: EventLoop = .shared) throws(IngestError) {
        self.loop = loop
        let name = given ?? DeviceAddress.tcpListen(host: host, port: port).description
        let first = try TCPTransport.listening(host, String(port), name)
        var listeners = [first.descriptor]
        // Loopback has two addresses; a machine without IPv6 has one.
        if host.isEmpty, let second = try? TCPTransport.listening("::1", String(first.port), name) { listeners.append(second.descriptor) }
        self.listeners = listeners
        self.port = first.port
        address = DeviceAddress.tcpListen(host: host.isEmpty ? "127.0.0.1" : host, port: first.port).description
    }

    /// `accept` is called on the loop. Must be called on the loop.
    func start(_ accept: @escaping (TCPTransport) -> Void) throws(IngestError) {
        self.accept = accept
        do throws(SystemFault) {
            for listener in listeners { tokens.append((listener, try loop.add(listener) { [weak self] _ in self?.take(listener) })) }
        } catch { throw .device(address, error.number) }
        arm()
    }

    private func arm() {
        guard !isClosed else { return }
        for (listener, token) in tokens { loop.arm(token, listener, .input) }
    }

    /// Stops accepting; accepted connections are not affected. On the loop.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        accept = nil
        retry.set(nil)
        for (listener, token) in tokens { loop.remove(token, listener) }
        for listener in listeners { Glibc.close(listener) }
    }

    private func take(_ listener: Int32) {
        guard !isClosed, let token = tokens.first(where: { $0.descriptor == listener })?.token else { return }
        while true {
            var name = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.accept(listener, $0, &length)
                }
            }
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                let (host, port) = Self.peer(&name, length)
                accept?(TCPTransport(host: host, port: port, role: .accepted(descriptor: descriptor)))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: loop.arm(token, listener, .input)
            default: retry.set(after: Self.pauseAfterFault)
            }
            return
        }
    }

    private static func peer(_ name: inout sockaddr_storage, _ length: socklen_t) -> (host: String, port: Int) {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, length, &host, socklen_t(host.count), &service, socklen_t(service.count), NI_NUMERICHOST | NI_NUMERICSERV)
            }
        }
        guard result == 0 else { return ("unknown", 0) }
        func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (text(host), Int(text(service)) ?? 0)
    }
}
