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

/// What a format says about the front of a buffer.
public enum FrameVerdict: Sendable, Hashable {
    case needMore
    /// The first `length` bytes are one whole, checked frame.
    case frame(length: Int)
    /// No frame starts at the first byte.
    case reject(FrameFault)
}

/// A format judges the front of a buffer and does nothing else; `FrameReader` owns the one loop that resynchronises.
///
/// A verdict other than `needMore` must not change when more bytes follow: that is what makes the result independent of
/// how the stream was cut. Test length, then start, then check, before anything is decoded.
public protocol FrameFormat: Sendable {
    /// No frame is longer; a longer one is refused rather than waited for.
    static var maximumLength: Int { get }
    /// The byte every frame begins with, where there is one: lets the reader skip noise quickly.
    static var startByte: UInt8? { get }
    /// Bytes that are passed over where no end came within the longest possible frame. More than one where what such a beginning
    /// holds must not pass for a frame, and where looking for an end from each of its bytes would take too long.
    static var passedOver: Int { get }
    /// Judges a non-empty buffer.
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict
    /// The same where the verdict on the first `known` bytes was `needMore`: a format that looks for an end goes on from there, so that
    /// a frame that comes byte by byte is not searched from its beginning each time.
    func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict
}

extension FrameFormat {
    /// No fixed first byte: the reader tries every position.
    public static var startByte: UInt8? { nil }
    /// The reader tries every later position.
    public static var passedOver: Int { 1 }
    /// Judged anew: the format looks at a few bytes, or at short frames.
    public func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict { verdict(on: bytes) }
}
