/// One line of a recorded conversation.
public struct CaptureItem: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case fromCuff([UInt8])
        case toCuff([UInt8])
        case event(CaptureEvent)
    }
    /// Microseconds since the capture began, where it says.
    public var time: Int64?
    public var content: Content

    public init(time: Int64? = nil, _ content: Content) {
        self.time = time
        self.content = content
    }
}

/// What happened on the line besides bytes. The words after `!` in a text capture.
public struct CaptureEvent: Sendable, Hashable {
    public var text: String
    public init(_ text: String) { self.text = text }

    public static let framingError = CaptureEvent("framing")
    public static let parityError = CaptureEvent("parity")
    public static let overrun = CaptureEvent("overrun")
    public static let lineBreak = CaptureEvent("break")
    public static let unplugged = CaptureEvent("unplugged")
    /// The line was silent for longer than the session waits: its earliest timer fires.
    public static let silence = CaptureEvent("silence")
}

/// The `# key: value` lines that open a capture.
public struct CaptureHeader: Sendable, Hashable {
    /// In the order of the file; keys are lower case.
    public var fields: [(key: String, value: String)] = []
    public init() {}

    public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

    public static func == (a: CaptureHeader, b: CaptureHeader) -> Bool {
        a.fields.map { "\($0.key): \($0.value)" } == b.fields.map { "\($0.key): \($0.value)" }
    }
    public func hash(into hasher: inout Hasher) { for field in fields { hasher.combine(field.key) } }

    /// The header keys that matter to a reader; everything else before the first line of bytes is kept as it stands.
    public static let known = ["driver", "cuff", "device", "origin", "by", "date", "line", "consent", "changed", "source"]
}

/// A line that is none of the text form's.
public struct CaptureFault: Error, Sendable, Hashable {
    public var line: Int
    public var reason: String
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}
