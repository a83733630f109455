import CLinux
import CuffCore
import Glibc

extension SinkKind {
    static let exec = command(isAnswering: false, help: "lines on the standard input of a program")
    static let execAck = command(isAnswering: true, help: "the same; the program answers for each reading")

    private static func command(isAnswering: Bool, help: String) -> SinkKind {
        SinkKind(
            "exec" + (isAnswering ? acknowledging : ""), operand: "COMMAND", help: help,
            example: isAnswering ? "exec+ack:./to-server" : "exec:./notify", durability: isAnswering ? .acknowledged : .passThrough,
            traits: [.outbox, .alerts],
            parse: { (kind, operand) throws(IngestError) in
                _ = try CommandPeer.words(operand)
                return SinkSpec(kind, path: operand)
            },
            latest: { _ in nil }
        ) { (spec, context) throws(IngestError) in
            let words = try CommandPeer.words(spec.path)
            // A missing program is more likely a typing error than a temporary absence.
            guard CommandPeer.find(words[0]) != nil else {
                throw IngestError(SinkFault.noProgram(spec.name, program: words[0]))
            }
            return try OutgoingSink(
                spec, context, to: CommandPeer(words, name: spec.name, isAnswering: isAnswering), isAnswering: isAnswering)
        }
    }
}

/// A program that reads lines from its standard input. It is started without a shell and in its own process group, so that Ctrl-C
/// at the terminal ends `cuff` and not the program in the middle of a line.
final class CommandPeer: LinePeer {
    private let words: [String]
    private let name: String
    private let isAnswering: Bool
    /// NAME=VALUE in its environment.
    private let setting: String?
    private var stream: LineStream?
    private var process: pid_t = 0
    private var sent = 0

    /// After the end of its input, the time until SIGTERM, and then until SIGKILL.
    private static let patience = Duration.seconds(2)

    /// An answering sink is offered notices of deletions and the state of this machine; a helper that accepts them says so in its
    /// first line.
    init(_ words: [String], name: String, isAnswering: Bool, setting: String? = "CUFF_SINK_OFFERS=deletions status") {
        self.words = words
        self.name = name
        self.isAnswering = isAnswering
        self.setting = setting
    }

    deinit { close() }

    /// Splits a command at blanks: `'…'` quotes everything, `"…"` all but `\"` and `\\`, `\` the next character. Without a
    /// shell's variables, wildcards and pipes.
    static func words(_ text: String) throws(IngestError) -> [String] {
        var words: [String] = []
        var word = ""
        var isWord = false
        var quote: Character?
        var rest = text[...]
        while let next = rest.popFirst() {
            switch (next, quote) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case (let other, "'"): word.append(other)
            case ("\\", _):
                guard let escaped = rest.popFirst() else { throw malformed(text, "it ends in a backslash") }
                if quote != nil && escaped != "\"" && escaped != "\\" { word.append("\\") }
                word.append(escaped)
                isWord = true
            case (let other, "\""): word.append(other)
            case ("'", _), ("\"", _):
                quote = next
                isWord = true
            case (" ", _), ("\t", _):
                if isWord { words.append(word) }
                word = ""
                isWord = false
            default:
                word.append(next)
                isWord = true
            }
        }
        if quote != nil { throw malformed(text, "a quote is not closed") }
        if isWord { words.append(word) }
        guard let first = words.first, !first.isEmpty else { throw malformed(text, "it names no program") }
        return words
    }

    private static func malformed(_ text: String, _ why: String) -> IngestError {
        IngestError(SinkFault.malformed("exec:\(text)", why: why, example: "exec:./notify, or \"exec:sh -c 'cat >> log'\""))
    }

    /// The path of a program; `nil` if not found.
    static func find(_ program: String) -> String? {
        if program.contains("/") { return access(program, X_OK) == 0 ? program : nil }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    var isOpen: Bool { stream != nil }

    func open(_ stop: StopSignal) throws(IngestError) {
        close()
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var input: Int32 = -1
        var output: Int32 = -1
        let result = HelperProcesses.start {
            isAnswering ? clinux_spawn(&arguments, setting, &input, &output) : clinux_spawn(&arguments, nil, &input, nil)
        }
        guard result >= 0 else {
            throw IngestError(SinkFault.cannotStart(name, errno: -result))
        }
        process = result
        stream = LineStream(output: input, input: output)
    }

    func send(_ bytes: [UInt8], _ stop: StopSignal) throws(IngestError) {
        sent = 0
        guard let stream else { return }
        do throws(SystemFault) { sent = try stream.write(bytes, stop, isSocket: false) } catch {
            throw IngestError(SinkFault.ended(name))
        }
    }

    var taken: Int { stream.map { max(0, sent - Int(max(0, clinux_pipe_untaken($0.output)))) } ?? 0 }

    var isGone: Bool {
        guard let stream else { return true }
        var entry = pollfd(fd: stream.output, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR) != 0
    }

    var ends: (output: Int32, input: Int32)? { stream.map { ($0.output, $0.input) } }

    /// Closes its input and waits, if necessary until it is killed; returns whether it exited with success.
    @discardableResult
    func close() -> Bool {
        guard let stream else { return true }
        Glibc.close(stream.output)
        self.stream = nil
        defer {
            if stream.input >= 0 { Glibc.close(stream.input) }
            process = 0
        }
        if let status = end(within: Self.patience) { return status == 0 }
        HelperProcesses.signal(process, SIGTERM)
        if end(within: Self.patience) == nil {
            HelperProcesses.signal(process, SIGKILL)
            while end(within: Self.patience) == nil {}
        }
        return false
    }

    /// The exit status, if it ended in time.
    private func end(within limit: Duration) -> Int32? {
        let until = HostClock.monotonic() + limit.nanoseconds
        while true {
            if let status = HelperProcesses.status(of: process) { return status }
            if HostClock.monotonic() >= until { return nil }
            usleep(2000)
        }
    }
}
