import CLinux
import CuffCore
import Glibc

/// One rule of a helper's protocol, and whether a program kept it.
package struct HelperFinding: Sendable, Hashable {
    package var rule: String
    /// What was wrong; `nil` if the rule was kept.
    package var fault: String?
}

/// A helper program that is tested: whole lines from it, each with a time limit.
struct CheckedHelper {
    private let peer: CommandPeer
    private let stop: StopSignal
    private var buffer: [UInt8] = []
    /// Written while `line` waits: the program may answer before it has read everything.
    private var unsent: [UInt8] = []
    /// Its output has ended.
    private(set) var isOver = false

    /// What is wrong with the bytes after the last whole line.
    var partialLine: String? {
        guard !buffer.isEmpty, !buffer.contains(0x0A) else { return nil }
        return buffer.count > Self.longestLine ? "a line has more than \(Self.longestLine) bytes" : "its last line has no line feed"
    }

    static let longestLine = 1 << 16

    /// Starts it. Throws a sentence if it cannot be started, or if its first line, within 10 s, is not `ready 1`.
    init(_ words: [String], _ stop: StopSignal) throws(Fault) {
        self.stop = stop
        peer = CommandPeer(words, name: words[0], isAnswering: true, setting: nil)
        do throws(IngestError) { try peer.open(stop) } catch { throw Fault(text: "\(error)") }
        let first = line(within: .seconds(10))
        guard let first, first == "ready 1" || first.hasPrefix("ready 1 ") else {
            peer.close()
            let end = first == "ready 1\r" ? ", which ends in CR LF" : ""
            let text = first.map { "it was `\(TerminalText.clean(String($0.prefix(80))))`\(end)" }
            throw Fault(text: text ?? partialLine ?? (isOver ? "it ended" : "it did not come"))
        }
    }

    struct Fault: Error { let text: String }

    /// `nil` if none came in time, the output ended, or the line is too long.
    mutating func line(within limit: Duration) -> String? {
        let until = HostClock.monotonic() + limit.nanoseconds
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let left = (until - HostClock.monotonic()) / 1_000_000
            guard let ends = peer.ends, left >= 0, buffer.count <= Self.longestLine, !isOver else { return nil }
            var entries = [
                pollfd(fd: ends.input, events: Int16(POLLIN), revents: 0), pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: unsent.isEmpty ? -1 : ends.output, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&entries, 3, Int32(clamping: left + 1)) >= 0, entries[1].revents == 0 else { return nil }
            if entries[2].revents != 0 {
                let count = unsent.withUnsafeBytes { clinux_write(ends.output, $0.baseAddress, $0.count) }
                if count > 0 { unsent.removeFirst(count) } else if count < 0 && errno != EAGAIN && errno != EINTR { unsent = [] }
            }
            guard entries[0].revents != 0 else { continue }
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            let count = chunk.withUnsafeMutableBytes { read(ends.input, $0.baseAddress, $0.count) }
            if count > 0 { buffer += chunk[..<count] } else if count == 0 || errno != EAGAIN && errno != EINTR { isOver = true }
        }
    }

    /// Goes out while `line` waits.
    mutating func send(_ text: String) { unsent += Array(text.utf8) }

    /// Ends its input; whether it then exited with 0 within 2 s.
    func close() -> Bool { peer.close() }
}
