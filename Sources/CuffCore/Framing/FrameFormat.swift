/// Why bytes are not a frame.
public enum FrameFault: UInt8, Sendable, Hashable {
    case notAStart, badLength, badCheck, badCharacter, tooLong, incomplete

    /// The reason in English, in lower case and without a full stop.
    public var sentence: StaticString {
        switch self {
        case .notAStart: "no frame starts here"
        case .badLength: "a length field is impossible"
        case .badCheck: "the check does not agree"
        case .badCharacter: "a character is not allowed here"
        case .tooLong: "no end came within the longest possible frame"
        case .incomplete: "the bytes end within a frame"
        }
    }
}

/// The verdict of a format on the front of a buffer.
public enum FrameVerdict: Sendable, Hashable {
    case needMore
    case frame(length: Int)
    case reject(FrameFault)
}

/// Judges the front of a buffer; `FrameReader` has the only loop that resynchronises.
/// A verdict other than `needMore` must not change when more bytes arrive, so that the result does not depend on chunk boundaries.
/// Test length, then start, then check, before decoding anything.
public protocol FrameFormat: Sendable {
    static var maximumLength: Int { get }
    static var startByte: UInt8? { get }
    /// Bytes to skip if no end is found within `maximumLength`. Above 1 if the rest of such a start must not be taken for a frame.
    static var passedOver: Int { get }
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict
    /// As above, but the first `known` bytes gave `needMore`: a format that searches for an end resumes there, not at the start.
    func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict
}

extension FrameFormat {
    /// Default: no fixed first byte; the reader tries every position.
    public static var startByte: UInt8? { nil }
    /// Default: one byte, so the reader tries every later position.
    public static var passedOver: Int { 1 }
    /// Default: judges from the start, for formats that look at few bytes or have short frames.
    public func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict { verdict(on: bytes) }
}
