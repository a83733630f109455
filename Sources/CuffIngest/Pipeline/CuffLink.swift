import CuffCore
import Dispatch

/// Transport, session and timers of one cuff, on a queue of their own: what the cuff sends becomes batches of the
/// pipeline, and what the pipeline has committed becomes the cuff's acknowledgement. A cuff that misbehaves holds up
/// nobody but itself.
public final class CuffLink: @unchecked Sendable {
    public let driver: CuffDriver
    let queue: CuffQueue
    let transport: any Transport
    private let pipeline: Pipeline
    private let memory: DriverMemory?
    private let options: [String: String]
    private let host: String
    private let hear: @Sendable (LinkEvent) -> Void
    private let forgets: Bool

    // Everything below is touched on `queue` alone.
    private var session: any CuffSession
    var ledger: ReadingLedger
    private var rule: MeasuredRule
    var kept: KeptOutstanding
    /// Writes that the kernel has not taken, up to the last acknowledgement; and whether the next write is one.
    var unsentAcknowledgement = 0
    private var acknowledgesNext = false
    private var timers: LinkTimers!
    private var source = 0
    private var identity: DeviceIdentity?
    var commands: [SessionCommand] = []
    private var command: SessionCommand?
    private var pending: [SessionEvent] = []
    private var actions = SessionActions()
    var batch = Entries()
    /// Readings emitted on this link, and how many of them before the present session began.
    private var emitted = 0
    private var emittedBefore = 0
    private var isHandling = false
    private var isPaused = false
    private var pausedSince: Int64 = 0
    var measuringSince: Int64?
    /// The measurement under `.measure`, and what beside it only `CuffLink+Measure.swift` touches.
    var measurement: Measurement?
    var measuring = Measuring()
    private(set) var isEnded = false
    private var transportFault: TransportFault?
    private var isTransportClosed = false
    var outcome: Outcome?
    /// Writes that the kernel has not taken whole yet.
    private var unsent = 0
    /// The outcome, while the last words are still on their way: a paced stop command must reach the cuff.
    private var lingering: Outcome?
    private var totals = IngestCounters()
    /// Frames of earlier sessions on this link, and reads (of a HID node: reports) of the present one.
    private var framesBefore = 0
    private var reports = 0
    private let published = Locked(IngestCounters())
    private let filter: ReadingFilter?
    /// Whether anybody wants to hear `LinkEvent.readings`, which wakes a thread each time; to be set before `start`.
    var tellsOfReadings = true
    /// What another process left behind and the first command, a stop, ends; to be set before `start`.
    var recovering: AbandonedMeasurement?

    /// `device` is who the cuff is as far as the host knows: a USB serial number or a path. `zone` is the zone of the cuff's
    /// clock; without it the machine's.
    public init(
        driver: CuffDriver, device: String = "", transport: any Transport, pipeline: Pipeline,
        options: [String: String] = [:], memory: DriverMemory? = nil, filter: ReadingFilter? = nil,
        zone: ZoneTable? = nil, tell: @escaping @Sendable (LinkEvent) -> Void = { _ in }
    ) {
        self.driver = driver
        self.filter = filter
        host = device
        self.transport = transport
        self.pipeline = pipeline
        self.options = options
        self.memory = memory
        hear = tell
        forgets = driver.forgets(options)
        queue = CuffQueue(label: "cuff.link")
        session = driver.makeSession(
            SessionContext(
                device: device, options: options, memory: memory?.load(driver.id) ?? [:],
                keepsReadings: pipeline.isDurable || !driver.forgets(options)))
        ledger = ReadingLedger(device: device, driver: driver.id)
    }

    /// What went through so far.
    public var counters: IngestCounters { published.withLock { $0 } }

    /// Opens the device and obeys the commands one after the other, each in a conversation of its own.
    public func start(_ commands: [SessionCommand]) {
        queue.async { @Sendable in self.begin(commands) }
    }

    /// Something more to do, at once and within the conversation under way, e.g. `.stop`.
    public func send(_ command: SessionCommand) {
        queue.async { @Sendable in self.handle(.command(command)) }
    }

