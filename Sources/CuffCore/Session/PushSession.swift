/// A session with a cuff that only sends: it asks nothing, answers nothing and writes nothing, whatever is commanded.
/// It is not for cuffs whose protocol wants a receipt.
public struct PushSession<Format: FrameFormat>: FramedSession {
    /// Holds the bytes that are not a whole frame yet.
    public var reader: FrameReader<Format>
    /// The reading of one whole frame; `nil` when the frame says something this driver does not know.
    private let decode: @Sendable (Span<UInt8>) -> Reading?
    /// Set by `finish`.
    public var isFinished = false
    /// It sends, and does nothing else.
    public var capabilities: Capabilities { .push }
    /// Nothing is acknowledged to such a cuff.
    public var hearsCommits: Bool { false }

    /// `decode` gets one whole, checked frame and answers its reading; `nil` reports the frame as ignored.
    public init(_ format: Format, decode: @escaping @Sendable (Span<UInt8>) -> Reading?) {
        reader = FrameReader(format)
        self.decode = decode
    }

    /// The reading of the frame; a frame that does not decode is reported.
    public mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        if let reading = decode(reader.buffer.span.extracting(range)) {
            actions.emit(reading)
        } else {
            actions.append(.report(.ignored("a frame of no known kind", bytes(of: range))))
        }
    }
}
