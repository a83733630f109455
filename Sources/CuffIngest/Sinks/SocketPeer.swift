import CLinux
import CuffCore
import Glibc

final class SocketPeer: LinePeer {
    enum Place: Sendable, Hashable {
        case unix(String)
        case tcp(host: String, port: Int)
    }

    private let place: Place
    private let name: String
    private var stream: LineStream?
    private var sent = 0
    private var isReset = false
    private let isAnswering: Bool
    /// The kernel's own connection time-out is a quarter of an hour.
    private static let connectLimit: Int32 = 10_000
    private static let silenceLimit: UInt32 = 60_000
    /// How long the peer may take to close after it was sent everything.
    private static let farewell = Duration.seconds(2)

    init(_ place: Place, name: String, isAnswering: Bool) {
        self.place = place
        self.name = name
        self.isAnswering = isAnswering
    }

    deinit { close() }

    var isOpen: Bool { stream != nil }

    func open(_ stop: StopSignal) throws(IngestError) {
        close()
        let descriptor: Int32
        switch place {
        case .unix(let path): descriptor = try connect(path)
        case .tcp(let host, let port):
            descriptor = try TCPTransport.connecting(host, String(port), name)
            clinux_user_timeout(descriptor, Self.silenceLimit)
        }
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let isAlive = LineStream.wait(descriptor, POLLOUT, stop, milliseconds: Self.connectLimit)
        if poll(&entry, 1, 0) == 0 { number = ETIMEDOUT } else { getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) }
        guard isAlive, number == 0 else {
            Glibc.close(descriptor)
            throw unreachable(isAlive ? number : ECANCELED)
        }
        stream = LineStream(output: descriptor, input: descriptor)
        isReset = false
    }

    private func unreachable(_ number: Int32) -> IngestError {
        IngestError(SinkFault.unreachable(name, errno: number))
    }

    private func connect(_ path: String) throws(IngestError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw unreachable(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw unreachable(errno) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw unreachable(number)
        }
        return descriptor
    }

    func send(_ bytes: [UInt8], _ stop: StopSignal) throws(IngestError) {
        sent = 0
        guard let stream else { return }
        do throws(SystemFault) { sent = try stream.write(bytes, stop, isSocket: true) } catch {
            throw IngestError(SinkFault.wentAway(name, errno: error.number))
        }
    }

    /// Excludes what the peer has not acknowledged (TCP) or not read (Unix sockets, counted in whole buffers), as far as the
    /// kernel knows. After a reset, any of it may be lost.
    var taken: Int {
        guard let stream else { return 0 }
        let untaken = Int(max(0, clinux_socket_untaken(stream.output)))
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(stream.output, SOL_SOCKET, SO_ERROR, &number, &length)
        if number != 0 { isReset = true }
        guard !isReset else { return 0 }
        if case .unix = place { return untaken == 0 ? sent : 0 }
        return max(0, sent - untaken)
    }

    var isGone: Bool {
        guard let stream, !isReset else { return true }
        var room = [UInt8](repeating: 0, count: 512)
        // Unexpected input of a peer without acknowledgements is discarded.
        let flags = Int32(MSG_DONTWAIT) | (isAnswering ? Int32(MSG_PEEK) : 0)
        while true {
            let count = recv(stream.input, &room, room.count, flags)
            if count == 0 { return true }
            if count < 0 { return errno != EAGAIN && errno != EINTR }
            if isAnswering { return false }
        }
    }

    var ends: (output: Int32, input: Int32)? { stream.map { ($0.output, $0.input) } }

    @discardableResult
    func close() -> Bool {
        guard let stream else { return true }
        self.stream = nil
        defer { Glibc.close(stream.output) }
        shutdown(stream.output, Int32(SHUT_WR))
        // A peer that reads to the end and then closes has received everything; otherwise not.
        let until = HostClock.monotonic() + Self.farewell.nanoseconds
        var room = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(stream.input, &room, room.count, Int32(MSG_DONTWAIT))
            if count == 0 { return !isReset }
            if count < 0 && errno != EAGAIN && errno != EINTR { return false }
            let left = until - HostClock.monotonic()
            guard left > 0 else { return false }
            var entry = pollfd(fd: stream.input, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, Int32(clamping: left / 1_000_000 + 1))
        }
    }
}
