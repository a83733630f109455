/// The state machine of one cuff's connection. It decides, and its driver performs the effects.
/// Composed of the sessions (`Conversation`), unsent writes (`LinkOutput`), readings to be batched (`Admission`), the measurement
/// (`MeasurementLife`), timers (`LinkDeadlines`) and back-pressure (`ReadingPause`). docs/LINK.md has the table of states and events.
/// - Effects are performed in order, before the next event.
/// - Every `write` is answered by `sent` once the kernel has all of it, or by `closed`.
/// - `timePassed` is due at `deadline`; early or late events are harmless.
/// - After the effect `close` and the notice `ended`, events are ignored.
public struct LinkState: Sendable {
    /// Limit of unsent bytes: sixteen batches of confirmations (4 KiB); a longer message has 8 KiB. A peer that far behind does not read.
    public static let outputLimit = 1 << 16
    /// A peer that accepts nothing for this long while the output is full is disconnected: ten times the three seconds that IEEE 11073
    /// gives an answer, and longer than any pause of a vendor protocol.
    static let stalledOutputLimit = Duration.seconds(30)
    /// Time-out for the last writes. 16 bytes at 2400 bit/s are 70 ms.
    static let drainLimit = Duration.seconds(2)

    /// The driver of the cuff.
    public let driver: CuffDriver
    var setup: Setup
    var conversation: Conversation
    var output = LinkOutput()
    var admission: Admission
    var measurement = MeasurementLife()
    var deadlines = LinkDeadlines()
    var pause = ReadingPause()
    var now = LinkTime(elapsed: .zero)
    var counted = LinkCounters()
    var actions = SessionActions()

    /// A link that waits for `opened`.
    public init(_ setup: Setup) {
        driver = setup.driver
        self.setup = setup
        conversation = Conversation(setup)
        admission = Admission(setup)
    }

    /// When `timePassed` is due; `nil` if no timer is armed.
    public var deadline: Duration? { conversation.isEnded ? nil : deadlines.next }
    /// The link is over: further events are ignored.
    public var isEnded: Bool { conversation.isEnded }
    /// A requested measurement is running.
    public var isMeasuring: Bool { measurement.isUnderWay }
    /// The link only listens, so that `measureNow` starts a measurement.
    public var isListening: Bool { conversation.isListening }
    /// `flush` has something to submit.
    public var hasNews: Bool { admission.hasNews }
    /// Whether the session uses `committed`.
    public var hearsCommits: Bool { conversation.hearsCommits }
    /// Readings emitted on this link, duplicates included.
    public var emitted: Int { admission.emitted }
    /// Reading from the cuff is paused.
    public var isReadingPaused: Bool { pause.isPaused }

    /// The counts so far. A HID report counts as a frame; other families without frames count none.
    package var counters: LinkCounters {
        var counters = counted
        counters += admission.counters
        pause.count(into: &counters)
        counters.frames = conversation.frames
        return counters
    }

    /// Handles one event and appends its effects in order. Never blocks, and never traps on any bytes.
    public mutating func handle(_ event: LinkEvent, at time: LinkTime, into effects: inout [LinkEffect]) {
        guard !conversation.isEnded else { return }
        now = time
        if admission.holdsReadings, admission.placeHeld(at: now, &effects) { deadlines.disarm(.hostClock) }
        switch event {
        case .transport(let event): handle(event, &effects)
        case .committed(let through): committed(through, &effects)
        // No durable sink: a cuff that deletes acknowledged readings gets no acknowledgement.
        case .passedOn(let through): if !setup.forgets { committed(through, &effects) }
        case .timePassed: fireTimers(&effects)
        case .sinksFull(let isFull): setSinksFull(isFull, &effects)
        case .thinned(let samples):
            counted.thinned += samples
            effects.append(.notify(.diagnostic(.note("\(samples) live sample\(samples == 1 ? "" : "s") left out: a sink is slow"))))
        case .command(let command): handleInSession(.command(command), &effects)
        case .measureNow(let trigger, let mayStillRun):
            guard isListening else { break }
            (setup.trigger, measurement.mayStillRun) = (trigger, mayStillRun)
            conversation.commands = [.measure, .follow]
            nextSession(&effects)
        case .stopMeasurement: stopMeasuring(&effects)
        case .stop(let limit): stop(within: limit, &effects)
        }
        conclude(&effects)
    }

