/// A session that finishes once and hears nothing further. A family says what bytes, timers and commands mean to it; the
/// `handle` that calls these functions is the same for every family.
public protocol FinishingSession: CuffSession {
    /// Set by `finish`: from then on nothing is heard.
    var isFinished: Bool { get set }
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
    /// What the session is asked to do.
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
        case .command(let command): obey(command, into: &actions)
        case .closed: lineEnded(into: &actions)
        }
    }

    /// Nothing to do.
    public mutating func opened(into actions: inout SessionActions) {}
    /// What is sent tells this family nothing.
    public mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {}
    /// The family arms no timer.
    public mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {}
    /// The cuff forgets nothing when a reading is acknowledged.
    public mutating func noteCommitted(through: Int, into actions: inout SessionActions) {}
}

/// A session whose cuff sends frames of one format. Its reader finds them and resynchronises after damage.
public protocol FramedSession: FinishingSession {
    /// What a frame of this family looks like.
    associatedtype Format: FrameFormat
    /// Holds the bytes that are not a whole frame yet.
    var reader: FrameReader<Format> { get set }
    /// A frame, or bytes that belong to none.
    mutating func receive(_ step: FrameStep, into actions: inout SessionActions)
}

extension FramedSession {
    /// Whole frames so far.
    public var frames: Int? { reader.frames }
    /// What stands behind the frame that ended this session.
    public mutating func takeUnread() -> [UInt8] { reader.takeWaiting() }

    /// Hands over each frame that the bytes complete.
    public mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        receiveFrames(of: bytes, into: &actions)
    }

    /// The same under a name of its own, for a family that does more with a chunk.
    public mutating func receiveFrames(of bytes: [UInt8], into actions: inout SessionActions) {
        reader.feed(bytes)
        while !isFinished, let step = reader.next() { receive(step, into: &actions) }
    }

    /// No more bytes will come: what is left of an incomplete frame is reported.
    public mutating func receiveRest(into actions: inout SessionActions) {
        if let step = reader.finish() { receive(step, into: &actions) }
    }
}
