/// One kind of sink, by the scheme of its address. Help, completions, error messages, configuration keys and the tables in docs/
/// are generated from `SinkKind.all`.
///
/// A program that embeds this library passes `SinkKind.all + [own]` to parsers, or puts `SinkSpec(own, path: …)` into
/// `IngestOptions.sinks`.
public struct SinkKind: Sendable, Hashable, CustomStringConvertible {
    /// Whether accepted readings are durable.
    public enum Durability: String, Sendable {
        /// Not acknowledged.
        case passThrough = "no"
        /// If its path is a regular file, or does not exist yet.
        case onRegularFiles = "on regular files"
        /// Another program acknowledges each reading, or the kind has its own storage.
        case acknowledged = "yes"
    }

    /// Other properties of a kind.
    public struct Traits: OptionSet, Sendable {
        /// One bit for each trait.
        public let rawValue: Int
        /// Unknown bits are ignored.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Prints where a command's own output goes.
        public static let standardOutput = Traits(rawValue: 1)
        /// A database of readings, series and queued lines.
        public static let database = Traits(rawValue: 2)
        /// Has an outbox, because the receiver may be unavailable.
        public static let outbox = Traits(rawValue: 4)
        /// A server, reached through a helper program.
        public static let remote = Traits(rawValue: 8)
        /// Announces cuffs to others until told to forget one.
        public static let announcing = Traits(rawValue: 16)
        /// Its outbox carries alerts, too. Servers that store only readings do not receive alerts.
        public static let alerts = Traits(rawValue: 32)
    }

    /// Parses the part after the colon; throws a usage error with the reason.
    public typealias Parse = @Sendable (_ kind: SinkKind, _ operand: String) throws(IngestError) -> SinkSpec
    /// Opens the sink; if it throws, nothing was changed.
    public typealias Open = @Sendable (SinkSpec, SinkContext) throws(IngestError) -> any ReadingSink
    /// The id of the newest reading in the file; `nil` if it has none.
    public typealias Latest = @Sendable (_ path: String) throws(IngestError) -> String?

    /// The word before the colon.
    public let scheme: String
    /// The argument after the colon, as in help; empty if there is none.
    public let operand: String
    /// One line.
    public let help: String
    /// A complete sink of this kind.
    public let example: String
    /// Whether accepted readings are durable.
    public let durability: Durability
    /// Other properties.
    public let traits: Traits
    /// The helper program of a server; `nil` for a built-in sink.
    public let helper: String?
    let parse: Parse
    /// The id of the newest stored reading, for `cuff sinks`.
    let latest: Latest?
    let open: Open

    /// Sets each property.
    public init(
        _ scheme: String, operand: String = "FILE", help: String, example: String, durability: Durability, traits: Traits = [],
        helper: String? = nil, parse: @escaping Parse = SinkKind.file, latest: Latest? = nil, open: @escaping Open
    ) {
        self.scheme = scheme
        self.operand = operand
        self.help = help
        self.example = example
        self.durability = durability
        self.traits = traits
        self.helper = helper
        self.parse = parse
        self.latest = latest
        self.open = open
    }

    /// Every built-in kind, in the order of help and documentation.
    public static let all: [SinkKind] =
        [.stdout, .table, .jsonl, .csv, .sqlite, .exec, .execAck, .unix, .unixAck, .tcp, .tcpAck] + servers

    /// `sqlite:FILE`, `stdout`.
    public var spelling: String { operand.isEmpty ? scheme : "\(scheme):\(operand)" }
    /// The scheme.
    public var description: String { scheme }

    /// Equal if the schemes are.
    public static func == (a: SinkKind, b: SinkKind) -> Bool { a.scheme == b.scheme }
    /// By the scheme.
    public func hash(into hasher: inout Hasher) { hasher.combine(scheme) }

    static let acknowledging = "+ack"

    // MARK: Operands

    /// The operand is a file name.
    public static let file: Parse = { (kind, operand) throws(IngestError) in
        guard !operand.isEmpty, operand != "-" else { throw kind.malformed(operand, "it names no file") }
        return SinkSpec(kind, path: operand)
    }

    /// No operand; `-` is standard output.
    static let nothing: Parse = { (kind, operand) throws(IngestError) in
        guard operand.isEmpty || operand == "-" else {
            throw kind.malformed(operand, "\(kind) takes no file", example: "jsonl:\(operand)")
        }
        return SinkSpec(kind)
    }

    func malformed(_ operand: String, _ why: String, example: String? = nil) -> IngestError {
        IngestError(SinkFault.malformed(scheme + (operand.isEmpty ? "" : ":\(operand)"), why: why, example: example ?? self.example))
    }
}
