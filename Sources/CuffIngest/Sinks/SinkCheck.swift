import Glibc

/// Whether a server would accept readings with the sink's configuration: the result of the helper program's `--check ADDRESS`
/// (cuff-sink(7)), which stores nothing.
package enum SinkCheck: Sendable, Equatable {
    /// As far as it can be tested without a reading; the helper's text.
    case ready(String)
    /// The server is unreachable or busy; the configuration may be right.
    case away(String)
    case wrong(String)
    /// The helper has no `--check`, or did not answer in time.
    case unknown

    private static let longest = 4096
    /// A helper performs several steps, each with its own limit of 15 to 45 s.
    private static let limit = Duration.seconds(150)

    /// Throws if the sink is not on a server, or its helper is not installed.
    package static func run(_ sink: SinkSpec) throws(IngestError) -> SinkCheck {
        guard sink.kind.traits.contains(.remote), let program = sink.kind.helper else {
            throw IngestError(SinkFault.malformed(sink.name, why: "it is not on a server", example: "postgres://USER@HOST/DB"))
        }
        let path = try HelperProgram.path(program, for: sink.name)
        let helper = CommandPeer([path, "--check", sink.name], name: sink.name, isAnswering: true)
        try helper.open(StopSignal())
        defer { helper.close() }
        return line(from: helper.ends?.input ?? -1).flatMap(SinkCheck.init) ?? .unknown
    }

    /// `nil` for a line outside the protocol.
    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let text = parts.count == 2 ? parts[1] : ""
        switch parts.first {
        case "ok": self = .ready(text)
        case "later": self = .away(text)
        case "fatal": self = .wrong(text)
        default: return nil
        }
    }

    /// `nil` if none came in time.
    private static func line(from descriptor: Int32) -> String? {
        let until = HostClock.monotonic() + limit.nanoseconds
        var bytes: [UInt8] = []
        while bytes.count < longest {
            let left = (until - HostClock.monotonic()) / 1_000_000
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&entry, 1, Int32(clamping: left)) > 0 else { return nil }
            var room = [UInt8](repeating: 0, count: longest)
            let count = read(descriptor, &room, room.count)
            if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
            guard count > 0 else { return nil }
            bytes += room[..<count]
            if let end = bytes.firstIndex(of: 0x0A) { return String(decoding: bytes[..<end], as: UTF8.self) }
        }
        return nil
    }
}
