/// The consecutive sessions of a link: pending commands, the present session, and its outcome.
struct Conversation: Sendable {
    enum Phase: Sendable, Equatable {
        case waiting
        case open
        /// The outcome is known; the last writes are not sent yet.
        case draining(Outcome)
        case ended
    }

    var phase = Phase.waiting
    var command: SessionCommand?
    var outcome: Outcome?
    var isTransportClosed = false
    private var session: any CuffSession
    var commands: [SessionCommand]
    /// Commands that a measurement issues to the session; handled first.
    var pending: [SessionCommand] = []
    /// Readings emitted before the present session; sessions count only their own.
    private var emittedBefore = 0
    /// Frames of earlier sessions, and messages from the cuff in the present one.
    private var framesBefore = 0
    var messages = 0
    private let isReports: Bool

    init(_ setup: LinkState.Setup) {
        commands = setup.commands
        session = setup.driver.makeSession(setup.context)
        isReports = setup.driver.medium == .hidraw
    }

    var isEnded: Bool { phase == .ended }
    /// The link only listens, with no further command.
    var isListening: Bool { phase == .open && command == .follow && commands.isEmpty && !isTransportClosed }
    var isLast: Bool { commands.isEmpty || isTransportClosed }
    var hearsCommits: Bool { session.hearsCommits }
    /// Whole frames so far; not counted for families without frames.
    var frames: Int { framesBefore + (session.frames ?? (isReports ? messages : 0)) }

    @inline(__always)
    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        session.handle(event, into: &actions)
    }

    /// Lets the session write its closing messages; returns whether there are any.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool { session.endInOrder(into: &actions) }

    /// Converts the link's count `through` to the present session's; `nil` if none of its readings is included.
    func committed(through: Int) -> SessionEvent? {
        through > emittedBefore ? .committed(through: through - emittedBefore) : nil
    }

    mutating func nextPending() -> SessionCommand? { pending.isEmpty || phase != .open ? nil : pending.removeFirst() }

    /// Ends the present session. The first outcome counts.
    mutating func finish(_ outcome: Outcome) { self.outcome = self.outcome ?? outcome }

    mutating func nextCommand() -> SessionCommand? {
        guard phase == .open, !commands.isEmpty else { return nil }
        command = commands.removeFirst()
        return command
    }

    /// Sends a stop before the next command, if there is one.
    mutating func stopFirst() { if !commands.isEmpty { commands.insert(.stop, at: 0) } }

    /// Unread bytes for the next session, if it only listens. After a failure or before a start they are discarded.
    mutating func removeUnread(after outcome: Outcome) -> [UInt8] {
        outcome == .complete && commands.first == .follow ? session.takeUnread() : []
    }

    mutating func beginSession(_ setup: LinkState.Setup, emitted: Int) {
        framesBefore = frames
        messages = 0
        emittedBefore = emitted
        session = setup.driver.makeSession(setup.context)
    }
}
