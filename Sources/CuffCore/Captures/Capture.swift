/// One line of a recorded conversation.
public struct CaptureItem: Sendable, Hashable {
    /// Bytes of one side, or an event on the line.
    public enum Content: Sendable, Hashable {
        case fromCuff([UInt8])
        case toCuff([UInt8])
        case event(CaptureEvent)
    }
    /// Microseconds since the capture began, if recorded.
    public var time: Int64?
    /// The bytes or the event of this line.
    public var content: Content

    /// `time` in microseconds since the capture began; `nil` if it was not recorded.
    public init(time: Int64? = nil, _ content: Content) {
        self.time = time
        self.content = content
    }
}

/// A line event other than bytes: the text after `!` in a text capture.
public struct CaptureEvent: Sendable, Hashable {
    /// The event as written in the capture, e.g. `framing`. Text of a foreign file is not checked.
    public var text: String
    /// An event of any name; unknown ones are passed on as notes.
    public init(_ text: String) { self.text = text }

    /// The UART found no stop bit.
    public static let framingError = CaptureEvent("framing")
    /// The UART found a wrong parity bit.
    public static let parityError = CaptureEvent("parity")
    /// The UART or its driver lost bytes because they were not read in time.
    public static let overrun = CaptureEvent("overrun")
    /// The line was held low for longer than a character.
    public static let lineBreak = CaptureEvent("break")
    /// The device was disconnected; nothing follows.
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

    /// The value of the first field of this name, if any.
    public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

    /// Equal if both have the same fields in the same order.
    public static func == (a: CaptureHeader, b: CaptureHeader) -> Bool {
        a.fields.map { "\($0.key): \($0.value)" } == b.fields.map { "\($0.key): \($0.value)" }
    }
    /// Hashes the names of the fields only.
    public func hash(into hasher: inout Hasher) { for field in fields { hasher.combine(field.key) } }
}

/// A line or block that violates the capture's format.
public struct CaptureFault: Error, Sendable, Hashable {
    /// The line of a text capture, or the block of a pcapng capture, from 1.
    public var line: Int
    /// The fault: a clause in lower case, without a full stop.
    public var reason: String
    /// Creates a fault.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}
