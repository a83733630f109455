/// A session with a cuff that only sends: it asks nothing, answers nothing and writes nothing, whatever is commanded.
/// It is not for cuffs whose protocol wants a receipt.
public struct PushSession<Format: FrameFormat>: CuffSession, FinishingSession {
    private var reader: FrameReader<Format>
    private let name: StaticName
    /// The reading of one whole frame; `nil` when the frame says something this driver does not know.
    private let decode: @Sendable (Span<UInt8>) -> Reading?
    var isFinished = false

    /// `decode` gets one whole, checked frame and answers its reading; `nil` reports the frame as ignored.
    public init(_ format: Format, driver name: DriverID, decode: @escaping @Sendable (Span<UInt8>) -> Reading?) {
        reader = FrameReader(format)
        self.name = name
        self.decode = decode
    }

    /// Emits a reading for each frame that decodes, reports what does not, and finishes when the transport closes.
    public mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        guard !isFinished else { return }
        switch event {
        case .opened, .committed, .sent, .timerFired, .command(.follow): break
        case .received(let bytes):
            reader.feed(bytes)
            while let step = reader.next() { take(step, into: &actions) }
        case .command:
            finish(.unsupported("\(name) only sends unasked; it takes no commands"), into: &actions)
        case .closed:
            if let step = reader.finish() { take(step, into: &actions) }
            finish(.complete, into: &actions)
        }
    }

    private mutating func take(_ step: FrameStep, into actions: inout SessionActions) {
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
}
