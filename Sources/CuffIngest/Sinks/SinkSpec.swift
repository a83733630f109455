/// Where readings go, as it is written on the command line: `stdout`, `jsonl:FILE`, `csv:FILE`, `sqlite:FILE`.
/// A `?` at the end makes the sink optional: the cuff does not wait for it.
public struct SinkSpec: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable { case stdout, table, jsonl, csv, sqlite }

    public var kind: Kind
    /// Empty for `stdout`.
    public var path: String
    public var isRequired: Bool

    public init(_ kind: Kind, path: String = "", isRequired: Bool = true) {
        self.kind = kind
        self.path = path
        self.isRequired = isRequired
    }

    public static let stdout = SinkSpec(.stdout)
    /// Lines for a person at a terminal.
    public static let table = SinkSpec(.table)

    public init(_ text: String) throws(IngestError) {
        var text = text[...]
        let isRequired = text.last != "?"
        if !isRequired { text = text.dropLast() }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.count > 1 ? String(parts[1]) : ""
        guard let word = parts.first, let kind = Kind(rawValue: String(word)) else {
            throw IngestError(
                .usage, "`\(text)` is no sink", why: "it begins with none of stdout, table, jsonl:, csv:, sqlite:",
                cure: "write e.g. sqlite:bp.db")
        }
        switch kind {
        case .stdout where !path.isEmpty && path != "-", .table where !path.isEmpty && path != "-":
            throw IngestError(.usage, "`\(text)` is no sink", why: "\(kind.rawValue) takes no file", cure: "write jsonl:\(path)")
        case .jsonl where path == "-":
            self.init(.stdout, isRequired: isRequired)
        case .jsonl, .csv, .sqlite:
            guard !path.isEmpty, path != "-" else {
                throw IngestError(
                    .usage, "`\(text)` is no sink", why: "it names no file", cure: "write e.g. \(kind.rawValue):bp.\(kind.suffix)")
            }
            self.init(kind, path: path, isRequired: isRequired)
        case .stdout, .table:
            self.init(kind, isRequired: isRequired)
        }
    }

    public var description: String {
        (path.isEmpty ? kind.rawValue : "\(kind.rawValue):\(path)") + (isRequired ? "" : "?")
    }
}

extension SinkSpec.Kind {
    var suffix: String {
        switch self {
        case .stdout, .table: ""
        case .jsonl: "jsonl"
        case .csv: "csv"
        case .sqlite: "db"
        }
    }
}
