import Glibc

/// The helper's side of the conversation with `cuff`: lines from standard input, answers to standard output. For one thread.
public final class Conversation {
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []
    /// The current line exceeds the limit; its bytes are dropped.
    private var isTooLong = false
    /// End of standard input: finish pending work, then exit with 0.
    public private(set) var isClosed = false
    /// `later` or `fatal` was sent; nothing follows.
    public private(set) var isOver = false

    /// A reading with its raw record has some kilobytes.
    public static let longestLine = 1 << 20

    public enum Input: Sendable, Equatable {
        case reading(ReadingLine)
        /// What `cuff` says about this machine; without an answer.
        case status(JSONValue)
        /// A line that is not a reading. It has no id to answer with; send `fatal`.
        case unreadable
    }

    public init(input: Int32 = 0, output: Int32 = 1) {
        self.input = input
        self.output = output
        _ = fcntl(input, F_SETFL, fcntl(input, F_GETFL) | O_NONBLOCK)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Sends the first line. All helpers here accept deletions if `cuff` offers them.
    public func greet(takesStatus: Bool = false) {
        let offers = (environment("CUFF_SINK_OFFERS") ?? "").split(separator: " ")
        guard offers.contains("deletions") else { return answer(.ready) }
        answer(takesStatus && offers.contains("status") ? .readyForStatus : .readyForDeletions)
    }

    /// Poll this for input; -1 after the end.
    public var descriptor: Int32 { isClosed ? -1 : input }

    /// Lines received so far; does not block. Each call reads at most 64 KiB: call again while the descriptor is readable.
    public func receive() -> [Input] {
        guard !isClosed else { return [] }
        var room = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(input, &room, room.count)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return [] }
        guard count > 0 else {
            isClosed = true
            return []
        }
        return accept(room[..<count])
    }

    func accept(_ bytes: ArraySlice<UInt8>) -> [Input] {
        var lines: [Input] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            keep(bytes[start..<end])
            start = end + 1
            lines.append(isTooLong ? .unreadable : Self.input(rest))
            rest.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        keep(bytes[start...])
        return lines
    }

    private static func input(_ line: [UInt8]) -> Input {
        if let reading = ReadingLine(line) { return .reading(reading) }
        guard let value = JSONValue(parsing: line), value["type"]?.string == "status" else { return .unreadable }
        return .status(value)
    }

    private func keep(_ bytes: ArraySlice<UInt8>) {
        if rest.count + bytes.count > Self.longestLine { isTooLong = true }
        if !isTooLong { rest += bytes }
    }

    /// Blocks until `cuff` has read the answers; stops if `cuff` has exited.
    public func answer(_ answers: [Answer]) {
        var text = ""
        for answer in answers where !isOver {
            text += answer.line
            isOver = answer.status != nil
        }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 1000)
            } else if errno != EINTR {
                isClosed = true
                isOver = true
                return
            }
        }
    }

    public func answer(_ answer: Answer) { self.answer([answer]) }
}

/// Writes a line for the user to standard error.
public func say(_ text: String) {
    var bytes = Array((text + "\n").utf8)
    _ = write(2, &bytes, bytes.count)
}

/// A variable of the environment; `nil` if it is empty.
public func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } }

/// Seconds of the monotonic clock.
public func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
