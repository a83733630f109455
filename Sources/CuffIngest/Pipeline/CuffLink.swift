import CuffCore

/// Performs the effects of one `LinkState` on the loop: passes on events of the transport, and writes, delivers batches and sends
/// notices as the link decides. It makes no decisions.
final class CuffLink {
    private(set) var state: LinkState
    private(set) var openingFault: IngestError?
    /// Why the transport ended, unless this side closed it.
    private(set) var transportFault: TransportFault?
    private let transport: any Transport
    private let loop: EventLoop
    private let pipeline: Pipeline
    private let memory: DriverMemory?
    private let notify: (LinkNotice) -> Void
    private let submitted: (Int) -> Void
    private var source = 0
    private var effects: [LinkEffect] = []
    /// The effects that are being performed. A second buffer, so that no event allocates one.
    private var due: [LinkEffect] = []
    private var isPerforming = false
    /// Outstanding records are being written, which must be on disk before the next effect.
    private var isPersisting = false
    private var isFlushPending = false
    /// Values to store once the present write has ended.
    private var notes: [String: [UInt8]] = [:]
    private var isRemembering = false
    private var isTransportOpen = false
    private var isTransportClosed = false
    /// The final notice, sent once the transport is closed.
    private var ending: LinkNotice?
    private var timer: LoopTimer!

    /// `notify` and `submitted` (the number of readings passed to the sinks) are called on the loop and must not block.
    init(
        _ setup: LinkState.Setup, transport: any Transport, pipeline: Pipeline, memory: DriverMemory? = nil,
        on loop: EventLoop = .shared, notify: @escaping (LinkNotice) -> Void = { _ in }, submitted: @escaping (Int) -> Void = { _ in }
    ) {
        var setup = setup
        setup.isLineUnchecked = !transport.checksBytes
        state = LinkState(setup)
        self.transport = transport
        self.pipeline = pipeline
        self.memory = memory
        self.loop = loop
        self.notify = notify
        self.submitted = submitted
        timer = LoopTimer(loop) { [weak self] in self?.handle(.timePassed) }
    }

    var counters: LinkCounters { state.counters }

    /// Opens the device. Must be called on the loop, once.
    func start() {
        let me = LoopBound(self)
        source = pipeline.attach(
            Pipeline.Source(
                mayThin: true, wantsCommits: state.hearsCommits,
                committed: { [loop] through in loop.async { me.value.handle(.committed(through: through)) } },
                passedOn: { [loop] through in loop.async { me.value.handle(.passedOn(through: through)) } },
                paused: { [loop] isFull in loop.async { me.value.handle(.sinksFull(isFull)) } }))
        loop.offload({ Result { () throws(IngestError) in try me.value.transport.open() } }) { result in me.value.opened(result) }
    }

    private func opened(_ result: Result<Void, IngestError>) {
        do throws(IngestError) {
            try result.get()
            guard !state.isEnded else { return closed(nil) }
            isTransportOpen = true
            try transport.start(on: loop) { [weak self] in self?.receive($0) }
            // The sinks may have been full before the transport could be paused.
            if state.isReadingPaused { transport.pause() }
        } catch {
            isTransportOpen = false
            openingFault = error
            closed(error)
        }
    }

    /// Must be called on the loop.
    func handle(_ event: LinkEvent) {
        state.handle(event, at: HostClock.linkTime, into: &effects)
        perform()
    }

    private func receive(_ event: TransportEvent) {
        if case .closed(let error) = event { closed(error) } else { handle(.transport(event)) }
    }

    private func closed(_ error: (any Error)?) {
        isTransportClosed = true
        // A later close does not change the reason.
        transportFault = transportFault ?? error as? TransportFault
        handle(.transport(.closed(error)))
        conclude()
    }

    // MARK: Effects

    /// Performs effects one after the other: a transport may report `sent` before `write` returns, and records that must be on
    /// disk first delay the rest.
    private func perform() {
        guard !isPerforming, !isPersisting else { return }
        isPerforming = true
        while !effects.isEmpty, !isPersisting {
            swap(&due, &effects)
            for index in due.indices {
                perform(due[index])
                guard isPersisting else { continue }
                effects = due[(index + 1)...] + effects
                break
            }
            due.removeAll(keepingCapacity: true)
        }
        isPerforming = false
        let (deadline, hasNews) = Self.deadlineAndNews(of: &state)
        timer.set(deadline?.nanoseconds)
        guard hasNews, !isFlushPending else { return }
        isFlushPending = true
        loop.atTurnEnd { [self] in
            isFlushPending = false
            state.flush(into: &effects)
            perform()
        }
    }

    /// `inout`, because reading a property of a value in a class copies the whole value.
    private static func deadlineAndNews(of state: inout LinkState) -> (Duration?, Bool) { (state.deadline, state.hasNews) }

    private func perform(_ effect: LinkEffect) {
        switch effect {
        case .write(let bytes): transport.write(bytes)
        case .writeFeature(let bytes): transport.writeFeature(bytes)
        case .pauseReading: transport.pause()
        case .resumeReading: transport.resume()
        case .submit(let batch): submit(batch)
        case .remember(let key, let value): remember(key, value)
        case .persist(let records, let device, let durably): persist(records, device, durably)
        case .notify(.ended(let outcome)):
            ending = .ended(outcome)
            conclude()
        case .notify(let notice): notify(notice)
        case .close: if isTransportOpen { transport.close() }
        }
    }

    private func submit(_ batch: ReadingBatch) {
        var batch = batch
        batch.source = source
        let readings = batch.readings
        pipeline.submit(batch)
        submitted(readings)
        let thinned = pipeline.removeThinned(source)
        if thinned > 0 { state.handle(.thinned(samples: thinned), at: HostClock.linkTime, into: &effects) }
    }

    private func persist(_ records: OutstandingRecords, _ device: String, _ durably: Bool) {
        guard let memory else { return }
        // Not on the loop: a slow folder would delay every other cuff.
        isPersisting = true
        let (me, loop, driver) = (LoopBound(self), loop, state.driver.id)
        StateFile.queue.async { @Sendable in
            let result = Result { () throws(IngestError) in try memory.persist(records, driver, device: device, durably: durably) }
            loop.async { me.value.persisted(result) }
        }
    }

    private func persisted(_ result: Result<Void, IngestError>) {
        isPersisting = false
        warn(result)
        perform()
        conclude()
    }

    /// One write at a time; values that arrive meanwhile are written together.
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
            let result = Result { () throws(IngestError) in try memory.store(driver, values) }
            loop.async {
                me.value.warn(result)
                me.value.isRemembering = false
                me.value.writeNotes()
                me.value.conclude()
            }
        }
    }

    private func warn(_ result: Result<Void, IngestError>) {
        if case .failure(let error) = result { notify(.diagnostic(.warning(error.description))) }
    }

    /// Reports the end when the link has ended, its device is closed and what it stores is written.
    private func conclude() {
        guard let ending, isTransportClosed, !isPersisting, !isRemembering else { return }
        self.ending = nil
        timer.set(nil)
        pipeline.detach(source)
        notify(ending)
    }
}
