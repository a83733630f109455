import CuffCore

/// Performs the effects of one `LinkState` on the loop: what the transport brings becomes events of the link, and what the
/// link decides becomes writes, batches of the pipeline and notices. It makes no decisions.
public final class CuffLink {
    private(set) var state: LinkState
    /// Why the device did not open.
    public private(set) var openingFault: IngestError?
    /// Why the line ended, where it was not this side that closed it.
    public private(set) var transportFault: TransportFault?
    private let transport: any Transport
    private let loop: EventLoop
    private let pipeline: Pipeline
    private let memory: DriverMemory?
    private let tell: (LinkNotice) -> Void
    private let submitted: (Int) -> Void
    private var source = 0
    private var effects: [LinkEffect] = []
    private var isPerforming = false
    /// A file is being written that must be there before the next effect.
    private var isKeeping = false
    private var isFlushPending = false
    /// What is to be remembered once the present write is done.
    private var notes: [String: [UInt8]] = [:]
    private var isRemembering = false
    private var isTransportOpen = false
    private var isTransportClosed = false
    /// The notice of the end, which waits for the transport to be closed.
    private var ending: LinkNotice?
    private var timer: LoopTimer!

    /// `tell` and `submitted` (how many readings went to the sinks) are called on the loop, and must not block.
    public init(
        _ setup: LinkState.Setup, transport: any Transport, pipeline: Pipeline, memory: DriverMemory? = nil,
        on loop: EventLoop = .shared, tell: @escaping (LinkNotice) -> Void = { _ in }, submitted: @escaping (Int) -> Void = { _ in }
    ) {
        var setup = setup
        setup.isLineUnchecked = !transport.checksBytes
        state = LinkState(setup)
        self.transport = transport
        self.pipeline = pipeline
        self.memory = memory
        self.loop = loop
        self.tell = tell
        self.submitted = submitted
        timer = LoopTimer(loop) { [weak self] in self?.handle(.timePassed) }
    }

    /// What went through the link so far.
    public var counters: LinkCounters { state.counters }

    /// Opens the device and begins. To be called on the loop, once.
    public func start() {
        let me = LoopBound(self)
        source = pipeline.attach(
            Pipeline.Source(
                mayThin: true, wantsCommits: state.hearsCommits,
                committed: { [loop] through in loop.async { me.value.handle(.committed(through: through)) } },
                passedOn: { [loop] through in loop.async { me.value.handle(.passedOn(through: through)) } },
                paused: { [loop] isFull in loop.async { me.value.handle(.sinksFull(isFull)) } }))
        loop.offload({ () -> IngestError? in
            do throws(IngestError) { try me.value.transport.open() } catch { return error }
            return nil
        }) { error in
            me.value.opened(error)
        }
    }

    private func opened(_ error: IngestError?) {
        do throws(IngestError) {
            if let error { throw error }
            guard !state.isEnded else { return closed(nil) }
            isTransportOpen = true
            try transport.start(on: loop) { [weak self] in self?.heard($0) }
            // The sinks may have been full before there was anything to pause.
            if state.isReadingPaused { transport.pause() }
        } catch {
            isTransportOpen = false
            openingFault = error
            closed(nil, reason: error.description)
        }
    }

    /// Hands an event to the link. On the loop only.
    func handle(_ event: LinkEvent) {
        state.handle(event, at: HostClock.linkTime, into: &effects)
        perform()
    }

    private func heard(_ event: TransportEvent) {
        switch event {
        case .opened: handle(LinkEvent.opened)
        case .received(let bytes): handle(LinkEvent.received(bytes))
        case .sent(let bytes): handle(LinkEvent.sent(bytes))
        case .line(let event): handle(LinkEvent.line(event))
        case .closed(let fault): closed(fault, reason: fault?.description)
        }
    }

    private func closed(_ fault: TransportFault?, reason: String? = nil) {
        isTransportClosed = true
        // The first reason counts: closing afterwards is no other one.
        transportFault = transportFault ?? fault
        handle(.closed(reason: reason))
        conclude()
    }

    // MARK: Effects

    /// Effects wait their turn: a transport may answer `write` with `sent` before it returns, and what must be on disk before
    /// the rest holds the rest up.
    private func perform() {
        guard !isPerforming, !isKeeping else { return }
        isPerforming = true
        while !effects.isEmpty, !isKeeping {
            var due: [LinkEffect] = []
            swap(&due, &effects)
            for (index, effect) in due.enumerated() {
                perform(effect)
                guard isKeeping else { continue }
                effects = due[(index + 1)...] + effects
                break
            }
        }
        isPerforming = false
        timer.set(state.deadline?.nanoseconds)
        guard state.hasNews, !isFlushPending else { return }
        isFlushPending = true
        loop.atTurnEnd { [self] in
            isFlushPending = false
            state.flush(into: &effects)
            perform()
        }
    }

