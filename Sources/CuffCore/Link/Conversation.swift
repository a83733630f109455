/// The sessions of a link, one after the other: the commands to execute, the present session, and how it ended.
struct Conversation: Sendable {
    enum Phase: Sendable, Equatable {
        /// Before `opened`.
        case waiting
        case open
        /// The outcome is known; the last writes are still on their way to the cuff.
        case draining(Outcome)
        case ended
    }

    private(set) var phase = Phase.waiting
    /// The command of the present session.
    private(set) var command: SessionCommand?
    /// How the present session ended.
    private(set) var outcome: Outcome?
    private(set) var isTransportClosed = false
    private var session: any CuffSession
    private var commands: [SessionCommand]
    /// Commands to the session that a measurement brings about; handled before anything else.
    private var pending: [SessionCommand] = []
    /// Readings that the link emitted before the present session began: sessions count their own.
    private var emittedBefore = 0
    /// Frames of earlier sessions, and messages from the cuff in the present one.
    private var framesBefore = 0
    private var messages = 0
    /// A HID report is a frame.
    private let isReports: Bool

    init(_ setup: LinkState.Setup) {
        commands = setup.commands
        session = setup.driver.makeSession(setup.context)
        isReports = setup.driver.medium == .hidraw
    }

    var isEnded: Bool { phase == .ended }
    /// The link only listens and has nothing else to do.
    var isListening: Bool { phase == .open && command == .follow && commands.isEmpty && !isTransportClosed }
    /// No command follows that could be executed.
    var isLast: Bool { commands.isEmpty || isTransportClosed }
    /// Whether another command is to be executed.
    var hasCommands: Bool { !commands.isEmpty }
    /// Whether `committed` makes a difference to the session.
    var hearsCommits: Bool { session.hearsCommits }
    /// Whole frames so far; families without frames of their own have none to count.
    var frames: Int { framesBefore + (session.frames ?? (isReports ? messages : 0)) }

    // MARK: The present session

    /// Passes an event to the session. Only while the link is open.
    @inline(__always)
    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        session.handle(event, into: &actions)
    }

    /// Lets the session write its closing messages; returns whether there are any. The end follows when it finishes.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool { session.endInOrder(into: &actions) }

    /// The cuff sent something.
    mutating func countMessage() { messages += 1 }

    /// `through` of the link's readings, counted from the beginning of the present session; `nil` where none is of this session.
    func committed(through: Int) -> SessionEvent? {
        through > emittedBefore ? .committed(through: through - emittedBefore) : nil
    }

    /// A command within the present session, once the present event is handled.
    mutating func append(pending command: SessionCommand) { pending.append(command) }

    mutating func nextPending() -> SessionCommand? { pending.isEmpty || phase != .open ? nil : pending.removeFirst() }

    /// Ends the present session from outside, or as it reported itself. The first outcome counts.
    mutating func finish(_ outcome: Outcome) { self.outcome = self.outcome ?? outcome }

    // MARK: From one session to the next

    mutating func open() { phase = .open }

    /// The next command, to be passed to the present session.
    mutating func nextCommand() -> SessionCommand? {
        guard phase == .open, !commands.isEmpty else { return nil }
        command = commands.removeFirst()
        return command
    }

    /// Replaces the commands to be executed next.
    mutating func replaceCommands(_ commands: [SessionCommand]) { self.commands = commands }

    /// The outcome was handled. Recorded bytes may go on after the last command, in a session without one.
    mutating func forgetOutcome() { outcome = nil }
    mutating func forgetCommand() { command = nil }

    /// Bytes behind those with which the session finished, if the next session only listens. After a conversation that failed, half an
    /// answer is no beginning of anything; and what came before a start is not its result.
    mutating func removeUnread(after outcome: Outcome) -> [UInt8] {
        outcome == .complete && commands.first == .follow ? session.takeUnread() : []
    }

    /// Begins another session. `emitted`: readings of the link so far.
    mutating func beginSession(_ setup: LinkState.Setup, emitted: Int) {
        framesBefore = frames
        messages = 0
        emittedBefore = emitted
        session = setup.driver.makeSession(setup.context)
    }

    mutating func transportClosed() { isTransportClosed = true }
    mutating func drain(_ outcome: Outcome) { phase = .draining(outcome) }
    mutating func end() { phase = .ended }
}