    private mutating func handle(_ event: TransportEvent, _ effects: inout [LinkEffect]) {
        switch event {
        case .received(let bytes):
            counted.bytes += bytes.count
            conversation.messages += 1
            handleInSession(.received(bytes), &effects)
        case .sent(let bytes): sent(bytes, &effects)
        case .opened:
            conversation.phase = .open
            if let limit = setup.silenceLimit { deadlines.arm(.silence, at: now.elapsed + limit) }
            handleInSession(.opened, &effects)
            nextCommand(&effects)
        case .line(let event): effects.append(.notify(.diagnostic(.warning("the line reports: \(event.text)"))))
        case .closed(let error): closed(error.map { "\($0)" }, &effects)
        }
    }

    /// Submits what was emitted since the last call. Duplicates count: their commit follows the original's.
    public mutating func flush(into effects: inout [LinkEffect]) { admission.submit(through: admission.emitted, &effects) }

    private mutating func committed(_ through: Int, _ effects: inout [LinkEffect]) {
        if let event = conversation.committed(through: through) { handleInSession(event, &effects) }
    }

    private mutating func sent(_ bytes: [UInt8], _ effects: inout [LinkEffect]) {
        let writer = output.sent(bytes)
        updateReadingPause(&effects)
        // Writes of a former session do not concern the present one.
        if writer != .formerSession { handleInSession(.sent(bytes), &effects) }
        if case .draining(let outcome) = conversation.phase, output.isEmpty { end(outcome, &effects) }
    }

    private mutating func fireTimers(_ effects: inout [LinkEffect]) {
        while !conversation.isEnded, let timer = deadlines.removeDue(at: now.elapsed) {
            switch timer {
            case .session(let id): handleInSession(.timerFired(id), &effects)
            case .measurement: step(&effects) { $0.timedOut(into: &$1) }
            case .deflation: step(&effects) { $0.waitedForDeflation(into: &$1) }
            case .lastWrites: if case .draining(let outcome) = conversation.phase { end(outcome, &effects) }
            case .stop: closed(nil, &effects)
            case .stalledOutput: conversation.finish(.aborted("the other side takes nothing of what is written to it"))
            case .silence: closeIfSilent(&effects)
            case .hostClock: if admission.holdsReadings { armHostClock() }
            }
            conclude(&effects)
        }
    }

    mutating func armHostClock() { deadlines.arm(.hostClock, at: now.elapsed + HeldReadings.interval) }

    private mutating func setSinksFull(_ isFull: Bool, _ effects: inout [LinkEffect]) {
        guard pause.setSinksFull(isFull, at: now.elapsed) else { return }
        if isFull { deadlines.freeze(at: now.elapsed) } else { deadlines.thaw(at: now.elapsed) }
        updateReadingPause(&effects)
    }

    mutating func updateReadingPause(_ effects: inout [LinkEffect]) {
        let isFull = output.isFull
        if isFull {
            deadlines.arm(.stalledOutput, at: now.elapsed + Self.stalledOutputLimit)
        } else {
            deadlines.disarm(.stalledOutput)
        }
        if let effect = pause.update(isOutputFull: isFull) { effects.append(effect) }
    }

    private mutating func closeIfSilent(_ effects: inout [LinkEffect]) {
        guard conversation.frames == 0, let limit = setup.silenceLimit else { return }
        effects.append(
            .notify(
                .diagnostic(
                    .warning("nothing that could be understood came within \(limit.components.seconds) s; the line is closed"))))
        conversation.commands = []
        closed(nil, &effects)
    }

    private mutating func stop(within limit: Duration, _ effects: inout [LinkEffect]) {
        // The last writes have their own limit.
        if case .draining = conversation.phase { return }
        conversation.commands = []
        if isMeasuring { stopMeasuring(&effects) } else if !endInOrder(&effects) { return closed(nil, &effects) }
        deadlines.arm(.stop, at: now.elapsed + limit)
    }

    private mutating func closed(_ reason: String?, _ effects: inout [LinkEffect]) {
        conversation.isTransportClosed = true
        let why = reason ?? "the line was closed"
        // What the kernel had accepted counts as received; the rest is lost.
        if output.loseAcknowledgement() { admission.expectRepetitions(isLost: true, &effects) }
        if case .draining(let outcome) = conversation.phase { return end(outcome, &effects) }
        handleInSession(.closed, &effects)
        endMeasuring(why, &effects)
        // A session without closing messages ends at once.
        conversation.finish(.aborted(why))
    }
}
