/// One cuff's connection as a value: session, ids, clock rule, timers, measurement, counters and the commands still to be
/// executed. It makes every decision and performs none; whoever drives it hands over events and performs the effects.
///
/// The live loop, replays, tests and fuzzers drive this same value. docs/LINK.md has its table of states and events.
///
/// Rules:
/// - Effects are performed in their order, before the next event.
/// - Every `write` is answered by `sent` once the kernel has all of it, or by `closed`.
/// - `timePassed` comes when `deadline` is reached; earlier or later does no harm.
/// - After the effect `close` and the notice `ended`, every event is ignored.
public struct LinkState: Sendable {
    enum Phase: Sendable, Equatable {
        /// Before `opened`.
        case waiting
        case open
        /// The outcome is known; the last writes are still on their way to the cuff.
        case draining(Outcome)
        case ended
    }

    /// Bytes that may wait to be written. The longest message that a session writes has 8 KiB, and a batch of confirmations
    /// 4 KiB: a peer that has not accepted sixteen of these does not read.
    public static let outputLimit = 1 << 16
    /// Batches beyond this come from files; a cuff's are smaller.
    static let smallBatch = 64
    /// A peer that accepts nothing of a full output for this long is disconnected: ten times the three seconds that IEEE 11073 gives an
    /// answer, and longer than any pause of a vendor protocol.
    static let stalledOutputLimit = Duration.seconds(30)
    /// Time-out for the last writes. 16 bytes at 2400 bit/s are 70 ms.
    static let drainLimit = Duration.seconds(2)

    /// The driver of the cuff; it does not change while the link lives.
    public let driver: CuffDriver
    var setup: Setup
    var phase = Phase.waiting
    var session: any CuffSession
    var ledger: ReadingLedger
    /// `nil` where readings get no time of their own: bytes from a file, without a zone.
    var clock: ClockCorrection?
    var held = HeldReadings()
    var deadlines = LinkDeadlines()
    /// The measurement under `.measure`.
    var measurement: Measurement?
    /// When the measurement under way began, or its first live event came.
    var measuringSince: Duration?
    var beatGap = BeatGap()
    /// Which reading a correction is of; and of a recording, what is remembered of it.
    var references = ReadingReferences()
    var recordedReferences: [String: [UInt8]] = [:]
    /// Readings among those being admitted that are not to be kept.
    var dropped: [Int] = []
    var sampleClock = SampleClock()
    /// The cuff's own record of its failure went to the sinks, so no second end is reported.
    var hasFailureRecord = false

    var commands: [SessionCommand]
    var command: SessionCommand?
    /// How the present session ended, once it has finished.
    var outcome: Outcome?
    var isTransportClosed = false
    /// Session events that effects of a measurement bring about; handled before anything else.
    var pending: [SessionEvent] = []
    var actions = SessionActions()
    /// What was emitted since the last `submit`. Readings beyond `admitted` are not named yet.
    var entries = Entries()
    var admitted = 0
    /// Readings emitted on this link, and how many of them before the present session began.
    public internal(set) var emitted = 0
    var sessionStart = 0
    /// Something was emitted since the last `submit`, duplicates included.
    var hasUnsubmitted = false
    var identity: DeviceIdentity?
    /// What was written and not answered by `sent` so far.
    var unsent = UnsentWrites()
    /// Unsent writes up to the last acknowledgement; and whether the next write is one.
    var unsentAcknowledgement = 0
    var acknowledgesNext = false
    /// What of the ledger's outstanding records was handed over to be kept.
    var kept: [UInt8]
    var areSinksFull = false
    /// Nothing is to be read from the cuff at present.
    public internal(set) var isReadingPaused = false
    var pausedSince = Duration.zero
    var now = LinkTime(elapsed: .zero)
    var stored = LinkCounters()
    /// Frames of earlier sessions on this link, and messages from the cuff in the present one.
    var framesBefore = 0
    var messages = 0

