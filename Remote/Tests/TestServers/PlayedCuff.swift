import Foundation

/// The other end of a helper's conversation: an outbox that sends until each line has its `ok` or `refuse`.
public final class PlayedCuff {
    private let command: [String]
    private let environment: [String: String]
    public private(set) var waiting: [(key: String, line: String)]
    private var sent = 0
    private var process: Child?
    private var input: Int32 = -1
    private var output: Int32 = -1
    private var unsent: [UInt8] = []
    private var rest: [UInt8] = []
    public private(set) var acknowledged: [String] = []
    public private(set) var refused: [String] = []
    /// `later` and `fatal`, and what breaks the protocol.
    public private(set) var said: [String] = []
    public private(set) var starts = 0

    /// `key` is ID, blank, REVISION.
    public init(_ command: [String], environment: [String: String] = [:], lines: [(key: String, line: String)]) {
        self.command = command
        self.environment = environment
        waiting = lines
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { end() }

    public var isDone: Bool { waiting.isEmpty }
    public func add(_ lines: [(key: String, line: String)]) { waiting += lines }

    /// Performs some steps; answers whether everything is answered for.
    public func run(for seconds: Double) throws -> Bool {
        let until = Date() + seconds
        while !waiting.isEmpty, Date() < until {
            if process == nil { try start() }
            send()
            receive()
        }
        return waiting.isEmpty
    }

    public func kill() {
        if let process { Foundation.kill(process.id, SIGKILL) }
        end()
    }

    /// Ends the helper's input, and answers its exit status.
    @discardableResult
    public func end() -> Int32? {
        guard let process else { return nil }
        close(input)
        let status = process.wait()
        close(output)
        self.process = nil
        (sent, unsent, rest) = (0, [], [])
        return status
    }

    private func start() throws {
        starts += 1
        var (down, up) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        guard pipe(&down) == 0, pipe(&up) == 0 else { throw Commands.Failure(description: "pipe") }
        for file in down + up { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        let errors = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let process = try Child(command, environment: environment, input: down[0], output: up[1], errors: errors)
        // Otherwise the end of the helper is never seen.
        for file in [down[0], up[1], errors] { close(file) }
        (input, output) = (down[1], up[0])
        for file in [input, output] { _ = fcntl(file, F_SETFL, O_NONBLOCK) }
        self.process = process
    }

    private func send() {
        while sent < min(waiting.count, 1000), unsent.count < 1 << 16 {
            unsent += Array((waiting[sent].line + "\n").utf8)
            sent += 1
        }
        var entries = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: unsent.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0),
        ]
        _ = poll(&entries, 2, 20)
        guard entries[1].revents & Int16(POLLOUT) != 0 else { return }
        let count = unsent.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        if count > 0 { unsent.removeFirst(count) }
    }

    private func receive() {
        var room = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(output, &room, room.count)
        if count < 0 { return }
        guard count > 0 else {
            end()
            return
        }
        rest += room[..<count]
        while let feed = rest.firstIndex(of: 0x0A) {
            accept(String(decoding: rest[..<feed], as: UTF8.self))
            guard process != nil else { return }
            rest.removeSubrange(...feed)
        }
    }

    private func accept(_ answer: String) {
        let words = answer.split(separator: " ", maxSplits: 3).map(String.init)
        switch words.first {
        case "ready": if answer != "ready 1" { said.append(answer) }
        case "ok", "refuse":
            guard words.count >= 3, let index = waiting[..<sent].firstIndex(where: { $0.key == "\(words[1]) \(words[2])" }) else {
                return said.append("stranger: " + answer)
            }
            waiting.remove(at: index)
            sent -= 1
            if words[0] == "ok" { acknowledged.append(words[1]) } else { refused.append(answer) }
        default:
            said.append(answer)
            end()
        }
    }
}
