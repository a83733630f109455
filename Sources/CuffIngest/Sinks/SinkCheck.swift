import Glibc

/// Whether a server would accept readings as its sink is configured: asked of the sink's helper program (`--check ADDRESS`, cuff-sink(7)),
/// which stores nothing there.
package enum SinkCheck: Sendable, Equatable {
    /// As far as it can be known without sending a reading; the helper's own text.
    case ready(String)
    /// The server is away, busy or not listened to: nothing needs to be changed here.
    case away(String)
    /// Somebody must change something; the text says what.
    case wrong(String)
    /// The helper knows no `--check`, or did not answer in time.
    case unknown

    /// The longest line of a helper.
    private static let longest = 4096
    /// A helper has several steps, each with a limit of its own of 15 to 45 s.
    private static let limit = Duration.seconds(150)

    /// Runs the helper and waits for its answer. Throws where the sink is not on a server, or its helper is not installed.
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

    /// One line of the protocol; `nil` for anything else.
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

    /// The first line, without its line feed; `nil` when none came in time.
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
