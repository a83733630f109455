/// A session that finishes once and ignores every later event. A family says what bytes, timers and commands mean to it; the
/// `handle` that calls these functions is the same for every family.
public protocol FinishingSession: CuffSession {
    /// Set by `finish`: from then on events are ignored.
    var isFinished: Bool { get set }
    /// What the driver offers. Any other command is refused before `obey`.
    var capabilities: Capabilities { get }
    /// The users of the memory; `nil` where the driver has none, or does not know how many.
    var users: ClosedRange<Int>? { get }
    /// Nothing was asked of the cuff: then the end of the connection is a regular end.
    var isListening: Bool { get }
    /// The transport is open. Nothing may be written yet.
    mutating func opened(into actions: inout SessionActions)
    /// Bytes from the cuff, in any chunking. For HID: one report.
    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions)
    /// One write that went to the cuff, by this session or, in a capture, by other software.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions)
    /// A timer that this session armed has fired.
    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions)
    /// The first `through` readings that this session emitted are on disk in every required sink.
    mutating func noteCommitted(through: Int, into actions: inout SessionActions)
    /// What the session is asked to do: a command that `capabilities` offer.
    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions)
    /// The transport ended, or the capture did: give or report what is still held, then `finish`.
    mutating func lineEnded(into actions: inout SessionActions)
}

extension FinishingSession {
    /// Ends the session, once: a second call does nothing.
    public mutating func finish(_ outcome: Outcome, into actions: inout SessionActions) {
        guard !isFinished else { return }
        isFinished = true
        actions.append(.finish(outcome))
    }

    /// Calls the function for the event, unless the session has finished.
    public mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        guard !isFinished else { return }
        switch event {
        case .opened: opened(into: &actions)
        case .received(let bytes): receive(bytes, into: &actions)
        case .sent(let bytes): noteSent(bytes, into: &actions)
        case .timerFired(let timer): timeOut(timer, into: &actions)
        case .committed(let through): noteCommitted(through: through, into: &actions)
        case .command(let command):
            if let refusal = CommandRefusal(command, capabilities: capabilities, users: users) {
                finish(.unsupported(refusal.sentence), into: &actions)
            } else {
                obey(command, into: &actions)
            }
        case .closed: lineEnded(into: &actions)
        }
    }

    /// No range: any user is asked for.
    public var users: ClosedRange<Int>? { nil }
    /// The session only listens.
    public var isListening: Bool { true }
    /// Nothing to do.
    public mutating func opened(into actions: inout SessionActions) {}
    /// What is sent does not matter to this family.
    public mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {}
    /// The family arms no timer.
    public mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {}
    /// The cuff forgets nothing when a reading is acknowledged.
    public mutating func noteCommitted(through: Int, into actions: inout SessionActions) {}
    /// The family follows, and does nothing else.
    public mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {}
    /// Finishes.
    public mutating func lineEnded(into actions: inout SessionActions) { finishAtEnd(into: &actions) }

    /// Finishes at the end of the connection: complete where nothing was asked, otherwise without an answer.
    public mutating func finishAtEnd(into actions: inout SessionActions) {
        finish(isListening ? .complete : .noAnswer("the connection ended before the cuff had sent everything"), into: &actions)
    }
}

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