    /// Closes the line where no whole frame has come by then.
    func dropIfSilent(after limit: Duration) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { @Sendable [weak self] in
            guard let self, !isEnded, framesBefore + (session.frames ?? reports) == 0 else { return }
            tell(.diagnostic(.warning("nothing that could be understood came within \(limit.components.seconds) s; the line is closed")))
            commands.removeAll()
            transport.close()
        }
    }

    /// Ends in order: a measurement is stopped and the cuff deflated, then the line is closed.
    /// Ends in order: a measurement is stopped and the cuff deflated, an association released, then the line is closed.
    public func stop(within limit: Duration = Measurement.deflationWait + .seconds(1)) {
        queue.async { @Sendable in
            guard !self.isEnded else { return }
            self.commands.removeAll()
            if self.isMeasuring { self.stopMeasuring() } else if !self.endSession() { return self.transport.close() }
            self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { @Sendable in
                self.transport.close()
            }
        }
    }

    /// Lets the session say its last words; answers whether there are any. The end follows when it finishes.
    private func endSession() -> Bool {
        guard lingering == nil, !isTransportClosed, !isHandling, session.endInOrder(into: &actions) else { return false }
        let due = actions
        actions.removeAll()
        for action in due { perform(action) }
        submit()
        if let outcome { finished(outcome) }
        return true
    }

    private func begin(_ commands: [SessionCommand]) {
        timers = LinkTimers(queue: queue) { [weak self] in self?.timersFired() }
        source = pipeline.attach(
            Pipeline.Source(
                mayThin: true,
                committed: { [weak self] through in
                    guard let self else { return }
                    queue.asyncPromptly { @Sendable in self.committed(through) }
                },
                passedOn: { [weak self] through in
                    // A cuff that forgets what was acknowledged hears nothing: no sink has kept it.
                    guard let self, !forgets else { return }
                    queue.asyncPromptly { @Sendable in self.committed(through) }
                },
                paused: { [weak self] isPaused in
                    guard let self else { return }
                    queue.asyncPromptly { @Sendable in self.setPaused(isPaused) }
                }))
        self.commands = commands
        do throws(IngestError) {
            try transport.start(on: queue) { [weak self] event in self?.take(event) }
        } catch {
            openingError.withLock { $0 = error }
            return end(.aborted(error.what))
        }
        handle(.opened)
        nextCommand()
    }

    /// A cuff that takes nothing for so long will not take the rest. 16 bytes at 2400 bit/s are 70 ms.
    private static let lingerLimit = DispatchTimeInterval.seconds(2)

    private let openingError = Locked<IngestError?>(nil)
    /// Why the device did not open.
    public var openingFault: IngestError? { openingError.withLock { $0 } }

    private func nextCommand() {
        guard !commands.isEmpty else { return }
        let next = commands.removeFirst()
        command = next
        if next == .measure { beginMeasuring() } else { handle(.command(next)) }
    }

    /// Leaves off listening for these commands; answers whether it was free to.
    func interject(_ more: [SessionCommand]) -> Bool {
        guard !isEnded, lingering == nil, !isTransportClosed, command == .follow, commands.isEmpty, !isHandling else { return false }
        commands = more
        nextSession()
        return true
    }

    // MARK: Events

    private func take(_ event: TransportEvent) {
        switch event {
        case .received(let bytes):
            totals.bytes += bytes.count
            reports += 1
            handle(.received(bytes))
        case .sent(let bytes):
            unsent = max(0, unsent - 1)
            unsentAcknowledgement = max(0, unsentAcknowledgement - 1)
            handle(.sent(bytes))
            if unsent == 0, let last = lingering { end(last) }
        case .line(let event): tell(.diagnostic(.warning("the line reports: \(event.text)")))
        case .closed(let fault):
            isTransportClosed = true
            transportFault = fault
            lineBroke()
            // The first reason counts: closing afterwards is no other one.
            transportFault = transportFault ?? fault
            if let last = lingering { return end(last) }
            handle(.closed)
            // A session that has nothing to say about the end ends all the same.
            if !isEnded { lineEnded(fault?.sentence ?? "the line was closed") }
            if !isEnded { finished(outcome ?? .aborted(fault?.sentence ?? "the line was closed")) }
        }
    }

    private func timersFired() {
        while !isEnded, let due = timers.takeDue() { handle(.timerFired(due)) }
    }

    private func committed(_ through: Int) {
        guard !isEnded, through > emittedBefore else { return }
        handle(.committed(through: through - emittedBefore))
    }

    private func setPaused(_ paused: Bool) {
        guard paused != isPaused, !isEnded else { return }
        isPaused = paused
        if paused {
            transport.pause()
            timers.freeze()
            pausedSince = HostClock.monotonic()
            totals.pauses += 1
        } else {
            totals.paused += .nanoseconds(HostClock.monotonic() - pausedSince)
            timers.thaw()
            transport.resume()
        }
        publish()
    }

    /// Events wait their turn: a transport may answer `write` with `sent` before it returns.
    func handle(_ event: SessionEvent) {
        guard !isEnded, lingering == nil else { return }
        pending.append(event)
        guard !isHandling else { return }
        isHandling = true
        var index = 0
        while index < pending.count {
            session.handle(pending[index], into: &actions)
            index += 1
            // Actions may grow while they are performed only through `pending`, never in place.
            let due = actions
            actions.removeAll()
            acknowledgesNext = false
            for action in due { perform(action) }
        }
        pending.removeAll(keepingCapacity: true)
        isHandling = false
        submit()
        if let outcome { finished(outcome) }
    }

    // MARK: Actions

    private func perform(_ action: SessionAction) {
        switch action {
        case .write(let bytes):
            unsent += 1
            if acknowledgesNext { (unsentAcknowledgement, acknowledgesNext) = (unsent, false) }
            transport.write(bytes)
        case .writeFeature(let bytes):
            unsent += 1
            guard let fault = transport.writeFeature(bytes) else { return }
            // It will never be sent; what the session meant to do cannot be done.
            unsent -= 1
            queue.async { @Sendable in self.take(.closed(fault)) }
        case .emit(let reading): emit(reading)
        case .live(.aborted) where command == .stop && recovering != nil:
            // The line names the measurement that it ends: the program that reads these lines never saw it begin.
            if let former = recovering { live(.recovered(former)) }
            recovering = nil
        case .live(let event): if isMeasuring { measured(event) } else { live(event) }
        case .identify(let identity): identify(identity)
        case .clock(let time): compareClock(time)
        case .cycle(let minutes): tell(.cycle(minutes: minutes))
        case .arm(let timer, let duration): timers.arm(timer, duration)
        case .disarm(let timer): timers.disarm(timer)
        case .acknowledge(let through):
            ledger.acknowledge(through: through)
            acknowledgesNext = true
            keepOutstanding(durably: false)
        case .expectRepetitions(let isLost):
            ledger.expectRepetitions(isLost: isLost)
            keepOutstanding()
        case .remember(let key, let value): remember(key, value)
        case .report(let diagnostic):
            if case .skipped(let bytes, let fault) = diagnostic {
                totals.skippedBytes += bytes
                if fault == .badCheck { totals.badChecks += 1 }
            }
            tell(.diagnostic(diagnostic))
        case .finish(let outcome):
            measured(outcome)
            if self.outcome == nil { self.outcome = outcome }
        }
    }

    private func emit(_ reading: Reading) {
        var reading = reading
        emitted += 1
        if isMeasuring, reading.origin == .measurement, reading.trigger == .unknown { reading.trigger = measuring.trigger }
        guard ledger.admit(&reading, received: HostClock.now()) else {
            totals.duplicates += 1
            return
        }
        rule.apply(to: &reading)
        if let filter, !filter.accepts(reading) {
            totals.filtered += 1
            return
        }
        measured(reading) {
            totals.readings += 1
            if case .failure = reading.content { totals.failures += 1 }
            batch.append(.reading(reading))
        }
    }

    func live(_ event: LiveEvent) {
        let now = HostClock.monotonic()
        if case .started = event { measuringSince = now }
        let since = measuringSince ?? now
        measuringSince = since
        totals.liveEvents += 1
        batch.append(.live(event, driver: driver.id, elapsed: .milliseconds((now - since) / 1_000_000)))
        switch event {
        case .ended, .aborted, .recovered, .failed: measuringSince = nil
        case .started, .cuffPressure, .beat, .oscillation: break
        }
    }

    private func identify(_ identity: DeviceIdentity) {
        // What was said before belongs to what the cuff was called before.
        submit()
        self.identity = identity
        if ledger.identify(identity.id.isEmpty ? host : identity.id, driver: driver.id) {
            ledger.resume(kept.load(device: ledger.device))
        }
        tell(.identified(identity))
    }

    private func compareClock(_ time: DeviceTime) {
        rule.compare(time, at: HostClock.now())
        if let shift = rule.shift { tell(.clock(time, behind: shift)) }
    }

    private func remember(_ key: String, _ value: [UInt8]) {
        queue.patiently {
            do throws(IngestError) { try self.memory?.store(self.driver.id, key, value) } catch {
                self.tell(.diagnostic(.warning(error.what)))
            }
        }
    }

    func tell(_ event: LinkEvent) { queue.patiently { self.hear(event) } }

    /// Hands over what this event brought. Readings that were duplicates still count: their commit follows the original's.
    private var submitted = 0
    private var toldReadings = 0
    func submit() {
        guard !batch.isEmpty || emitted > submitted else { return }
        submitted = emitted
        keepOutstanding()
        var entries = Entries()
        swap(&entries, &batch)
        let fresh = totals.readings - toldReadings
        toldReadings = totals.readings
        if fresh > 0 && tellsOfReadings { tell(.readings(fresh)) }
        pipeline.submit(
            Batch(
                source: source, driver: driver.id, device: ledger.device, identity: identity, entries: entries,
                through: emitted))
        let thinned = pipeline.takeThinned(source)
        if thinned > 0 {
            totals.thinned += thinned
            tell(.diagnostic(.note("\(thinned) live samples left out: a sink is slow")))
        }
        publish()
    }

    private func publish() {
        // A HID report is a frame; other families without frames of their own have none to count.
        totals.frames = framesBefore + (session.frames ?? (driver.medium == .hidraw ? reports : 0))
        let totals = totals
        published.withLock { $0 = totals }
    }

    // MARK: The end

    /// What follows opens files, closes lines, and may take its time.
    func finished(_ outcome: Outcome) { queue.patiently { self.conclude(outcome) } }

    private func conclude(_ outcome: Outcome) {
        lineEnded(outcome.sentence ?? "the conversation ended")
        self.outcome = nil
        if let command { tell(.finished(command, outcome)) }
        guard !commands.isEmpty, !isTransportClosed else { return end(outcome) }
        nextSession()
    }

    private func nextSession() {
        timers.removeAll()
        emittedBefore = emitted
        ledger.sessionBegins()
        publish()
        framesBefore = totals.frames
        reports = 0
        session = driver.makeSession(
            SessionContext(
                device: host, options: options, memory: memory?.load(driver.id) ?? [:],
                keepsReadings: pipeline.isDurable || !driver.forgets(options)))
        handle(.opened)
        nextCommand()
    }

    private func end(_ outcome: Outcome) { queue.patiently { self.finish(outcome) } }

    private func finish(_ outcome: Outcome) {
        guard !isEnded else { return }
        lineEnded(outcome.sentence ?? "the conversation ended")
        if unsent > 0 && !isTransportClosed && lingering == nil {
            lingering = outcome
            queue.asyncAfter(deadline: .now() + Self.lingerLimit) { @Sendable [weak self] in self?.end(outcome) }
            return
        }
        isEnded = true
        timers.cancel()
        if isPaused { totals.paused += .nanoseconds(HostClock.monotonic() - pausedSince) }
        publish()
        transport.close()
        pipeline.detach(source)
        tell(.ended(outcome, transportFault))
    }
}
