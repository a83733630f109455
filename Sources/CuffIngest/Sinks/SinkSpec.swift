import CuffCore
import Glibc

/// A sink as on the command line: the scheme of a `SinkKind`, a colon and the operand, such as `sqlite:bp.db`; other schemes are
/// those of helper programs. A final `?` makes the sink optional: the cuff does not wait for it.
public struct SinkSpec: Sendable, Hashable, CustomStringConvertible {
    /// The kind of sink.
    public var kind: SinkKind
    /// A file, a command, a socket's path, `HOST:PORT` …; empty for `stdout`.
    public var path: String
    /// Cuffs wait for the sink; written without a final `?`.
    public var isRequired: Bool
    /// What it may have.
    package var consent = SinkConsent()

    /// Sets each property; nothing is checked.
    public init(_ kind: SinkKind, path: String = "", isRequired: Bool = true) {
        self.kind = kind
        self.path = path
        self.isRequired = isRequired
    }

    /// JSON Lines on standard output.
    public static let stdout = SinkSpec(.stdout)
    /// Lines for people, on standard output.
    public static let table = SinkSpec(.table)

    /// - Throws: `SinkFault.unknown`, `malformed` or `secretInAddress` in an `IngestError`.
    public init(_ text: String, among kinds: [SinkKind] = SinkKind.all) throws(IngestError) {
        let isRequired = text.last != "?"
        let name = isRequired ? text[...] : text.dropLast()
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts.first.map(String.init) ?? ""
        // Other schemes belong to helper programs, which are looked up when the sink is opened.
        let operand = parts.count > 1 ? String(parts[1]) : ""
        guard let kind = kinds.first(where: { $0.scheme == scheme }) ?? (parts.count > 1 ? SinkKind.helper(for: scheme) : nil) else {
            // First of all, because other errors repeat the address.
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

    /// Whether it prints where a command's own output goes.
    public var writesStandardOutput: Bool { kind.traits.contains(.standardOutput) }

    /// Whether it is durable, as far as known before it is opened.
    public var isDurable: Bool {
        guard consent.isUnlimited else { return false }
        return switch kind.durability {
        case .passThrough: false
        case .acknowledged: true
        case .onRegularFiles: Self.isRegularFile(path) ?? !path.hasPrefix(":")
        }
    }

    static func isRegularFile(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Without the final `?`: the name of its outbox.
    public var name: String { path.isEmpty ? kind.scheme : "\(kind.scheme):\(path)" }

    /// Equal for two spellings of one file, program or port.
    var place: String {
        guard !path.isEmpty else { return name }
        switch kind.operand {
        case "FILE":
            let folder = StateFile.resolved(Descriptor.folder(of: path))
            return "\(kind.scheme):\(StateFile.resolved("\(folder)/\(path.split(separator: "/").last ?? "")"))"
        case "COMMAND": return (try? CommandPeer.words(path)).map { "\(kind.scheme):\($0.joined(separator: " "))" } ?? name
        case "HOST:PORT":
            guard let place = try? HostPort(path, of: path) else { return name }
            let host = place.host.lowercased()
            return "\(kind.scheme):\(["localhost", "::1"].contains(host) ? "127.0.0.1" : host):\(place.port)"
        default: return name
        }
    }

    /// The place of a sink that is known by its name.
    static func place(of name: String) -> String { (try? SinkSpec(name))?.place ?? name }

    /// The sink as the user writes it.
    public var description: String { name + (isRequired ? "" : "?") }

    /// If it throws, no existing file was changed.
    func open(_ context: SinkContext = SinkContext()) throws(IngestError) -> any ReadingSink {
        let sink = try kind.open(self, context)
        // A sink with an outbox limits what it queues.
        return consent.isUnlimited || sink is any FollowingSink ? sink : LimitedSink(sink, consent)
    }
}

/// Parameters for opening a sink.
public struct SinkContext: Sendable {
    /// How a reading is written as a line.
    public var line = ReadingLine()
    /// The database for queued lines, if any.
    public var outbox: String?
    /// By driver, the patient of a record; only where patients are stored.
    public var patients: [DriverID: @Sendable ([UInt8]) -> String?] = [:]
    /// Whose all readings of the run are, because the user says so; databases keep it with them.
    public var person: String?
    /// How a database gives deleted readings again.
    package var redelivery = Redelivery()
    /// Called for faults that the sink survives, such as an unavailable receiver or removed lines.
    public var onFault: @Sendable (_ sink: String, IngestError) -> Void = { _, _ in }

    /// The run's own sink for the database of the outbox, which writes readings and queued lines in one transaction.
    var database: SQLiteSink?

    /// Ends the wait for a reader of the output.
    var stop: StopSignal?
    var helpers = HelperProgram.folder

    /// Without an outbox; faults are ignored.
    public init() {}
}
