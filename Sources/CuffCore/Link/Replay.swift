/// Drives a `LinkState` with recorded bytes: a capture is a transport with recorded input.
///
/// The capture's `>` lines are given to the link as `sent`, and what the session itself would write is kept back. A recording
/// of one side only has no such lines: there the session's own writes are what was sent. Readings count as committed at
/// once. Time is the capture's own; no clock is asked.
public struct Replay: Sendable {
    /// The link that the capture drives; readable for its counters and state.
    public private(set) var link: LinkState
    /// What the link wants done, e.g. batches to be stored; whoever drives the replay performs and empties it. It
    /// includes the writes, which need nothing more.
    public var effects: [LinkEffect] = []
    /// The instant of the capture's time 0, where it is known.
    public var start: Timestamp? { didSet { setTime() } }
    /// Whether the clock that `start` was taken from was not synchronised.
    public var isStartUnsynchronised = false { didSet { setTime() } }
    /// What the session wrote, where `keepsWrites` asks for it.
    public private(set) var writes: [[UInt8]] = []
    private let keepsWrites: Bool

    /// The capture's time, once more in whole milliseconds, and when that was.
    private var now = Duration.zero
    private var milliseconds: Int64 = 0
    private var time = LinkTime(elapsed: .zero)
    /// Writes that wait for the next item, which shows whether the capture has its own.
    private var held: [[UInt8]] = []
    private var isTwoSided = false
    private let isLoopback: Bool

    /// `looksAhead` is for captures with two sides: the session's own writes are held until the next line shows whether
    /// the capture has its own. Plain bytes (`cuff decode`) have none.
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

    /// Plays one item: advances the time to that of the item, fires the timers that are due, then hands over its content.
    public mutating func play(_ item: CaptureItem) {
        if let time = item.time { advance(to: .microseconds(time), milliseconds: time / 1000) }
        switch item.content {
        case .fromCuff(let bytes): play(bytes: bytes)
        case .toCuff(let bytes):
            // From here on the session's own writes are kept back, and no `sent` answers them.
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

    /// Bytes from the cuff with nothing known about the other side.
    public mutating func play(bytes: [UInt8]) {
        releaseHeld()
        handle(.transport(.received(bytes)))
    }

    /// The recording is over.
    public mutating func end() {
        releaseHeld()
        handle(.transport(.closed(nil)))
    }

    /// Adds the batch of what was emitted since the last time to `effects`.
    public mutating func flush() { link.flush(into: &effects) }

    private mutating func releaseHeld() {
        while !held.isEmpty {
            let first = held.removeFirst()
            if !isTwoSided { handle(.transport(.sent(first))) }
        }
    }

    /// Fires the timers that are due until then, each at its own time. A session that listens arms its idle timer again and again,
    /// and a gap of years would be millions of turns; so from the turn `exactTurns` on the steps double, and a timer may fire late.
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

    /// No measurement has a gap in which so many timers fire: the longest waits of any protocol are polls of a second for a minute.
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

    /// What the effects from `first` on write. A capture's output is never full, and its end is its own: nothing else is done.
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
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        let parts = components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
