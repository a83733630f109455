/// One line from `cuff`: its text and the members that every helper needs.
public struct ReadingLine: Sendable, Equatable {
    /// The line as `cuff` wrote it, without the line feed.
    public let json: String
    public let value: JSONValue
    public let id: String
    public let revision: Int
    /// `blood_pressure`, `pulse_rate`, `quantity`, `measurement` or `deleted`; for a pending reading the type of the
    /// completed one.
    public let type: String
    public let isPending: Bool
    public let driver: String
    public let device: String?
    public let user: Int?
    /// The name of the person, if the configuration or the user gave one.
    public let person: String?
    /// When it was measured, ISO 8601 with offset; `nil` if unknown.
    public let measured: String?

    public subscript(key: String) -> JSONValue? { value[key] }

    public var isFailure: Bool { type == "measurement" }
    /// A reading of this id is deleted.
    public var isDeletion: Bool { type == "deleted" }
    /// The type that a deleted reading had.
    public var formerType: String { value["of"]?.string ?? "" }
    public var flags: [String] { value["flags"]?.array?.compactMap(\.string) ?? [] }

    /// `nil` if the line is not a JSON object with an id and a type.
    public init?(_ line: [UInt8]) {
        guard let value = JSONValue(parsing: line), case .object = value,
            let id = value["id"]?.string, Self.isID(id), let type = value["type"]?.string
        else { return nil }
        if let revision = value["revision"] {
            guard let number = revision.integer, number >= 0 else { return nil }
            self.revision = number
        } else {
            revision = 0
        }
        json = String(decoding: line, as: UTF8.self)
        self.value = value
        self.id = id
        isPending = type == "pending"
        self.type = isPending ? value["of"]?.string ?? type : type
        driver = value["driver"]?.string ?? ""
        device = value["device"]?.string
        user = value["user"]?.integer
        person = value["person"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        measured = value["measured"]?.string
    }

    /// An id is a blank-delimited word in an answer.
    private static func isID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
