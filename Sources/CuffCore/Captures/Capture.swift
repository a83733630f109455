/// One line of a recorded conversation.
public struct CaptureItem: Sendable, Hashable {
    /// What the line says: bytes of one side, or something that happened on the line.
    public enum Content: Sendable, Hashable {
        case fromCuff([UInt8])
        case toCuff([UInt8])
        case event(CaptureEvent)
    }
    /// Microseconds since the capture began, where it says.
    public var time: Int64?
    /// The bytes or the event of this line.
    public var content: Content

    /// `time` in microseconds since the beginning of the capture; `nil` where it was not recorded.
    public init(time: Int64? = nil, _ content: Content) {
        self.time = time
        self.content = content
    }
}

/// What happened on the line besides bytes. The words after `!` in a text capture.
public struct CaptureEvent: Sendable, Hashable {
    /// The event as written in the capture, e.g. `framing`. Text of a foreign file is not checked.
    public var text: String
    /// An event of any name; unknown ones are passed on as notes.
    public init(_ text: String) { self.text = text }

    /// The UART found no stop bit where one had to be.
    public static let framingError = CaptureEvent("framing")
    /// The UART found a wrong parity bit.
    public static let parityError = CaptureEvent("parity")
    /// The UART or its driver lost bytes because they were not read in time.
    public static let overrun = CaptureEvent("overrun")
    /// The line was held low for longer than a character.
    public static let lineBreak = CaptureEvent("break")
    /// The device went away; nothing follows.
    public static let unplugged = CaptureEvent("unplugged")
    /// The line was silent for longer than the session waits: its earliest timer fires.
    public static let silence = CaptureEvent("silence")
}

/// The `# key: value` lines that open a capture.
public struct CaptureHeader: Sendable, Hashable {
    /// In the order of the file; keys are lower case.
    public var fields: [(key: String, value: String)] = []
    /// No fields.
    public init() {}

    /// The value of the first field of this name; `nil` where there is none.
    public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

    /// Equal when the same fields stand in the same order.
    public static func == (a: CaptureHeader, b: CaptureHeader) -> Bool {
        a.fields.map { "\($0.key): \($0.value)" } == b.fields.map { "\($0.key): \($0.value)" }
    }
    /// Hashes the names of the fields only.
    public func hash(into hasher: inout Hasher) { for field in fields { hasher.combine(field.key) } }

    /// The header keys that matter to a reader; everything else before the first line of bytes is kept as it stands.
    public static let known = ["driver", "cuff", "device", "origin", "by", "date", "line", "consent", "changed", "source"]
}

/// A line or block that is not of the capture's format.
public struct CaptureFault: Error, Sendable, Hashable {
    /// The line of a text capture, or the block of a pcapng capture, from 1.
    public var line: Int
    /// What is wrong there: a clause in lower case, without a full stop.
    public var reason: String
    /// Sets each property as given.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}
