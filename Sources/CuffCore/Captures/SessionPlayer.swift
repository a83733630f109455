/// Plays recorded bytes through a session, and hands out what a live link would have handed to the pipeline.
///
/// The capture's `>` lines are given to the session as `sent`, and what the session itself would write is kept back. A
/// recording of one side only has no such lines: there the session's own writes are what was sent.
/// Readings count as committed at once. Timers fire by the capture's own times, never by a clock.
public struct SessionPlayer: Sendable {
    public private(set) var session: any CuffSession
    public private(set) var ledger: ReadingLedger
    private let driver: DriverID
    /// What the capture said the cuff is, until the cuff says more.
    private let device: String

    public var entries = Entries()
    public private(set) var diagnostics: [Diagnostic] = []
    /// Bytes of the cuff that were played.
    public private(set) var bytes = 0
    public private(set) var writes: [[UInt8]] = []
    public private(set) var remembered: [(key: String, value: [UInt8])] = []
    public private(set) var identity: DeviceIdentity?
    public private(set) var outcome: Outcome?
    /// Identities that were told since they were last taken, each with how many of `entries` stood before it: those
    /// belong to the former one.
    public private(set) var identified: [(before: Int, identity: DeviceIdentity)] = []

    private var actions = SessionActions()
    private var emitted = 0
    /// How many readings at the front of `entries` are named and new.
    private var admitted = 0
    /// The timers that are armed, in the order of arming: few at any time.
    private var timers: [(id: TimerID, due: Int64)] = []
    private var now: Int64 = 0
    private var held: [[UInt8]] = []
    private var isTwoSided = false
    private let isLoopback: Bool
    /// Instant of the capture's time 0, where it is known.
    public var start: Timestamp?
    /// Only a record that nothing but its arrival tells from an equal one has a receive time: the bytes may be of now, and
    /// what carries a time of its own reads the same at any time.
    public var timesClocklessOnly = false
    public var keepsWrites = false

    /// `looksAhead` is for captures with two sides: the session's own writes are held until the next line shows whether
    /// the capture has its own. Plain bytes (`cuff decode`) have none.
    public init(
        _ driver: CuffDriver, context: SessionContext = SessionContext(), looksAhead: Bool = true,
        start: Timestamp? = nil
    ) {
        self.driver = driver.id
        device = context.device
        session = driver.makeSession(context)
        ledger = ReadingLedger(device: context.device, driver: driver.id)
        isLoopback = !looksAhead
        self.start = start
        send(.opened)
        send(.command(.follow))
    }

    public mutating func play(_ item: CaptureItem) {
        if let time = item.time { advance(to: time) }
        switch item.content {
        case .fromCuff(let bytes):
            play(bytes: bytes)
        case .toCuff(let bytes):
            isTwoSided = true
            held.removeAll()
            send(.sent(bytes))
        case .event(.silence):
            releaseHeld()
            if let first = timers.min(by: { $0.due < $1.due }) { advance(to: first.due) }
        case .event(.unplugged): end()
        case .event(let event): diagnostics.append(.note("the capture says: \(DeviceIdentity.text(event.text.utf8))"))
        }
    }

    /// Bytes from the cuff with nothing known about the other side.
    public mutating func play(bytes: [UInt8]) {
        self.bytes += bytes.count
        releaseHeld()
        send(.received(bytes))
    }

    public mutating func end() {
        releaseHeld()
        send(.closed)
    }

    public mutating func takeIdentified() -> [(before: Int, identity: DeviceIdentity)] {
        defer { identified.removeAll(keepingCapacity: true) }
        return identified
    }

    public mutating func takeDiagnostics() -> [Diagnostic] {
        defer { diagnostics.removeAll(keepingCapacity: true) }
        return diagnostics
    }

    private mutating func releaseHeld() {
        while !held.isEmpty {
            let first = held.removeFirst()
            if !isTwoSided { send(.sent(first)) }
        }
    }

    private mutating func advance(to time: Int64) {
        while let first = timers.min(by: { $0.due < $1.due }), first.due <= time {
            releaseHeld()
            disarm(first.id)
            now = max(now, first.due)
            send(.timerFired(first.id))
        }
        now = max(now, time)
    }

    private mutating func disarm(_ timer: TimerID) { timers.removeAll { $0.id == timer } }

    private mutating func send(_ event: SessionEvent) {
        // The session appends to the readings that wait to be taken, so that none has to be moved afterwards.
        let waiting = entries.readings.count
        swap(&entries.readings, &actions.readings)
        session.handle(event, into: &actions)
        swap(&entries.readings, &actions.readings)
        let emissions = entries.readings.count - waiting
        if emissions == 0 && actions.others.isEmpty { return }
        let before = emitted
        var loopback: [[UInt8]] = []
        var seen = waiting
        admitted = waiting
        for index in actions.others.indices {
            admit(seen..<actions.others[index].after)
            seen = actions.others[index].after
            if case .write(let bytes) = actions.others[index].action, isLoopback, !keepsWrites {
                loopback.append(bytes)
            } else {
                perform(actions.others[index].action, &loopback)
            }
        }
        actions.removeAll()
        admit(seen..<entries.readings.count)
        emitted += emissions
        entries.readings.removeLast(entries.readings.count - admitted)
        for bytes in loopback { send(.sent(bytes)) }
        if emitted > before { send(.committed(through: emitted)) }
    }

    /// Names the readings in place and moves the new ones to the front.
    ///
    /// Two passes: what a hash finds in a table cannot be foreseen, and a processor that guessed wrong about one reading throws
    /// away what it had done for the next ones. In a pass of its own that is little.
    private mutating func admit(_ range: Range<Int>) {
        let received = start.map { Timestamp(milliseconds: $0.milliseconds + now / 1000) }
        for index in range { ledger.name(&entries.readings[index], received: received) }
        if timesClocklessOnly {
            for index in range where !ReadingLedger.restsOnArrival(entries.readings[index]) { entries.readings[index].received = nil }
        }
        for index in range
        where ledger.isNew(
            entries.readings[index].id.hash, revision: entries.readings[index].revision, isPending: entries.readings[index].isPending)
        {
            if admitted < index { entries.readings.swapAt(admitted, index) }
            admitted += 1
        }
    }

    private mutating func perform(_ action: SessionAction, _ loopback: inout [[UInt8]]) {
        switch action {
        case .emit: break
        case .live(let event): entries.append(event, driver: driver, elapsed: nil, afterReadings: admitted)
        case .write(let bytes), .writeFeature(let bytes):
            if keepsWrites { writes.append(bytes) }
            if isLoopback { loopback.append(bytes) } else if !isTwoSided { held.append(bytes) }
        case .identify(let identity):
            self.identity = identity
            identified.append((entries.place(afterReadings: admitted), identity))
            ledger.identify(identity.id.isEmpty ? device : identity.id, driver: driver)
        case .arm(let timer, let duration):
            let (seconds, attoseconds) = duration.components
            disarm(timer)
            timers.append((timer, now + seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        case .disarm(let timer): disarm(timer)
        case .remember(let key, let value): remembered.append((key, value))
        case .acknowledge(let through): ledger.acknowledge(through: through)
        case .expectRepetitions(let isLost): ledger.expectRepetitions(isLost: isLost)
        case .report(let diagnostic): diagnostics.append(diagnostic)
        case .finish(let outcome): if self.outcome == nil { self.outcome = outcome }
        case .clock, .cycle: break
        }
    }
}