    /// A link before its first event. The first event must be `opened`.
    public init(_ setup: Setup) {
        driver = setup.driver
        self.setup = setup
        commands = setup.commands
        session = setup.driver.makeSession(setup.context)
        clock = setup.zone.map { ClockCorrection(zone: $0) }
        let outstanding = setup.outstanding(setup.device)
        kept = outstanding.bytes
        ledger = ReadingLedger(device: setup.device, driver: setup.driver.id, outstanding: outstanding)
    }

    // MARK: What can be asked

    /// When `timePassed` is to come; `nil`: nothing is waited for.
    public var deadline: Duration? { phase == .ended ? nil : deadlines.next }
    /// The link is over: further events are ignored.
    public var isEnded: Bool { phase == .ended }
    /// A measurement that this link was asked for is under way.
    public var isMeasuring: Bool { measurement != nil }
    /// Nothing but listening is under way, so `measureNow` would begin.
    public var isListening: Bool { phase == .open && command == .follow && commands.isEmpty && !isTransportClosed }
    /// There is something to be handed over by `flush`.
    public var hasNews: Bool { hasUnsubmitted || !entries.isEmpty }
    /// Whether `committed` makes a difference to the session.
    public var hearsCommits: Bool { session.hearsCommits }
    /// The cuff's readings are kept under this key.
    public var device: String { ledger.device }

    /// What went through so far. A HID report is a frame; other families without frames of their own have none to count.
    public var counters: LinkCounters {
        var counters = stored
        counters.frames = framesBefore + (session.frames ?? (driver.medium == .hidraw ? messages : 0))
        return counters
    }

    // MARK: Events

    /// Handles one event and appends what is to be done, in order. Never blocks and never traps, whatever the bytes.
    public mutating func handle(_ event: LinkEvent, at time: LinkTime, into effects: inout [LinkEffect]) {
        guard phase != .ended else { return }
        now = time
        placeHeld(&effects)
        switch event {
        case .received(let bytes):
            stored.bytes += bytes.count
            messages += 1
            tellSession(.received(bytes), &effects)
        case .sent(let bytes): sent(bytes, &effects)
        case .committed(let through):
            if through > sessionStart { tellSession(.committed(through: through - sessionStart), &effects) }
        case .passedOn(let through):
            // A cuff that forgets what was acknowledged gets no acknowledgement: no sink has stored it.
            if !setup.forgets, through > sessionStart { tellSession(.committed(through: through - sessionStart), &effects) }
        case .timePassed: fireTimers(&effects)
        case .opened:
            phase = .open
            if let limit = setup.silenceLimit { deadlines.arm(.silence, at: now.elapsed + limit) }
            tellSession(.opened, &effects)
            nextCommand(&effects)
        case .sinksFull(let isFull): setSinksFull(isFull, &effects)
        case .thinned(let samples):
            stored.thinned += samples
            effects.append(.tell(.diagnostic(.note("\(samples) live sample\(samples == 1 ? "" : "s") left out: a sink is slow"))))
        case .command(let command): tellSession(.command(command), &effects)
        case .measureNow(let trigger):
            guard isListening else { break }
            setup.trigger = trigger
            commands = [.measure, .follow]
            nextSession(&effects)
        case .stopMeasurement: stopMeasuring(&effects)
        case .stop(let limit): stop(within: limit, &effects)
        case .line(let event):
            effects.append(.tell(.diagnostic(.warning("the line reports: \(event.text)"))))
        case .closed(let reason): closed(reason, &effects)
        }
        conclude(&effects)
    }

    /// Hands over what was emitted since the last time. Readings that were duplicates still count: their commit follows the
    /// original's.
    public mutating func flush(into effects: inout [LinkEffect]) { flush(through: emitted, &effects) }

    /// The same up to the emission `through`, where later ones of the same event are still to be named.
    mutating func flush(through: Int, _ effects: inout [LinkEffect]) {
        guard hasNews else { return }
        hasUnsubmitted = false
        admitted = 0
        keepOutstanding(durably: true, &effects)
        var batch = LinkBatch(device: ledger.device, identity: identity, through: through)
        swap(&batch.entries, &entries)
        // The next batch is as a rule about as large as this one; an array without room to spare is often moved once more.
        let count = batch.entries.readings.count
        if count > Self.smallBatch { entries.reserveCapacity(count + count / 4) }
        effects.append(.submit(batch))
    }

