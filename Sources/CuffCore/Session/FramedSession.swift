/// A session whose cuff sends frames of one format. Its reader finds them and resynchronises after damage.
public protocol FramedSession: FinishingSession {
    /// What a frame of this family looks like.
    associatedtype Format: FrameFormat
    /// Holds the bytes that are not a whole frame yet.
    var reader: FrameReader<Format> { get set }
    /// A whole frame, in `reader.buffer` at this range.
    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions)
    /// Bytes that belong to no frame.
    mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions)
}

extension FramedSession {
    /// Whole frames so far.
    public var frames: Int? { reader.frames }
    /// The bytes behind the frame that ended this session.
    public mutating func takeUnread() -> [UInt8] { reader.takeWaiting() }
    /// A copy of a frame's bytes.
    public func bytes(of range: Range<Int>) -> [UInt8] { Array(reader.buffer[range]) }

    /// Hands over each frame that the bytes complete.
    public mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        receiveFrames(of: bytes, into: &actions)
    }

    /// The same under a name of its own, for a family that does more with a chunk.
    public mutating func receiveFrames(of bytes: [UInt8], into actions: inout SessionActions) {
        reader.feed(bytes)
        while !isFinished, let step = reader.next() {
            switch step {
            case .frame(let range): receive(frame: range, into: &actions)
            case .skipped(let count, let fault): skipped(count, fault, into: &actions)
            }
        }
    }

    /// Reports the gap.
    public mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions) {
        actions.report(skipped: count, fault)
    }

    /// No more bytes will come: an incomplete frame is reported.
    public mutating func receiveRest(into actions: inout SessionActions) {
        if case .skipped(let count, let fault)? = reader.finish() { skipped(count, fault, into: &actions) }
    }

    /// What arrived of an answer will not be completed by the next one.
    public mutating func discardIncomplete(into actions: inout SessionActions) {
        let left = reader.discard()
        if left > 0 { actions.report(skipped: left, .incomplete) }
    }

    /// Reports an incomplete frame, and finishes.
    public mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        finishAtEnd(into: &actions)
    }
}
