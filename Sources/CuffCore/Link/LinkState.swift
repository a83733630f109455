/// One cuff's connection as a value: session, ids, clock rule, timers, measurement, counters and the commands still to be
/// obeyed. It makes every decision and does nothing; whoever drives it hands over events and performs the effects.
///
/// The live loop, replays, tests and fuzzers drive this same value. ARCHITECTURE.md has its table of states and events.
///
/// Rules:
/// - Effects are performed in their order, before the next event.
/// - Every `write` is answered by `sent` once the kernel has all of it, or by `closed`.
/// - `timePassed` comes when `deadline` is reached; earlier or later does no harm.
/// - After the effect `close` and the notice `ended`, every event is ignored.
public struct LinkState: Sendable {
    /// What a link needs to know before it begins.
    public struct Setup: Sendable {
        public var driver: CuffDriver
        /// Who the cuff is as far as the host knows, e.g. a USB serial number or a path; empty when unknown.
        public var device: String
        /// Options of the driver's family.
        public var options: [String: String]
        /// What earlier links with cuffs of this driver asked to be remembered.
        public var memory: [String: [UInt8]]
        /// The zone of the cuff's clock. Without it readings get no `measured`.
        public var zone: ZoneTable?
        /// With a zone: only readings that have a receive time are given a time.
        public var placesArrivalsOnly = false
        /// Only a record that nothing but its arrival tells from an equal one has a receive time: the bytes may be of now, and
        /// what carries a time of its own reads the same at any time.
        public var timesClocklessOnly = false
        /// Readings will be `committed`. Without a place that keeps them they never are, and are not to be waited for.
        public var keepsReadings = true
        /// What an earlier link with the cuff of this name left unacknowledged.
        public var outstanding: @Sendable (_ device: String) -> OutstandingRecords = { _ in OutstandingRecords() }
        /// A measurement that another process left behind and the first command, a stop, ends.
        public var recovering: AbandonedMeasurement?
        /// A line without a whole frame within this is closed; `nil`: it may stay silent.
        public var silenceLimit: Duration?
        /// The bytes are recorded: they may go on after the session has said how it ended, and are heard to their end.
        public var isRecorded = false
        /// Obeyed one after the other, each in a session of its own.
        public var commands: [SessionCommand]
        /// Which readings are wanted; `nil`: all. What it leaves out is counted, and not stored.
        public var accepts: (@Sendable (Reading) -> Bool)?
        /// Who asked for a measurement.
        public var trigger = Reading.Trigger.manual
        /// The longest a measurement may take.
        public var measurementLimit = Measurement.longest

        public init(
            _ driver: CuffDriver, device: String = "", options: [String: String] = [:], memory: [String: [UInt8]] = [:],
            commands: [SessionCommand] = [.follow]
        ) {
            self.driver = driver
            self.device = device
            self.options = options
            self.memory = memory
            self.commands = commands
        }

        var context: SessionContext {
            SessionContext(device: device, options: options, memory: memory, keepsReadings: keepsReadings || !forgets)
        }
        var forgets: Bool { driver.forgets(options) }
    }

    enum Phase: Sendable, Equatable {
        /// Before `opened`.
        case waiting
        case open
        /// The outcome is known; the last writes are still on their way to the cuff.
        case draining(Outcome)
        case ended
    }

    /// Bytes that may wait to be written. The longest message that a session writes has 8 KiB, and a batch of confirmations
    /// 4 KiB: a peer that has not taken sixteen of these does not listen.
    public static let outputLimit = 1 << 16
    /// A peer that takes nothing of a full output for so long is given up: ten times the three seconds that IEEE 11073 gives an
    /// answer, and longer than any pause of a vendor protocol.
    static let stalledOutputLimit = Duration.seconds(30)
    /// A cuff that does not take the last writes within this will not take them. 16 bytes at 2400 bit/s are 70 ms.
    static let drainLimit = Duration.seconds(2)