    mutating func sent(_ bytes: [UInt8], _ effects: inout [LinkEffect]) {
        let isFormer = unsent.take(bytes) == .formerSession
        unsentAcknowledgement = max(0, unsentAcknowledgement - 1)
        updateReadingPause(&effects)
        // To the present session, the last words of the one before it would be somebody else's.
        if !isFormer { tellSession(.sent(bytes), &effects) }
        if case .draining(let outcome) = phase, unsent.isEmpty { end(outcome, &effects) }
    }

    mutating func fireTimers(_ effects: inout [LinkEffect]) {
        while phase != .ended, let timer = deadlines.takeDue(at: now.elapsed) {
            switch timer {
            case .session(let id): tellSession(.timerFired(id), &effects)
            case .measurement: step(&effects) { $0.timedOut(into: &$1) }
            case .deflation: step(&effects) { $0.waitedForDeflation(into: &$1) }
            case .lastWrites: if case .draining(let outcome) = phase { end(outcome, &effects) }
            case .stop: closed(nil, &effects)
            case .stalledOutput: finish(.aborted("the other side takes nothing of what is written to it"))
            case .silence: dropIfSilent(&effects)
            case .hostClock: if !held.isEmpty { deadlines.arm(.hostClock, at: now.elapsed + HeldReadings.interval) }
            }
            conclude(&effects)
        }
    }

    mutating func setSinksFull(_ isFull: Bool, _ effects: inout [LinkEffect]) {
        guard isFull != areSinksFull else { return }
        areSinksFull = isFull
        if isFull {
            deadlines.freeze(at: now.elapsed)
            pausedSince = now.elapsed
            stored.pauses += 1
        } else {
            stored.paused += now.elapsed - pausedSince
            deadlines.thaw(at: now.elapsed)
        }
        updateReadingPause(&effects)
    }

    /// Nothing is read while the sinks are full, nor from a peer that does not take what is written to it.
    mutating func updateReadingPause(_ effects: inout [LinkEffect]) {
        let isOutputFull = unsent.bytes > Self.outputLimit
        if isOutputFull {
            deadlines.arm(.stalledOutput, at: now.elapsed + Self.stalledOutputLimit)
        } else {
            deadlines.disarm(.stalledOutput)
        }
        let isPaused = areSinksFull || isOutputFull
        guard isPaused != isReadingPaused else { return }
        isReadingPaused = isPaused
        effects.append(isPaused ? .pauseReading : .resumeReading)
    }

    mutating func dropIfSilent(_ effects: inout [LinkEffect]) {
        guard counters.frames == 0, let limit = setup.silenceLimit else { return }
        effects.append(
            .tell(
                .diagnostic(
                    .warning("nothing that could be understood came within \(limit.components.seconds) s; the line is closed"))))
        commands.removeAll()
        closed(nil, &effects)
    }

    mutating func stop(within limit: Duration, _ effects: inout [LinkEffect]) {
        // The last writes are on their way, and have a limit of their own.
        if case .draining = phase { return }
        commands.removeAll()
        if isMeasuring { stopMeasuring(&effects) } else if !endInOrder(&effects) { return closed(nil, &effects) }
        deadlines.arm(.stop, at: now.elapsed + limit)
    }

    mutating func closed(_ reason: String?, _ effects: inout [LinkEffect]) {
        isTransportClosed = true
        let why = reason ?? "the line was closed"
        // What the kernel had taken counts as received; what it had not is lost.
        if unsentAcknowledgement > 0 {
            unsentAcknowledgement = 0
            ledger.expectRepetitions(isLost: true)
            keepOutstanding(durably: true, &effects)
        }
        if case .draining(let outcome) = phase { return end(outcome, &effects) }
        tellSession(.closed, &effects)
        endMeasuring(why, &effects)
        // A session without closing messages ends at once.
        finish(.aborted(why))
    }
}