    private func perform(_ effect: LinkEffect) {
        switch effect {
        case .write(let bytes): transport.write(bytes)
        case .writeFeature(let bytes): transport.writeFeature(bytes)
        case .pauseReading: transport.pause()
        case .resumeReading: transport.resume()
        case .submit(let batch): submit(batch)
        case .remember(let key, let value): remember(key, value)
        case .keep(let records, let device, let durably): keep(records, device, durably)
        case .tell(.ended(let outcome)):
            ending = .ended(outcome)
            conclude()
        case .tell(let notice): tell(notice)
        case .close: if isTransportOpen { transport.close() }
        }
    }

    private func submit(_ batch: LinkBatch) {
        let readings = batch.entries.readings.count
        pipeline.submit(Batch(source: source, driver: state.driver.id, link: batch))
        submitted(readings)
        let thinned = pipeline.takeThinned(source)
        if thinned > 0 { state.handle(.thinned(samples: thinned), at: HostClock.linkTime, into: &effects) }
    }

    private func keep(_ records: OutstandingRecords, _ device: String, _ durably: Bool) {
        guard let memory else { return }
        // Never on the loop: the folder may be slow, and every other cuff would wait for it.
        isKeeping = true
        let (me, loop, driver) = (LoopBound(self), loop, state.driver.id)
        StateFile.queue.async { @Sendable in
            var fault: IngestError?
            do throws(IngestError) { try memory.keep(records, driver, device: device, durably: durably) } catch { fault = error }
            let told = fault
            loop.async { me.value.kept(told) }
        }
    }

    private func kept(_ error: IngestError?) {
        isKeeping = false
        if let error { tell(.diagnostic(.warning(error.description))) }
        perform()
        conclude()
    }

    /// One write at a time; what comes meanwhile is written together, so that a busy cuff makes no queue of writes.
    private func remember(_ key: String, _ value: [UInt8]) {
        guard memory != nil else { return }
        notes[key] = value
        if !isRemembering { writeNotes() }
    }

    private func writeNotes() {
        guard let memory, !notes.isEmpty else { return }
        isRemembering = true
        let (driver, values, me, loop) = (state.driver.id, notes, LoopBound(self), loop)
        notes.removeAll()
        StateFile.queue.async { @Sendable in
            var fault: IngestError?
            do throws(IngestError) { try memory.store(driver, values) } catch { fault = error }
            let told = fault
            loop.async {
                if let told { me.value.tell(.diagnostic(.warning(told.description))) }
                me.value.isRemembering = false
                me.value.writeNotes()
            }
        }
    }

    /// The end is told when the link has ended and its device is closed.
    private func conclude() {
        guard let ending, isTransportClosed, !isKeeping else { return }
        self.ending = nil
        timer.set(nil)
        pipeline.detach(source)
        tell(ending)
    }
}

/// A link in the hands of another thread: everything is handed over to the loop.
public struct LinkHandle: Sendable {
    private let link: LoopBound<CuffLink>
    private let loop: EventLoop

    /// `tell` is called on the loop, and must not block.
    public init(
        _ setup: LinkState.Setup, transport: any Transport, pipeline: Pipeline, memory: DriverMemory? = nil,
        on loop: EventLoop = .shared, tell: @escaping (LinkNotice) -> Void = { _ in }
    ) {
        link = LoopBound(CuffLink(setup, transport: transport, pipeline: pipeline, memory: memory, on: loop, tell: tell))
        self.loop = loop
    }

    /// Opens the device and obeys the commands of the setup.
    public func start() { loop.async { [link] in link.value.start() } }

    /// Hands an event to the link, on the loop. Callable from any thread; returns at once.
    public func send(_ event: LinkEvent) { loop.async { [link] in link.value.handle(event) } }

    /// Ends in order: a measurement is stopped and the cuff deflated, then the line is closed.
    public func stop(within limit: Duration = Measurement.deflationWait + .seconds(1)) { send(.stop(within: limit)) }

    /// What went through so far. Not to be asked for on the loop.
    public var counters: LinkCounters { loop.sync { [link] in link.value.counters } }
    /// Why the transport could not be opened; `nil` where it could. Waits for the loop.
    public var openingFault: IngestError? { loop.sync { [link] in link.value.openingFault } }
    /// Why the transport ended; `nil` where it has not, or ended in order. Waits for the loop.
    public var transportFault: TransportFault? { loop.sync { [link] in link.value.transportFault } }
}