    public let driver: CuffDriver
    private(set) var setup: Setup
    private(set) var phase = Phase.waiting
    private(set) var session: any CuffSession
    var ledger: ReadingLedger
    /// `nil` where readings get no time of their own: bytes from a file, without a zone.
    private var clock: ClockCorrection?
    var deadlines = LinkDeadlines()
    /// The measurement under `.measure`.
    var measurement: Measurement?
    /// When the measurement under way began, or its first live event came.
    var measuringSince: Duration?
    /// The cuff's own record of its failure went to the sinks, so that no end is told beside it.
    var hasFailureRecord = false

    private var commands: [SessionCommand]
    private var command: SessionCommand?
    /// How the present session ended, once it said so.
    private var outcome: Outcome?
    private var isTransportClosed = false
    /// Session events that effects of a measurement bring about; handled before anything else.
    var pending: [SessionEvent] = []
    private var actions = SessionActions()
    /// What was emitted since the last `submit`. Readings beyond `admitted` are not named yet.
    var entries = Entries()
    var admitted = 0
    /// Readings emitted on this link, and how many of them before the present session began.
    public private(set) var emitted = 0
    private var sessionStart = 0
    /// Something was emitted since the last `submit`, duplicates included.
    private var hasUnsubmitted = false
    private var identity: DeviceIdentity?
    private var unsentBytes = 0
    private var unsentWrites = 0
    /// Unsent writes up to the last acknowledgement; and whether the next write is one.
    private var unsentAcknowledgement = 0
    private var acknowledgesNext = false
    /// What of the ledger's outstanding records was handed over to be kept.
    private var kept: [UInt8]
    private var areSinksFull = false
    private var isReadingPaused = false
    private var pausedSince = Duration.zero
    private(set) var now = LinkTime(elapsed: .zero)
    private var stored = LinkCounters()
    /// Frames of earlier sessions on this link, and messages from the cuff in the present one.
    private var framesBefore = 0
    private var messages = 0

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
    public var isEnded: Bool { phase == .ended }
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

