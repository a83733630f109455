/// One conversation with one cuff: events in, actions out. It has no I/O, no clock and no thread; its driver owns
/// all three. The same session serves a live cuff, a replay, a fuzzer and a test.
///
/// Rules:
/// - A session begins silent. Nothing is written before a `command`; `.follow` allows only the answers the protocol needs, and
///   the polls of a monitor that says nothing unasked, which can only be reached where the user assigned its driver.
/// - What was requested is known from `sent`, not from what the session wrote: in a replay the questions were
///   sent by other software.
/// - A byte the protocol does not allow becomes a report. It is never a crash and never a guess.
/// - Cutting `received` anywhere changes nothing.
public protocol CuffSession: Sendable {
    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions)
    /// The host wants to end. Returns whether the session still has to write to the cuff; then `finish` follows
    /// within the protocol's own time. Only ever called live.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool
    /// Takes the bytes that came behind those with which the session finished. They belong to the next session.
    mutating func takeUnread() -> [UInt8]
    /// Whole frames so far; `nil` where the family has none (its reports are counted, or its answers have a known length).
    var frames: Int? { get }
    /// Whether `committed` changes what the session does: it acknowledges to the cuff, or asks for the next record.
    var hearsCommits: Bool { get }
}

extension CuffSession {
    /// `nil`: the family has no frames to count.
    public var frames: Int? { nil }
    /// Nothing is left: everything that is received is used at once.
    public mutating func takeUnread() -> [UInt8] { [] }
    /// Nothing to write before the end.
    public mutating func endInOrder(into actions: inout SessionActions) -> Bool { false }
    /// Commits are handed over unless the session says otherwise.
    public var hearsCommits: Bool { true }

    /// The same with a new array for the actions; for tests and small tools.
    public mutating func handle(_ event: SessionEvent) -> [SessionAction] {
        var actions = SessionActions()
        handle(event, into: &actions)
        return Array(actions)
    }
}

/// What happens to a session. They are handed over one at a time.
public enum SessionEvent: Sendable {
    case opened
    /// Bytes from the cuff, in any chunking. For HID: one report.
    case received([UInt8])
    /// Bytes that went to the cuff, one write each.
    case sent([UInt8])
    case timerFired(TimerID)
    /// The first `through` readings that this session emitted, counted from its beginning, are on disk in every
    /// required sink. A count, not an id: the id is made outside, and emissions are committed in order.
    case committed(through: Int)
    case command(SessionCommand)
    /// The transport ended, or the capture did.
    case closed
}

/// What a session wants done, in order.
public enum SessionAction: Sendable {
    case write([UInt8])
    /// A HID feature report (report number 0), where the family has one.
    case writeFeature([UInt8])
    /// Indirect, as `identify` is: every action is as large as the largest case, and the others are small.
    indirect case emit(Reading)
    case live(LiveEvent)
    indirect case identify(DeviceIdentity)
    /// The cuff sent what its clock shows at this moment.
    case clock(DeviceTime)
    /// The cuff sent the minutes between its automatic measurements; 0 when they are off.
    case cycle(minutes: Int)
    /// Replaces the timer of the same id.
    case arm(TimerID, Duration)
    case disarm(TimerID)
    /// The next write acknowledges the first `through` readings that this session emitted: from then on an equal record is
    /// another one (`Reading.Repetition.untilAcknowledged`). 0: what earlier conversations left is another one.
    case acknowledge(through: Int)
    /// The conversation starts over, and unacknowledged records may come again; with `isLost` the last acknowledgement did
    /// not reach the cuff either.
    case expectRepetitions(isLost: Bool)
    /// To be kept for the next session with any cuff of this driver (`SessionContext.memory`).
    case remember(key: String, value: [UInt8])
    case report(Diagnostic)
    /// The session has ended, and with it every timer that it armed.
    case finish(Outcome)
}

/// A session may have several timers; each family names its own.
public struct TimerID: RawRepresentable, Sendable, Hashable {
    /// The number that tells a session's timers apart.
    public let rawValue: UInt8
    /// Any number; a family's own timers begin at 4.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// An answer must come before this.
    public static let response = TimerID(rawValue: 0)
    /// Nothing more came: silence is what ends a frame of this family.
    public static let silence = TimerID(rawValue: 1)
    /// The whole measurement or transfer must end before this.
    public static let overall = TimerID(rawValue: 2)
    /// The next poll or keep-alive.
    public static let poll = TimerID(rawValue: 3)
}

