/// One kind of sink: what stands before the colon of an address, and everything the program needs to know about it. Help,
/// completions, error messages, the configuration's keys and the tables in docs/ come from `SinkKind.all`.
///
/// A program that embeds this library makes kinds of its own and passes `SinkKind.all + [own]` where text is parsed, or puts
/// `SinkSpec(own, path: …)` into `IngestOptions.sinks`.
public struct SinkKind: Sendable, Hashable, CustomStringConvertible {
    /// What a sink of this kind says of a reading that it has accepted.
    public enum Durability: String, Sendable {
        /// What was taken is acknowledged to nobody.
        case passThrough = "no"
        /// It keeps what it takes where its path is a regular file, or is not there yet.
        case onRegularFiles = "on regular files"
        /// Another program answers for each reading, or the kind keeps it in its own way.
        case acknowledged = "yes"
    }

    /// What distinguishes a kind beside its durability.
    public struct Traits: OptionSet, Sendable {
        /// One bit for each trait.
        public let rawValue: Int
        /// Any bits; bits without a trait mean nothing.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Its lines go where a command's own output goes.
        public static let standardOutput = Traits(rawValue: 1)
        /// A database of readings, which also has a place for series and for lines that wait.
        public static let database = Traits(rawValue: 2)
        /// Lines wait in an outbox, because the other side may be away.
        public static let outbox = Traits(rawValue: 4)
        /// A server, reached through a helper program.
        public static let remote = Traits(rawValue: 8)
        /// Others are told which cuffs there are, until they are told to forget one.
        public static let announcing = Traits(rawValue: 16)
        /// Of an outbox: it carries alerts as well as readings. Servers that have a place for readings only get none.
        public static let alerts = Traits(rawValue: 32)
    }

    /// Parses what follows the colon; throws a usage error with the reason.
    public typealias Parse = @Sendable (_ kind: SinkKind, _ operand: String) throws(IngestError) -> SinkSpec
    /// Opens the sink; throws where that cannot be done, and then has changed nothing.
    public typealias Open = @Sendable (SinkSpec, SinkContext) throws(IngestError) -> any Sink
    /// The id of the newest reading in the file; `nil` where it holds none.
    public typealias Latest = @Sendable (_ path: String) throws(IngestError) -> String?

    /// What an address begins with, before the colon.
    public let scheme: String
    /// The argument after the colon, as shown in help; empty where the kind takes none.
    public let operand: String
    /// One line.
    public let help: String
    /// A whole sink of this kind, as on the command line.
    public let example: String
    /// Whether what it has accepted is kept.
    public let durability: Durability
    /// What else is special about it.
    public let traits: Traits
    /// The program that reaches its server; `nil` for a sink of this program's own.
    public let helper: String?
    let parse: Parse
    /// The id of the newest reading that is there; `nil` for a kind of which `cuff sinks` has nothing to show.
    let latest: Latest?
    let open: Open

    /// Sets each property as given.
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
    /// The word before the colon.
    public var description: String { scheme }

    /// Two kinds are the same when they have the same scheme.
    public static func == (a: SinkKind, b: SinkKind) -> Bool { a.scheme == b.scheme }
    /// By the scheme alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(scheme) }

    /// The same kind with an answer for each reading.
    static let acknowledging = "+ack"

    // MARK: Operands

    /// The operand is the name of a file.
    public static let file: Parse = { (kind, operand) throws(IngestError) in
        guard !operand.isEmpty, operand != "-" else { throw kind.malformed(operand, "it names no file") }
        return SinkSpec(kind, path: operand)
    }

    /// There is none; `-` is standard output.
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