    public mutating func handle(_ event: LinkEvent, at time: LinkTime, into effects: inout [LinkEffect]) {
        guard phase != .ended else { return }
        now = time
        switch event {
        case .received(let bytes):
            stored.bytes += bytes.count
            messages += 1
            tellSession(.received(bytes), &effects)
        case .sent(let bytes): sent(bytes, &effects)
        case .committed(let through):
            if through > sessionStart { tellSession(.committed(through: through - sessionStart), &effects) }
        case .passedOn(let through):
            // A cuff that forgets what was acknowledged hears nothing: no sink has kept it.
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
            effects.append(.tell(.diagnostic(.note("\(samples) live samples left out: a sink is slow"))))
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
    public mutating func flush(into effects: inout [LinkEffect]) {
        guard hasNews else { return }
        hasUnsubmitted = false
        admitted = 0
        keepOutstanding(durably: true, &effects)
        var batch = LinkBatch(device: ledger.device, identity: identity, through: emitted)
        swap(&batch.entries, &entries)
        effects.append(.submit(batch))
    }

    /// Takes back the storage of a batch that is stored, to be filled again.
    public mutating func recycle(_ storage: consuming Entries) {
        guard entries.isEmpty, storage.capacity > entries.capacity else { return }
        storage.removeAll(keepingCapacity: true)
        entries = storage
    }

    private mutating func sent(_ bytes: [UInt8], _ effects: inout [LinkEffect]) {
        unsentBytes = max(0, unsentBytes - bytes.count)
        unsentWrites = max(0, unsentWrites - 1)
        unsentAcknowledgement = max(0, unsentAcknowledgement - 1)
        updateReadingPause(&effects)
        tellSession(.sent(bytes), &effects)
        if case .draining(let outcome) = phase, unsentWrites == 0 { end(outcome, &effects) }
    }

    private mutating func fireTimers(_ effects: inout [LinkEffect]) {
        while phase != .ended, let timer = deadlines.takeDue(at: now.elapsed) {
            switch timer {
            case .session(let id): tellSession(.timerFired(id), &effects)
            case .measurement: step(&effects) { $0.timedOut(into: &$1) }
            case .deflation: step(&effects) { $0.waitedForDeflation(into: &$1) }
            case .lastWrites: if case .draining(let outcome) = phase { end(outcome, &effects) }
            case .stop: closed(nil, &effects)
            case .stalledOutput: finish(.aborted("the other side takes nothing of what is written to it"))
            case .silence: dropIfSilent(&effects)
            }
            conclude(&effects)
        }
    }

    private mutating func setSinksFull(_ isFull: Bool, _ effects: inout [LinkEffect]) {
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
    private mutating func updateReadingPause(_ effects: inout [LinkEffect]) {
        let isOutputFull = unsentBytes > Self.outputLimit
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

    private mutating func dropIfSilent(_ effects: inout [LinkEffect]) {
        guard counters.frames == 0, let limit = setup.silenceLimit else { return }
        effects.append(
            .tell(
                .diagnostic(
                    .warning("nothing that could be understood came within \(limit.components.seconds) s; the line is closed"))))
        commands.removeAll()
        closed(nil, &effects)
    }

    private mutating func stop(within limit: Duration, _ effects: inout [LinkEffect]) {
        commands.removeAll()
        if isMeasuring { stopMeasuring(&effects) } else if !endInOrder(&effects) { return closed(nil, &effects) }
        deadlines.arm(.stop, at: now.elapsed + limit)
    }

    private mutating func closed(_ reason: String?, _ effects: inout [LinkEffect]) {
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
        // A session that has nothing to say about the end ends all the same.
        finish(.aborted(why))
    }

    // MARK: The session

    private mutating func tellSession(_ event: SessionEvent, _ effects: inout [LinkEffect]) {
        guard phase == .open else { return }
        run(event, &effects)
        handlePending(&effects)
    }

    mutating func handlePending(_ effects: inout [LinkEffect]) {
        while !pending.isEmpty, phase == .open { run(pending.removeFirst(), &effects) }
    }

    /// Lets the session say its last words; answers whether there are any. The end follows when it finishes.
    private mutating func endInOrder(_ effects: inout [LinkEffect]) -> Bool {
        guard phase == .open else { return false }
        let waiting = entries.readings.count
        swap(&entries.readings, &actions.readings)
        let hasWords = session.endInOrder(into: &actions)
        perform(since: waiting, &effects)
        handlePending(&effects)
        return hasWords
    }

    /// One event through the session. Its readings are appended to those that wait to be submitted, and named there.
    private mutating func run(_ event: SessionEvent, _ effects: inout [LinkEffect]) {
        let waiting = entries.readings.count
        swap(&entries.readings, &actions.readings)
        session.handle(event, into: &actions)
        perform(since: waiting, &effects)
    }

    /// What the session wants done, when so many readings stood before its own.
    private mutating func perform(since waiting: Int, _ effects: inout [LinkEffect]) {
        swap(&entries.readings, &actions.readings)
        acknowledgesNext = false
        let emissions = entries.readings.count - waiting
        if emissions == 0 && actions.others.isEmpty { return }
        emitted += emissions
        if emissions > 0 { hasUnsubmitted = true }
        admitted = waiting
        var seen = waiting
        // How many readings went away with a batch of the cuff's former identity.
        var gone = 0
        var performed = SessionActions()
        swap(&performed, &actions)
        for other in performed.others {
            admit(seen..<other.after - gone, &effects)
            seen = other.after - gone
            if case .identify(let identity) = other.action {
                gone += seen
                identify(identity, from: seen, &effects)
                seen = 0
            } else {
                perform(other.action, &effects)
            }
        }
        admit(seen..<entries.readings.count, &effects)
        entries.readings.removeLast(entries.readings.count - admitted)
        performed.removeAll()
        swap(&performed, &actions)
    }

    /// Names the readings in place and moves the wanted new ones to the front.
    ///
    /// Two passes: what a hash finds in a table cannot be foreseen, and a processor that guessed wrong about one reading throws
    /// away what it had done for the next ones. In a pass of its own that is little.
    private mutating func admit(_ range: Range<Int>, _ effects: inout [LinkEffect]) {
        guard !range.isEmpty else { return }
        if isMeasuring {
            for index in range where entries.readings[index].origin == .measurement && entries.readings[index].trigger == .unknown {
                entries.readings[index].trigger = setup.trigger
            }
        }
        for index in range { ledger.name(&entries.readings[index], received: now.wall) }
        if setup.timesClocklessOnly {
            for index in range where !ReadingLedger.restsOnArrival(entries.readings[index]) { entries.readings[index].received = nil }
        }
        for index in range {
            guard
                ledger.isNew(
                    entries.readings[index].id.hash, revision: entries.readings[index].revision,
                    isPending: entries.readings[index].isPending)
            else {
                stored.duplicates += 1
                continue
            }
            let hasArrived = entries.readings[index].received != nil
            if let clock, hasArrived || !setup.placesArrivalsOnly {
                if hasArrived { entries.readings[index].isHostClockUnsynchronised = now.isHostClockUnsynchronised }
                clock.apply(to: &entries.readings[index])
            }
            if let accepts = setup.accepts, !accepts(entries.readings[index]) {
                stored.filtered += 1
                continue
            }
            if admitted < index { entries.readings.swapAt(admitted, index) }
            if isMeasuring { measured(entries.readings[admitted], &effects) } else { keep() }
        }
    }

    /// The next reading goes to the sinks.
    mutating func keep() {
        stored.readings += 1
        if case .failure = entries.readings[admitted].content { stored.failures += 1 }
        admitted += 1
    }

    private mutating func perform(_ action: SessionAction, _ effects: inout [LinkEffect]) {
        switch action {
        case .write(let bytes): write(bytes, .write(bytes), &effects)
        case .writeFeature(let bytes): write(bytes, .writeFeature(bytes), &effects)
        case .emit, .identify: break
        case .live(.aborted) where command == .stop && setup.recovering != nil:
            // The line names the measurement that it ends: the program that reads these lines never saw it begin.
            if let former = setup.recovering { live(.recovered(former)) }
            setup.recovering = nil
        case .live(let event): if isMeasuring { measured(event, &effects) } else { live(event) }
        case .clock(let time):
            guard let wall = now.wall else { break }
            clock?.compare(time, at: wall)
            if let behind = clock?.shift { effects.append(.tell(.clock(time, behind: behind))) }
        case .cycle(let minutes): effects.append(.tell(.cycle(minutes: minutes)))
        case .arm(let timer, let wait): deadlines.arm(timer, after: wait, now: now.elapsed)
        case .disarm(let timer): deadlines.disarm(.session(timer))
        case .acknowledge(let through):
            ledger.acknowledge(through: through)
            acknowledgesNext = true
            keepOutstanding(durably: false, &effects)
        case .expectRepetitions(let isLost):
            ledger.expectRepetitions(isLost: isLost)
            keepOutstanding(durably: true, &effects)
        case .remember(let key, let value):
            setup.memory[key] = value
            effects.append(.remember(key: key, value: value))
        case .report(let diagnostic):
            if case .skipped(let bytes, let fault) = diagnostic {
                stored.skippedBytes += bytes
                if fault == .badCheck { stored.badChecks += 1 }
            }
            effects.append(.tell(.diagnostic(diagnostic)))
        case .finish(let outcome):
            measured(outcome, &effects)
            if self.outcome == nil { self.outcome = outcome }
        }
    }

    private mutating func write(_ bytes: [UInt8], _ effect: LinkEffect, _ effects: inout [LinkEffect]) {
        unsentBytes += bytes.count
        unsentWrites += 1
        if acknowledgesNext { (unsentAcknowledgement, acknowledgesNext) = (unsentWrites, false) }
        effects.append(effect)
        updateReadingPause(&effects)
    }

    /// A live event goes behind the readings that are named so far.
    mutating func live(_ event: LiveEvent) {
        if case .started = event { measuringSince = now.elapsed }
        let since = measuringSince ?? now.elapsed
        measuringSince = since
        stored.liveEvents += 1
        entries.append(event, driver: driver.id, elapsed: setup.isRecorded ? nil : now.elapsed - since, afterReadings: admitted)
        switch event {
        case .ended, .aborted, .recovered, .failed: measuringSince = nil
        case .started, .cuffPressure, .beat, .oscillation: break
        }
    }

    /// What was said before belongs to what the cuff was called before. `unnamed` is the first reading that came after it.
    private mutating func identify(_ identity: DeviceIdentity, from unnamed: Int, _ effects: inout [LinkEffect]) {
        let later = Array(entries.readings[unnamed...])
        entries.readings.removeLast(entries.readings.count - admitted)
        flush(into: &effects)
        entries.readings.append(contentsOf: later)
        admitted = 0
        self.identity = identity
        if ledger.identify(identity.id.isEmpty ? setup.device : identity.id, driver: driver.id) {
            let left = setup.outstanding(ledger.device)
            kept = left.bytes
            ledger.resume(left)
        }
        effects.append(.tell(.identified(identity)))
    }

    /// Before a batch is submitted, and before an acknowledgement is written.
    private mutating func keepOutstanding(durably: Bool, _ effects: inout [LinkEffect]) {
        if kept.isEmpty && ledger.outstanding.isEmpty { return }
        let bytes = ledger.outstanding.bytes
        guard bytes != kept else { return }
        kept = bytes
        effects.append(.keep(ledger.outstanding, device: ledger.device, durably: durably))
    }

    // MARK: One session after the other, and the end

    private mutating func nextCommand(_ effects: inout [LinkEffect]) {
        guard phase == .open, !commands.isEmpty else { return }
        let next = commands.removeFirst()
        command = next
        if next == .measure { beginMeasuring(&effects) } else { tellSession(.command(next), &effects) }
    }

    private mutating func nextSession(_ effects: inout [LinkEffect]) {
        deadlines.endSession()
        framesBefore = counters.frames
        messages = 0
        sessionStart = emitted
        ledger.sessionBegins()
        session = driver.makeSession(setup.context)
        tellSession(.opened, &effects)
        nextCommand(&effects)
    }

    /// Ends the present session from outside.
    mutating func finish(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
    }

    /// The session has said how it ended: on to the next command, or to the end of the link.
    private mutating func conclude(_ effects: inout [LinkEffect]) {
        while let outcome, phase != .ended {
            if case .draining = phase { return }
            endMeasuring(outcome.sentence ?? "the conversation ended", &effects)
            self.outcome = nil
            flush(into: &effects)
            if let command { effects.append(.tell(.finished(command, outcome))) }
            if setup.isRecorded, commands.isEmpty, !isTransportClosed {
                command = nil
                return
            }
            if commands.isEmpty || isTransportClosed || phase == .waiting { end(outcome, &effects) } else { nextSession(&effects) }
        }
    }

    private mutating func end(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        if unsentWrites > 0, !isTransportClosed, phase == .open {
            phase = .draining(outcome)
            deadlines.removeAll()
            deadlines.arm(.lastWrites, at: now.elapsed + Self.drainLimit)
            return
        }
        flush(into: &effects)
        phase = .ended
        if areSinksFull { stored.paused += now.elapsed - pausedSince }
        effects.append(.close)
        effects.append(.tell(.ended(outcome)))
    }
}
