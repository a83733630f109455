import CLinux
import CuffCore
import Glibc

/// The receiver of a line sink: a program's standard input or a socket. It writes bytes and reports how many the receiver has
/// read. Used on the courier's thread only, where it may block until `stop` is raised.
protocol LinePeer: AnyObject {
    var isOpen: Bool { get }
    func open(_ stop: StopSignal) throws(IngestError)
    func send(_ bytes: [UInt8], _ stop: StopSignal) throws(IngestError)
    /// How many bytes of the last `send` the receiver has certainly read.
    var taken: Int { get }
    var isGone: Bool { get }
    /// The descriptors to write to and to read answers from; both non-blocking.
    var ends: (output: Int32, input: Int32)? { get }
    /// Closes cleanly if possible, without discarding what was sent. Returns whether the receiver also ended cleanly after the
    /// end of its input.
    @discardableResult
    func close() -> Bool
}

struct LineStream {
    var output: Int32
    var input: Int32

    /// Waits for the descriptor or the signal; `false`: the signal.
    static func wait(_ descriptor: Int32, _ events: Int32, _ stop: StopSignal, milliseconds: Int32 = -1) -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0), pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, 2, milliseconds) < 0 && errno == EINTR {}
        return entries[1].revents == 0
    }

    /// Writes until everything is accepted or the signal is raised; returns how much.
    func write(_ bytes: [UInt8], _ stop: StopSignal, isSocket: Bool) throws(SystemFault) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[sent...])
                return isSocket
                    ? Glibc.send(output, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                    : clinux_write(output, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                guard Self.wait(output, POLLOUT, stop) else { return sent }
            } else if errno != EINTR {
                throw SystemFault("write")
            }
        }
        return sent
    }
}

extension SinkKind {
    static let unix = socket(isAnswering: false, help: "lines for a program that listens on a local socket")
    static let unixAck = socket(isAnswering: true, help: "the same; the program answers for each reading")
    static let tcp = network(isAnswering: false, help: "lines for a program that listens on a TCP port")
    static let tcpAck = network(isAnswering: true, help: "the same; the program answers for each reading")

    private static func socket(isAnswering: Bool, help: String) -> SinkKind {
        let scheme = "unix" + (isAnswering ? acknowledging : "")
        return SinkKind(
            scheme, operand: "SOCKET", help: help, example: "\(scheme):/run/readings.socket",
            durability: isAnswering ? .acknowledged : .passThrough, traits: [.outbox, .alerts], latest: { _ in nil }
        ) { (spec, context) throws(IngestError) in
            let peer = SocketPeer(.unix(spec.path), name: spec.name, isAnswering: isAnswering)
            return try OutgoingSink(spec, context, to: peer, isAnswering: isAnswering)
        }
    }

    private static func network(isAnswering: Bool, help: String) -> SinkKind {
        let scheme = "tcp" + (isAnswering ? acknowledging : "")
        return SinkKind(
            scheme, operand: "HOST:PORT", help: help, example: "\(scheme):127.0.0.1:4000",
            durability: isAnswering ? .acknowledged : .passThrough, traits: [.outbox, .alerts],
            parse: { (kind, operand) throws(IngestError) in
                let place = operand.hasPrefix("//") ? String(operand.dropFirst(2)) : operand
                _ = try Self.place(kind, place)
                return SinkSpec(kind, path: place)
            },
            latest: { _ in nil }
        ) { (spec, context) throws(IngestError) in
            let peer = SocketPeer(try Self.place(spec.kind, spec.path), name: spec.name, isAnswering: isAnswering)
            return try OutgoingSink(spec, context, to: peer, isAnswering: isAnswering)
        }
    }

    /// `HOST:PORT`, an IPv6 address in brackets.
    private static func place(_ kind: SinkKind, _ text: String) throws(IngestError) -> SocketPeer.Place {
        do throws(AddressFault) {
            let place = try HostPort(text, of: text)
            return .tcp(host: place.host, port: place.port)
        } catch { throw kind.malformed(text, "it is not HOST:PORT") }
    }
}
