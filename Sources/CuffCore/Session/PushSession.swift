/// A session with a cuff that only sends: it asks nothing, answers nothing and writes nothing, whatever is commanded.
/// It is not for cuffs whose protocol wants a receipt.
public struct PushSession<Format: FrameFormat>: FramedSession {
    /// Holds the bytes that are not a whole frame yet.
    public var reader: FrameReader<Format>
    private let name: StaticName
    /// The reading of one whole frame; `nil` when the frame says something this driver does not know.
    private let decode: @Sendable (Span<UInt8>) -> Reading?
    /// Set by `finish`.
    public var isFinished = false
    /// Nothing is acknowledged to such a cuff.
    public var hearsCommits: Bool { false }

    /// `decode` gets one whole, checked frame and answers its reading; `nil` reports the frame as ignored.
    public init(_ format: Format, driver name: DriverID, decode: @escaping @Sendable (Span<UInt8>) -> Reading?) {
        reader = FrameReader(format)
        self.name = name
        self.decode = decode
    }

    /// A reading for each frame that decodes; what does not is reported.
    public mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range):
            if let reading = decode(reader.buffer.span.extracting(range)) {
                actions.emit(reading)
            } else {
                actions.append(.report(.ignored("a frame of no known kind", Array(reader.buffer[range]))))
            }
        }
    }

    /// Every command but `follow` is unsupported.
    public mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard command != .follow else { return }
        finish(.unsupported("\(name) only sends unasked; it takes no commands"), into: &actions)
    }

    /// The stream is complete.
    public mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        finish(.complete, into: &actions)
    }
}
