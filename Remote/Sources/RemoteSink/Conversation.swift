import Glibc

/// The helper's side of the conversation with `cuff`: lines from standard input, answers to standard output. For one thread.
public final class Conversation {
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []
    /// The line that is being read is longer than the limit, and its bytes are dropped.
    private var isTooLong = false
    /// Standard input has ended: finish what is in flight, then exit with 0.
    public private(set) var isClosed = false
    /// `later` or `fatal` was said, so nothing more is to be.
    public private(set) var isOver = false

    /// A reading with its raw record has some kilobytes.
    public static let longestLine = 1 << 20

    public enum Input: Sendable, Equatable {
        case reading(ReadingLine)
        /// A line that is not a reading. It cannot be answered, because it has no id; say `fatal`.
        case unreadable
    }

    public init(input: Int32 = 0, output: Int32 = 1) {
        self.input = input
        self.output = output
        _ = fcntl(input, F_SETFL, fcntl(input, F_GETFL) | O_NONBLOCK)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Says the first line. Of what `cuff` offers beside readings, every helper here takes the deletions.
    public func greet() {
        let offers = getenv("CUFF_SINK_OFFERS").map { String(cString: $0) } ?? ""
        answer(offers.split(separator: " ").contains("deletions") ? .readyForDeletions : .ready)
    }

    /// Wait for POLLIN on this; -1 when there is nothing more to come.
    public var descriptor: Int32 { isClosed ? -1 : input }

    /// What has come by now; does not wait. One call reads a bounded number of bytes: call it again while the descriptor is readable.
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
            lines.append((isTooLong ? nil : ReadingLine(rest)).map { .reading($0) } ?? .unreadable)
            rest.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        keep(bytes[start...])
        return lines
    }

    private func keep(_ bytes: ArraySlice<UInt8>) {
        if rest.count + bytes.count > Self.longestLine { isTooLong = true }
        if !isTooLong { rest += bytes }
    }

    /// Waits until `cuff` takes it; a `cuff` that is gone needs no answers.
    public func answer(_ answers: [Answer]) {
        var text = ""
        for answer in answers where !isOver {
            text += answer.line
            isOver = answer.isLast
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

/// Standard error is for people.
public func say(_ text: String) {
    var bytes = Array((text + "\n").utf8)
    _ = write(2, &bytes, bytes.count)
}

/// Seconds of a clock that nobody sets.
public func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
