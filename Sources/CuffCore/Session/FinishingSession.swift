/// A session that finishes once and ignores later events. Its `handle` calls the family's functions for bytes, timers and commands.
public protocol FinishingSession: CuffSession {
    /// Set by `finish`; later events are ignored.
    var isFinished: Bool { get set }
    /// The driver's capabilities; other commands are refused before `obey`.
    var capabilities: Capabilities { get }
    /// The users of the memory; `nil` without users, or if their number is unknown.
    var users: ClosedRange<Int>? { get }
    /// Nothing was asked of the cuff, so that the end of the connection is regular.
    var isListening: Bool { get }
    /// The transport is open; nothing may be written yet.
    mutating func opened(into actions: inout SessionActions)
    /// Bytes from the cuff, in any chunking. For HID: one report.
    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions)
    /// One write to the cuff, by this session or, in a capture, by other software.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions)
    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions)
    /// The session's first `through` readings are on disk in every required sink.
    mutating func noteCommitted(through: Int, into actions: inout SessionActions)
    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions)
    /// The transport or the capture ended: emit or report what is held, then `finish`.
    mutating func lineEnded(into actions: inout SessionActions)
}

extension FinishingSession {
    /// Ends the session; further calls do nothing.
    public mutating func finish(_ outcome: Outcome, into actions: inout SessionActions) {
        guard !isFinished else { return }
        isFinished = true
        actions.append(.finish(outcome))
    }

    /// Dispatches the event, unless the session has finished.
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

    /// Default: no limit.
    public var users: ClosedRange<Int>? { nil }
    /// Default: the session only listens.
    public var isListening: Bool { true }
    /// Default: does nothing.
    public mutating func opened(into actions: inout SessionActions) {}
    /// Default: ignored.
    public mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {}
    /// Default: no timers.
    public mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {}
    /// Default: ignored; the cuff deletes nothing on acknowledgement.
    public mutating func noteCommitted(through: Int, into actions: inout SessionActions) {}
    /// Default: does nothing; the family only follows.
    public mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {}
    /// Default: finishes.
    public mutating func lineEnded(into actions: inout SessionActions) { finishAtEnd(into: &actions) }

    /// Finishes at the end of the connection: complete if nothing was asked, otherwise without an answer.
    public mutating func finishAtEnd(into actions: inout SessionActions) {
        finish(isListening ? .complete : .noAnswer("the connection ended before the cuff had sent everything"), into: &actions)
    }
}

/// A session with a cuff that sends frames of one format.
public protocol FramedSession: FinishingSession {
    associatedtype Format: FrameFormat
    var reader: FrameReader<Format> { get set }
    /// Handles a whole frame, at this range of `reader.buffer`.
    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions)
    mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions)
}

extension FramedSession {
    /// Whole frames so far.
    public var frames: Int? { reader.frames }
    /// The bytes after the frame that ended this session.
    public mutating func takeUnread() -> [UInt8] { reader.takeWaiting() }
    /// A copy of a frame's bytes.
    public func bytes(of range: Range<Int>) -> [UInt8] { Array(reader.buffer[range]) }

    /// Handles each frame that the bytes complete.
    public mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        receiveFrames(of: bytes, into: &actions)
    }

    /// `receive` under another name, for a family that does more with a chunk.
    public mutating func receiveFrames(of bytes: [UInt8], into actions: inout SessionActions) {
        reader.feed(bytes)
        while !isFinished, let step = reader.next() { receive(step, into: &actions) }
    }

    private mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .frame(let range): receive(frame: range, into: &actions)
        case .skipped(let count, let fault): skipped(count, fault, into: &actions)
        }
    }

    /// Default: reports the gap.
    public mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions) {
        actions.report(skipped: count, fault)
    }

    /// Ends the stream: handles the frames behind an incomplete one, which is reported.
    public mutating func receiveRest(into actions: inout SessionActions) {
        while !isFinished, let step = reader.finish() { receive(step, into: &actions) }
    }

    /// Drops a partial answer, which the next bytes will not complete.
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