/// What the session is asked to do. A driver that cannot, finishes with `Outcome.unsupported` before anything is sent.
public enum SessionCommand: Sendable, Hashable {
    /// Receive what the cuff sends unasked, with only the answers its protocol requires. A bedside monitor that falls silent
    /// without questions is asked for what it shows.
    case follow
    /// Fetch the stored readings, all of them or one user's, then finish. Erases nothing, except where the family's
    /// acknowledgement of a committed reading is itself the deletion.
    case readMemory(user: Int?)
    case measure
    case stop
    case readClock
    case setClock(DeviceTime)
    case information
    case schedule(ScheduleCommand)
    /// Erase stored readings; only ever after they were committed.
    case clear(user: Int?)
}

/// What can be done about the cuff's own automatic measurements.
public enum ScheduleCommand: Sendable, Hashable {
    case get
    case off
    /// Minutes between automatic measurements.
    case every(Int)
}

/// How a session ended.
public enum Outcome: Sendable, Hashable {
    case complete
    case unsupported(String)
    /// The cuff did not answer.
    case noAnswer(String)
    /// The cuff answered against its protocol, or ended the conversation.
    case failed(String)
    case aborted(String)

    /// What went wrong; `nil` when nothing did.
    public var sentence: String? {
        switch self {
        case .complete: nil
        case .unsupported(let why), .noAnswer(let why), .failed(let why), .aborted(let why): why
        }
    }
}

/// A message about the session while it runs; it is logged.
public enum Diagnostic: Sendable, Hashable {
    /// Bytes that belong to no frame.
    case skipped(bytes: Int, FrameFault)
    /// A whole frame with unknown or impossible content.
    case ignored(StaticName, [UInt8])
    /// The number of records that the cuff is about to send; several announcements add up. It serves the display of progress alone.
    case announced(records: Int)
    case note(String)
    case warning(String)

    /// In English, lower case, without a full stop; at most 32 bytes of a frame are shown, as hex.
    public var sentence: String {
        switch self {
        case .skipped(let bytes, let fault): "skipped \(bytes) byte\(bytes == 1 ? "" : "s"): \(fault.sentence)"
        case .ignored(let why, let bytes): "\(why): \(Hex.text(bytes.prefix(32)))\(bytes.count > 32 ? " …" : "")"
        case .announced(let records): "the cuff announces \(records) record\(records == 1 ? "" : "s")"
        case .note(let text), .warning(let text): text
        }
    }
}

/// The context a session is created with.
public struct SessionContext: Sendable {
    /// Identity of the cuff as the host knows it (USB serial number or path); empty when unknown.
    public var device: String
    /// Options of the family, e.g. `variant: inbody`; each driver lists its own.
    public var options: [String: String]
    /// What earlier sessions asked to `remember`.
    public var memory: [String: [UInt8]]
    /// Readings will be `committed`. Without a durable sink they never are, and the session must not wait for it.
    public var keepsReadings: Bool
    /// The bytes are recorded: what an earlier conversation gave must not be left out, or a recording could be read only once.
    public var isRecorded: Bool

    /// Sets each property as given.
    public init(
        device: String = "", options: [String: String] = [:], memory: [String: [UInt8]] = [:], keepsReadings: Bool = true,
        isRecorded: Bool = false
    ) {
        self.device = device
        self.keepsReadings = keepsReadings
        self.isRecorded = isRecorded
        self.options = options
        self.memory = memory
    }

    /// The key under which it is remembered whether a device asks for its clock to be set: one byte, 1 or 0.
    public static func clockWishKey(_ device: String) -> String { "wants-clock/\(device)" }

    /// The devices that asked for it, as remembered.
    public static func clockWishes(in memory: [String: [UInt8]]) -> [String] {
        let start = clockWishKey("")
        return memory.filter { $0.key.hasPrefix(start) && $0.value == [1] }.map { String($0.key.dropFirst(start.count)) }.sorted()
    }
}

extension SessionActions {
    /// Reports a gap between frames.
    public mutating func report(skipped bytes: Int, _ fault: FrameFault) {
        append(.report(.skipped(bytes: bytes, fault)))
    }
}
