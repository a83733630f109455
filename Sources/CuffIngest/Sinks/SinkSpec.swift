import Glibc

/// Where readings go, as it is written on the command line: `stdout`, `jsonl:FILE`, `csv:FILE`, `sqlite:FILE`,
/// `exec:COMMAND`, `unix:SOCKET`, `tcp:HOST:PORT`. A `?` at the end makes the sink optional: the cuff does not wait for it.
/// `exec+ack:`, `unix+ack:` and `tcp+ack:` speak the protocol in which the other side answers for each reading (`OutboxState`).
public struct SinkSpec: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of sinks. The raw value is the word before the colon.
    public enum Kind: String, Sendable, CaseIterable {
        case stdout, table, jsonl, csv, sqlite, exec, unix, tcp

        /// Lines leave through an outbox, because the other side may be away.
        public var isOutgoing: Bool {
            switch self {
            case .exec, .unix, .tcp: true
            case .stdout, .table, .jsonl, .csv, .sqlite: false
            }
        }
    }

    /// What kind of sink it is.
    public var kind: Kind
    /// A file, a command, a socket's path or `HOST:PORT`; empty for `stdout`.
    public var path: String
    /// Cuffs wait for the sink; written without a `?` at the end.
    public var isRequired: Bool
    /// The other side answers for every reading.
    public var isAnswering = false

    /// Sets each property as given; nothing is checked.
    public init(_ kind: Kind, path: String = "", isRequired: Bool = true, isAnswering: Bool = false) {
        self.kind = kind
        self.path = path
        self.isRequired = isRequired
        self.isAnswering = isAnswering
    }

    /// JSON Lines on standard output.
    public static let stdout = SinkSpec(.stdout)
    /// Whether its lines go where a command's own output goes.
    public var writesStandardOutput: Bool { kind == .stdout || kind == .table }
    /// Lines for a person at a terminal.
    public static let table = SinkSpec(.table)

    private static let acknowledging = "+ack"

    /// Parses a sink; throws a usage error with the reason.
    public init(_ text: String) throws(IngestError) {
        var text = text[...]
        let isRequired = text.last != "?"
        if !isRequired { text = text.dropLast() }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.count > 1 ? String(parts[1]) : ""
        let isAnswering = parts.first?.hasSuffix(Self.acknowledging) ?? false
        guard let word = parts.first, let kind = Kind(rawValue: String(word.dropLast(isAnswering ? Self.acknowledging.count : 0))),
            kind.isOutgoing || !isAnswering
        else {
            throw IngestError(
                .usage, "unknown sink `\(text)`",
                why: "sinks are stdout, table, jsonl:, csv:, sqlite:, exec:, unix:, tcp:", hint: "write e.g. sqlite:bp.db")
        }
        switch kind {
        case .stdout where !path.isEmpty && path != "-", .table where !path.isEmpty && path != "-":
            throw IngestError(.usage, "invalid sink `\(text)`", why: "\(kind.rawValue) takes no file", hint: "write jsonl:\(path)")
        case .jsonl where path == "-":
            self.init(.stdout, isRequired: isRequired)
        case .jsonl, .csv, .sqlite, .unix:
            guard !path.isEmpty, path != "-" else {
                throw IngestError(
                    .usage, "invalid sink `\(text)`", why: "it names no file", hint: "write e.g. \(kind.rawValue):bp.\(kind.suffix)")
            }
            self.init(kind, path: path, isRequired: isRequired, isAnswering: isAnswering)
        case .exec:
            _ = try CommandPeer.words(path)
            self.init(kind, path: path, isRequired: isRequired, isAnswering: isAnswering)
        case .tcp:
            let place = path.hasPrefix("//") ? String(path.dropFirst(2)) : path
            _ = try Self.place(ofTCP: place)
            self.init(kind, path: place, isRequired: isRequired, isAnswering: isAnswering)
        case .stdout, .table:
            self.init(kind, isRequired: isRequired)
        }
    }

    /// What is written there is kept, as far as can be told before it is opened: a database or a file that is a regular file
    /// or is not there yet, or another side that answers for each reading. Standard output, a table, a device, a pipe and
    /// whoever does not answer pass readings through.
    public var isDurable: Bool {
        switch kind {
        case .stdout, .table: false
        case .exec, .unix, .tcp: isAnswering
        case .jsonl, .csv, .sqlite: Self.isRegularFile(path) ?? !path.hasPrefix(":")
        }
    }

    /// `nil` where nothing is there.
    static func isRegularFile(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// `HOST:PORT`, an IPv6 address in brackets.
    static func place(ofTCP text: String) throws(IngestError) -> SocketPeer.Place {
        guard case .tcp(let host, let port)? = try? TransportAddress("tcp://" + text), port > 0 else {
            throw IngestError(.usage, "invalid sink `tcp:\(text)`", why: "it is not HOST:PORT", hint: "write e.g. tcp:127.0.0.1:4000")
        }
        return .tcp(host: host, port: port)
    }

    /// As it is written, without what says whether it is required: the name under which an outbox is kept.
    public var name: String {
        path.isEmpty ? kind.rawValue : "\(kind.rawValue)\(isAnswering ? Self.acknowledging : ""):\(path)"
    }

    /// The sink as the user writes it.
    public var description: String { name + (isRequired ? "" : "?") }
}

extension SinkSpec.Kind {
    var suffix: String {
        switch self {
        case .stdout, .table, .exec, .tcp: ""
        case .jsonl: "jsonl"
        case .csv: "csv"
        case .sqlite: "db"
        case .unix: "socket"
        }
    }
}
