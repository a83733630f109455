import CuffCore
import Glibc

/// Where readings go, as it is written on the command line: a kind of `SinkKind.all`, a colon and the kind's operand, e.g.
/// `sqlite:bp.db`; another scheme is that of a helper program. A `?` at the end makes the sink optional: the cuff does not wait for it.
public struct SinkSpec: Sendable, Hashable, CustomStringConvertible {
    /// What kind of sink it is.
    public var kind: SinkKind
    /// A file, a command, a socket's path, `HOST:PORT` …; empty for `stdout`.
    public var path: String
    /// Cuffs wait for the sink; written without a `?` at the end.
    public var isRequired: Bool

    /// Sets each property as given; nothing is checked.
    public init(_ kind: SinkKind, path: String = "", isRequired: Bool = true) {
        self.kind = kind
        self.path = path
        self.isRequired = isRequired
    }

    /// JSON Lines on standard output.
    public static let stdout = SinkSpec(.stdout)
    /// Lines for a person at a terminal.
    public static let table = SinkSpec(.table)

    /// Parses a sink; throws a usage error with the reason.
    public init(_ text: String, among kinds: [SinkKind] = SinkKind.all) throws(IngestError) {
        let isRequired = text.last != "?"
        let name = isRequired ? text[...] : text.dropLast()
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts.first.map(String.init) ?? ""
        // Any other scheme is a helper program's, which has to be there when the sink is opened.
        let operand = parts.count > 1 ? String(parts[1]) : ""
        guard let kind = kinds.first(where: { $0.scheme == scheme }) ?? (parts.count > 1 ? SinkKind.helper(for: scheme) : nil) else {
            // Nothing may repeat a secret, whatever is wrong with the rest.
            if let place = RemoteAddress(operand).placeOfSecret {
                throw IngestError(SinkFault.secretInAddress(scheme: scheme, place: place, program: "its helper program", credential: nil))
            }
            throw IngestError(
                SinkFault.unknown(
                    String(name), known: kinds.map(\.spelling), nearest: NearestWord.match(scheme, among: kinds.map(\.scheme))))
        }
        self = try kind.parse(kind, operand)
        self.isRequired = isRequired
    }

    /// Whether its lines go where a command's own output goes.
    public var writesStandardOutput: Bool { kind.traits.contains(.standardOutput) }

    /// What is written there is kept, as far as can be told before it is opened.
    public var isDurable: Bool {
        switch kind.durability {
        case .passThrough: false
        case .acknowledged: true
        case .onRegularFiles: Self.isRegularFile(path) ?? !path.hasPrefix(":")
        }
    }

    /// `nil` where nothing is there.
    static func isRegularFile(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// As it is written, without what says whether it is required: the name under which an outbox is kept.
    public var name: String { path.isEmpty ? kind.scheme : "\(kind.scheme):\(path)" }

    /// The sink as the user writes it.
    public var description: String { name + (isRequired ? "" : "?") }

    /// Opens the sink; nothing of an existing file is changed when that fails.
    func open(_ context: SinkContext = SinkContext()) throws(IngestError) -> any Sink { try kind.open(self, context) }
}

/// What opening a sink needs to know beside its name.
public struct SinkContext: Sendable {
    /// How a reading is written as a line.
    public var line = ReadingLine()
    /// The database in which lines wait for sinks outside; `nil` where there is no place for one.
    public var outbox: String?
    /// By driver, whom a record names; only where that is to be kept.
    public var patients: [DriverID: @Sendable ([UInt8]) -> String?] = [:]
    /// Whose all readings of the run are, because the user says so; databases keep it with them.
    public var person: String?
    /// Hears of a fault that the sink survives: another side that is away, a damaged line that was removed.
    public var onFault: @Sendable (_ sink: String, IngestError) -> Void = { _, _ in }

    /// The run's own sink for the database that is also the outbox: it writes readings and waiting lines in one transaction.
    var database: SQLiteSink?

    /// Asks the run to end: a sink that waits for a reader does not do so for ever then.
    var stop: StopSignal?
    /// The folder of the installation's helper programs.
    var helpers = HelperProgram.folder

    /// Nothing special: no outbox, and nobody hears of faults.
    public init() {}
}
