/// One conversation with one cuff as a state machine, without I/O, clock or thread. The same session serves a live cuff, a replay, a fuzzer
/// and a test.
/// - It begins silent. Nothing is written before a `command`; `.follow` allows only answers the protocol needs, and polls of a monitor that
///   sends nothing unasked, possible only if the user assigned its driver.
/// - Requests are recognised by `sent`, not by the session's own writes: in a replay other software sent them.
/// - A byte that the protocol does not allow becomes a report; it never traps and is never guessed.
/// - The result does not depend on how `received` is cut.
public protocol CuffSession: Sendable {
    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions)
    /// The host wants to end. Returns whether the session still has to write; `finish` then follows. Called only live.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool
    /// Removes the unread bytes after those that finished the session; they belong to the next one.
    mutating func takeUnread() -> [UInt8]
    /// Whole frames so far; `nil` if the family has none (reports are counted, or answers have a known length).
    var frames: Int? { get }
    /// Whether the session uses `committed`: to acknowledge to the cuff, or to request the next record.
    var hearsCommits: Bool { get }
}

extension CuffSession {
    /// Default: no frames to count.
    public var frames: Int? { nil }
    /// Default: no unread bytes.
    public mutating func takeUnread() -> [UInt8] { [] }
    /// Default: nothing to write.
    public mutating func endInOrder(into actions: inout SessionActions) -> Bool { false }
    /// Default: commits are used.
    public var hearsCommits: Bool { true }

    /// `handle` with a new array of actions; for tests and small tools.
    public mutating func handle(_ event: SessionEvent) -> [SessionAction] {
        var actions = SessionActions()
        handle(event, into: &actions)
        return Array(actions)
    }
}

/// An input to a session, passed one at a time.
public enum SessionEvent: Sendable {
    case opened
    /// Bytes from the cuff, in any chunking. For HID: one report.
    case received([UInt8])
    case sent([UInt8])
    case timerFired(TimerID)
    /// The session's first `through` readings are on disk in every required sink. A count, because ids are made outside.
    case committed(through: Int)
    case command(SessionCommand)
    case closed
}

/// An action of a session; performed in order.
public enum SessionAction: Sendable {
    case write([UInt8])
    /// A HID feature report (report number 0).
    case writeFeature([UInt8])
    /// Indirect, as `identify`, because every action takes the size of the largest case.
    indirect case emit(Reading)
    case live(LiveEvent)
    indirect case identify(DeviceIdentity)
    /// The present time of the cuff's clock.
    case clock(DeviceTime)
    /// Minutes between the cuff's automatic measurements; 0: off.
    case cycle(minutes: Int)
    /// Replaces the timer of the same id.
    case arm(TimerID, Duration)
    case disarm(TimerID)
    /// The next write acknowledges the session's first `through` readings: later equal records are new
    /// (`Reading.Repetition.untilAcknowledged`). 0: only those of earlier conversations.
    case acknowledge(through: Int)
    /// The conversation restarts, and unacknowledged records may be repeated; with `isLost`, also those of the last acknowledgement.
    case expectRepetitions(isLost: Bool)
    /// Store for the next session with any cuff of this driver (`SessionContext.memory`).
    case remember(key: String, value: [UInt8])
    case report(Diagnostic)
    /// The session and its timers have ended.
    case finish(Outcome)
}

/// Identifies a timer of a session; each family defines its own.
public struct TimerID: RawRepresentable, Sendable, Hashable {
    /// Unique within a session.
    public let rawValue: UInt8
    /// A family's own timers begin at 4.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Time-out of an answer.
    public static let response = TimerID(rawValue: 0)
    /// Silence ends a frame of this family.
    public static let silence = TimerID(rawValue: 1)
    /// Time-out of the whole measurement or transfer.
    public static let overall = TimerID(rawValue: 2)
    /// The next poll or keep-alive.
    public static let poll = TimerID(rawValue: 3)
}

/// A command to a session. A driver without the capability finishes with `Outcome.unsupported` before anything is sent.
public enum SessionCommand: Sendable, Hashable {
    /// Receive what the cuff sends unasked, with only the required answers. A silent bedside monitor is polled for its result.
    case follow
    /// Read the stored readings, of one user or all. Erases nothing, unless acknowledging a committed reading deletes it.
    case readMemory(user: Int?)
    case measure
    case stop
    case readClock
    case setClock(DeviceTime)
    case information
    case schedule(ScheduleCommand)
    /// Erase stored readings, only after they were committed.
    case clear(user: Int?)
}

/// A command for the cuff's own automatic measurements.
public enum ScheduleCommand: Sendable, Hashable {
    case get
    case off
    case every(Int)
}

/// The end of a session.
public enum Outcome: Sendable, Hashable {
    case complete
    case unsupported(String)
    case noAnswer(String)
    /// The cuff answered against its protocol, or ended the conversation.
    case failed(String)
    case aborted(String)

    /// The error, if any.
    public var sentence: String? {
        switch self {
        case .complete: nil
        case .unsupported(let why), .noAnswer(let why), .failed(let why), .aborted(let why): why
        }
    }
}

/// A message of a running session, for the log.
public enum Diagnostic: Sendable, Hashable {
    case skipped(bytes: Int, FrameFault)
    /// A whole frame with unknown or impossible content.
    case ignored(StaticName, [UInt8])
    /// The number of records the cuff is about to send; announcements add up. For the display of progress only.
    case announced(records: Int)
    case note(String)
    case warning(String)

    /// In English, lower case, without a full stop, with at most 32 bytes of a frame as hex.
    public var sentence: String {
        switch self {
        case .skipped(let bytes, let fault): "skipped \(bytes) byte\(bytes == 1 ? "" : "s"): \(fault.sentence)"
        case .ignored(let why, let bytes): "\(why): \(Hex.text(bytes.prefix(32)))\(bytes.count > 32 ? " …" : "")"
        case .announced(let records): "the cuff announces \(records) record\(records == 1 ? "" : "s")"
        case .note(let text), .warning(let text): text
        }
    }
}

/// The configuration of a session.
public struct SessionContext: Sendable {
    /// The cuff's identity as known to the host (USB serial number or path); empty if unknown.
    public var device: String
    /// Options of the family, e.g. `variant: inbody`; each driver lists its own.
    public var options: [String: String]
    /// Data that earlier sessions asked to `remember`.
    public var memory: [String: [UInt8]]
    /// Readings will be `committed`. Without a durable sink they are not, and the session must not wait for it.
    public var keepsReadings: Bool
    /// The bytes are a recording: nothing may be left out because an earlier conversation gave it.
    public var isRecorded: Bool

    /// Creates a context.
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

    /// The `memory` key for whether a device asks for its clock to be set: one byte, 1 or 0.
    public static func clockWishKey(_ device: String) -> String { "wants-clock/\(device)" }

    /// The devices that asked for it, according to `memory`.
    public static func clockWishes(in memory: [String: [UInt8]]) -> [String] {
        let start = clockWishKey("")
        return memory.filter { $0.key.hasPrefix(start) && $0.value == [1] }.map { String($0.key.dropFirst(start.count)) }.sorted()
    }
}
