/// Drives a `LinkState` with a recording. `>` lines of the capture are passed as `sent`, and the session's own writes are discarded; in a
/// one-sided recording the session's own writes count as sent. Readings are committed at once. Time is the capture's.
public struct Replay: Sendable {
    /// The link, readable for its counters and state.
    public private(set) var link: LinkState
    /// The link's effects, e.g. batches to store, performed and removed by the owner of the replay. Writes need no action.
    public var effects: [LinkEffect] = []
    /// The instant of the capture's time 0, if known.
    public var start: Timestamp? { didSet { setTime() } }
    /// The clock of `start` was not synchronised.
    public var isStartUnsynchronised = false { didSet { setTime() } }
    /// The session's writes, if `keepsWrites` is set.
    public private(set) var writes: [[UInt8]] = []
    private let keepsWrites: Bool

    /// The capture's time, also in whole milliseconds.
    private var now = Duration.zero
    private var milliseconds: Int64 = 0
    private var time = LinkTime(elapsed: .zero)
    /// Writes held until the next item shows whether the capture has its own.
    private var held: [[UInt8]] = []
    private var isTwoSided = false
    private let isLoopback: Bool

    /// `looksAhead` is for two-sided captures: the session's writes are held until the next line shows whether the capture has its own.
    public init(_ setup: LinkState.Setup, looksAhead: Bool = true, keepsWrites: Bool = false, start: Timestamp? = nil) {
        var setup = setup
        setup.isRecorded = true
        link = LinkState(setup)
        isLoopback = !looksAhead
        self.keepsWrites = keepsWrites
        self.start = start
        setTime()
        handle(.transport(.opened))
    }

    /// Advances the time to that of the item, firing due timers, then plays the item.
    public mutating func play(_ item: CaptureItem) {
        if let time = item.time { advance(to: .microseconds(time), milliseconds: time / 1000) }
        switch item.content {
        case .fromCuff(let bytes): play(bytes: bytes)
        case .toCuff(let bytes):
            // From here on the session's own writes are discarded without `sent`.
            if !isTwoSided { link.output.ignoreWrites() }
            isTwoSided = true
            held.removeAll()
            handle(.transport(.sent(bytes)))
        case .event(.silence):
            releaseHeld()
            if let next = link.deadline { advance(to: next, milliseconds: next.milliseconds) }
        case .event(.unplugged): end()
        case .event(let event):
            effects.append(.notify(.diagnostic(.note("the capture says: \(DeviceIdentity.text(event.text.utf8))"))))
        }
    }

    /// Plays bytes from the cuff without a record of the other side.
    public mutating func play(bytes: [UInt8]) {
        releaseHeld()
        handle(.transport(.received(bytes)))
    }

    /// Ends the recording.
    public mutating func end() {
        releaseHeld()
        handle(.transport(.closed(nil)))
    }

    /// Appends the batch of what was emitted since the last call to `effects`.
    public mutating func flush() { link.flush(into: &effects) }

    private mutating func releaseHeld() {
        while !held.isEmpty {
            let first = held.removeFirst()
            if !isTwoSided { handle(.transport(.sent(first))) }
        }
    }

    /// Fires the timers due until `time`, each at its own time. A listening session rearms its idle timer, so a gap of years would be
    /// millions of turns; after `exactTurns` the steps double, and a timer may fire late.
    private mutating func advance(to time: Duration, milliseconds: Int64) {
        var turns = 0
        var step = Duration.zero
        while let due = link.deadline, due <= time {
            releaseHeld()
            turns += 1
            if turns > Self.exactTurns { step = step == .zero ? .seconds(1) : step * 2 }
            let next = min(max(due, now + step), time)
            pass(to: next, milliseconds: next.milliseconds)
            handle(.timePassed)
        }
        pass(to: time, milliseconds: milliseconds)
    }

    /// No measurement fires so many timers in a gap: the longest waits of any protocol are polls of a second for a minute.
    private static let exactTurns = 64

    /// Time never runs backwards, whatever the capture says.
    private mutating func pass(to time: Duration, milliseconds: Int64) {
        guard time > now else { return }
        (now, self.milliseconds) = (time, milliseconds)
        setTime()
    }

    private mutating func setTime() {
        time = LinkTime(
            elapsed: now, wall: start.map { Timestamp(milliseconds: $0.milliseconds + milliseconds) },
            isHostClockUnsynchronised: isStartUnsynchronised)
    }

    private mutating func handle(_ event: LinkEvent) {
        let (before, first) = (link.emitted, effects.count)
        link.handle(event, at: time, into: &effects)
        if effects.count > first { noteWrites(from: first) }
        if link.emitted > before, link.hearsCommits { handle(.committed(through: link.emitted)) }
    }

    /// Handles the writes among the effects from `first`.
    private mutating func noteWrites(from first: Int) {
        var loopback: [[UInt8]] = []
        for index in first..<effects.count {
            guard let bytes = effects[index].written else { continue }
            if keepsWrites { writes.append(bytes) }
            if isLoopback { loopback.append(bytes) } else if !isTwoSided { held.append(bytes) }
        }
        for bytes in loopback { handle(.transport(.sent(bytes))) }
    }
}

extension Duration {
    var milliseconds: Int64 {
        let parts = components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
