import CuffCore
import Dispatch
import Glibc

/// Performs what `WatchState` decides, on the loop: links, timer, watcher, signals, the service manager.
final class WatchRun {
    private let loop = EventLoop.shared
    /// Whoever hears of something may block.
    private let listeners = DispatchQueue(label: "cuff.notices")
    private let watch: WatchOptions
    private let options: IngestOptions
    private let pipeline: Pipeline
    private let done = Gate(isOpen: false)
    private let service = ServiceNotifier()
    private let began = HostClock.monotonic()

    private var state: WatchState
    private var links: [LinkID: Link] = [:]
    private var watcher: (any HotplugSource)?
    private lazy var timer = LoopTimer(loop) { [weak self] in self?.handle(.timer) }
    private lazy var watchdog = LoopTimer(loop) { [weak self] in self?.feedWatchdog() }
    private lazy var graceTimer = LoopTimer(loop) { [weak self] in self.map { $0.end($0.code) } }
    private var signals: [any DispatchSourceSignal] = []
    private var schedules: WatchSchedules?
    private var stopRequest: MeasurementSignal?
    private var isStopping = false
    private var ignored = IgnoredFrames()
    /// Ports for cuffs that call.
    private var callers: [CallerLinks] = []
    private var openPorts = 0
    /// Waits for the callers' links to end.
    private var endCode: Int32?
    /// What closed links counted, by driver.
    private var closed: [DriverID: LinkCounters] = [:]
    private var code: Int32 = 0

    private struct Link {
        var plan: LinkPlan
        var driver: CuffDriver
        /// `nil` while its state files are being read.
        var link: CuffLink?
        /// The command that is under way last in the row: with it, all is done that can be finished.
        var commands: [SessionCommand]
        /// Of a process that died while it measured, or of the measurement that runs.
        var mark: MeasurementMarks.Held?
        var schedule: String?

        var counters: LinkCounters { link?.counters ?? LinkCounters() }
    }

    init(_ watch: WatchOptions, _ options: IngestOptions, _ pipeline: Pipeline) {
        self.watch = watch
        self.options = options
        self.pipeline = pipeline
        state = WatchState(settings: watch.settings, assignments: watch.assignments)
    }

    // MARK: From the thread that runs the watch

    /// Binds every port, or throws; before `start`.
    func listen() throws(IngestError) {
        for plan in watch.listens {
            guard let driver = CuffDrivers.named("\(plan.driver)") else { throw .unknownDriver("\(plan.driver)") }
            if driver.forgets(options.driverOptions), !pipeline.isDurable { throw .nothingKeeps(driver) }
            var setup = CallerLinks.Setup(driver: driver, commands: LinkPlan.commands(for: driver))
            setup.options = options.driverOptions
            setup.memory = options.memory
            setup.zone = options.zone
            let links = try CallerLinks(plan.host, plan.port, setup, pipeline, on: loop) { [weak self] in self?.hear($0) }
            callers.append(links)
            let bound = LoopBound(links)
            try loop.sync { () -> Result<Void, IngestError> in
                do throws(IngestError) { try bound.value.start() } catch { return .failure(error) }
                return .success(())
            }.get()
            watch.notices(.watcher("listening on \(links.listener.address) for \(plan.driver)"))
        }
        openPorts = callers.count
    }

    /// Where the run could not begin.
    func closePorts() {
        let me = LoopBound(self)
        loop.sync { for links in me.value.callers { links.stop() } }
    }

    func start() throws(HotplugFault) {
        let queue = DispatchQueue(label: "cuff.hotplug")
        let watcher = watch.hears?(queue) ?? HotplugWatcher(queue: queue, source: watch.source)
        let me = LoopBound(self)
        loop.sync { me.value.begin(watcher) }
        do throws(HotplugFault) {
            try watcher.start { @Sendable [loop] events in loop.async { me.value.hear(events) } }
        } catch {
            loop.sync { me.value.end(0) }
            throw error
        }
    }

    /// Closes the links, then ends; a second call changes nothing. From any thread.
    func stop() {
        let me = LoopBound(self)
        loop.async { me.value.beginToStop() }
    }

    /// Blocks until the run is over; answers its exit code.
    func wait() -> Int32 {
        done.pass()
        let me = LoopBound(self)
        let code = loop.sync { me.value.code }
        // What was told before is out when this returns.
        listeners.sync {}
        return code
    }

    var counters: LinkCounters {
        let me = LoopBound(self)
        return loop.sync { me.value.total }
    }

    /// Not to be asked for on the loop.
    var statistics: RunStatistics {
        let me = LoopBound(self)
        var statistics = loop.sync { me.value.currentStatistics }
        statistics.sinks = pipeline.reports
        statistics.commits = pipeline.commits
        return statistics
    }

    // MARK: On the loop

    private func begin(_ watcher: any HotplugSource) {
        self.watcher = watcher
        listenForSignals()
        feedWatchdog()
        keepSchedules()
    }

    private func hear(_ notice: CallerLinks.Notice) {
        let options = options
        listeners.async { @Sendable in options.tell(notice) }
        switch notice {
        case .came, .left: tellService { [status] in $0.status(status) }
        case .empty:
            openPorts -= 1
            if openPorts == 0, let code = endCode { end(code) }
        case .link, .refused: break
        }
    }

    private func hear(_ events: [HotplugEvent]) {
        for event in events { handle(.hotplug(event)) }
        if events.contains(.settled) { tellService { [status] in $0.ready(status) } }
    }

    private func beginToStop() {
        guard !isStopping else { return }
        isStopping = true
        tellService { $0.stopping() }
        schedules?.stop()
        for links in callers { links.stop() }
        // Half of the grace is the links', the other half the sinks'.
        graceTimer.set(after: watch.grace / 2)
        handle(.stop)
    }

    private var total: LinkCounters {
        let called = callers.reduce(into: LinkCounters()) { $0 += $1.counters }
        return links.values.reduce(into: closed.values.reduce(into: called) { $0 += $1 }) { $0 += $1.counters }
    }

    private var currentStatistics: RunStatistics {
        let open = links.sorted { $0.key < $1.key }.map {
            RunStatistics.Link(place: $1.plan.place, driver: $1.plan.driver, counters: $1.counters)
        }
        var drivers = closed
        for link in open { drivers[link.driver, default: LinkCounters()] += link.counters }
        for (plan, links) in zip(watch.listens, callers) { drivers[plan.driver, default: LinkCounters()] += links.counters }
        return RunStatistics(
            elapsed: now, links: open, drivers: drivers.map { ($0, $1) }.sorted { "\($0.driver)" < "\($1.driver)" }, sinks: [],
            commits: LatencyHistogram())
    }

    private var now: Duration { .nanoseconds(HostClock.monotonic() - began) }

    private func handle(_ event: WatchState.Event) {
        for effect in state.handle(event, at: now) {
            switch effect {
            case .open(let id, let plan): open(id, plan)
            case .close(let id): close(id)
            case .wake(let time): timer.set(time.map { began + $0.nanoseconds })
            case .tell(let notice):
                tell(notice)
                tellService { [status] in $0.status(status) }
            case .end(let code):
                // Callers are links as well, and take their time to end in order.
                if openPorts == 0 { end(code) } else { endCode = code }
            }
        }
    }

    private func tell(_ notice: WatchNotice) {
        let notices = watch.notices
        listeners.async { @Sendable in notices(notice) }
    }

    private func tell(_ diagnostic: Diagnostic) {
        let diagnostics = options.diagnostics
        listeners.async { @Sendable in diagnostics(diagnostic) }
    }

    private func tellService(_ body: @escaping @Sendable (ServiceNotifier) -> Void) {
        let service = service
        listeners.async { @Sendable in body(service) }
    }

    private var status: String {
        let counters = total
        let open = links.count + callers.reduce(0) { $0 + $1.count }
        return "\(open) cuff\(open == 1 ? "" : "s") open, \(counters.readings) readings"
    }

    // MARK: Links

    private func open(_ id: LinkID, _ plan: LinkPlan) {
        guard let driver = CuffDrivers.named("\(plan.driver)") else { return refuse(id, .unknownDriver("\(plan.driver)")) }
        // It would forget what nobody has kept; other cuffs are none the worse for it.
        if driver.forgets(plan.options), !pipeline.isDurable { return refuse(id, .nothingKeeps(driver)) }
        let commands = LinkPlan.commands(for: driver, isScheduled: plan.isScheduled)
        links[id] = Link(plan: plan, driver: driver, commands: commands)
        let (me, memory, marks, address) = (LoopBound(self), options.memory, marks, plan.address)
        let zone = options.zone
        StateFile.queue.async { @Sendable [loop] in
            var setup = LinkState.Setup.remembering(
                driver, device: plan.identity, options: plan.options, memory: memory, commands: commands)
            setup.zone = zone ?? HostZone.local()
            let (made, mark) = (setup, marks?.left(driver.id, address))
            loop.async { me.value.connect(id, made, mark) }
        }
    }

    private func connect(_ id: LinkID, _ setup: LinkState.Setup, _ mark: MeasurementMarks.Held?) {
        guard let entry = links[id] else { return }
        let (plan, driver) = (entry.plan, entry.driver)
        var setup = setup
        setup.keepsReadings = pipeline.isDurable
        if let mark, driver.capabilities.contains(.stop) {
            setup.commands.insert(.stop, at: 0)
            setup.recovering = mark.former
            tell(.warning("\(plan.place): a measurement was not ended in order; the cuff is told to stop first"))
        }
        let link = CuffLink(
            setup, transport: plan.address.transport(for: driver, line: plan.line), pipeline: pipeline, memory: options.memory, on: loop,
            tell: { [weak self] in self?.handle($0, from: id) }, submitted: { [weak self] in self?.received(id, $0) })
        links[id]?.link = link
        links[id]?.commands = setup.commands
        links[id]?.mark = mark
        link.start()
        if setup.commands == [.follow] { handle(.listening(id)) }
    }

    /// The state still waits for the link to open or end.
    private func refuse(_ id: LinkID, _ error: IngestError) {
        let sentence = error.sentence + (error.cure.isEmpty ? "" : "; fix: \(error.cure)")
        loop.atTurnEnd { [self] in handle(.ended(id, .refused(sentence, exitCode: error.status.rawValue))) }
    }

    private func close(_ id: LinkID) {
        guard let entry = links[id] else { return }
        if let link = entry.link { return link.handle(.stop(within: Measurement.deflationWait + .seconds(1))) }
        links[id] = nil
        loop.atTurnEnd { [self] in handle(.ended(id, .closed)) }
    }

    private func received(_ id: LinkID, _ readings: Int) {
        guard readings > 0 else { return }
        handle(.received(id))
        if service.isListening { tellService { [status] in $0.status(status) } }
    }

    private func handle(_ notice: LinkNotice, from id: LinkID) {
        guard let entry = links[id] else { return }
        switch notice {
        case .diagnostic(let diagnostic):
            guard case .ignored(let why, let bytes) = diagnostic else { return tell(diagnostic.at(entry.plan.place)) }
            // At the default level without the bytes: a record is somebody's reading.
            if let sentence = ignored.sentence("\(entry.plan.place): \(why)", bytes.count) { tell(.warning(sentence)) }
            tell(.note("\(entry.plan.place): \(diagnostic.sentence)"))
        case .identified, .clock, .cycle: break
        case .measurement(.ended(let end), _):
            if case .failed(.lost) = end { leave(entry.mark) } else { remove(entry.mark) }
            links[id]?.mark = nil
            links[id]?.schedule = nil
            if let key = entry.schedule { schedules?.ended(key, end) }
        case .measurement: break
        case .finished(.stop, let outcome):
            // What was left behind by another process is put right, unless nobody answered: then the next one tries again.
            if outcome == .complete { remove(entry.mark) } else { leave(entry.mark) }
            links[id]?.mark = nil
        case .finished(let command, let outcome):
            if command != .follow, entry.commands.last == .follow {
                if let sentence = outcome.sentence { tell(.note("\(entry.plan.place): \(sentence); listening")) }
                handle(.listening(id))
            }
        case .ended(let outcome): ended(id, entry, outcome)
        }
    }

    private func ended(_ id: LinkID, _ entry: Link, _ outcome: Outcome) {
        links[id] = nil
        closed[entry.plan.driver, default: LinkCounters()] += entry.counters
        let hint = entry.counters.settingsHint(for: entry.driver, line: entry.plan.line)
        let end = LinkEnd(outcome, entry.link?.transportFault, opening: entry.link?.openingFault)
        handle(.ended(id, end.hinting(hint)))
    }

    // MARK: Automatic measurements

    private var marks: MeasurementMarks? { options.memory.map { MeasurementMarks($0) } }

    private func remove(_ mark: MeasurementMarks.Held?) { if let mark { StateFile.queue.async { mark.remove() } } }
    private func leave(_ mark: MeasurementMarks.Held?) { if let mark { StateFile.queue.async { mark.leave() } } }

    private func keepSchedules() {
        guard !watch.settings.isOnce, let memory = options.memory else { return }
        let (me, loop) = (LoopBound(self), loop)
        let schedules = WatchSchedules(
            ScheduleFolder(memory), now: watch.now, tell: { text in loop.async { me.value.tell(.watcher(text)) } },
            changed: { schedules in loop.async { me.value.handle(.scheduled(schedules)) } },
            measure: { schedule, answer in loop.async { me.value.measure(schedule, answer) } })
        self.schedules = schedules
        schedules.start()
        stopRequest = MeasurementSignal {
            loop.async { for entry in me.value.links.values { entry.link?.handle(.stopMeasurement) } }
        }
    }

    private func measure(_ schedule: HostSchedule, _ answer: @escaping @Sendable (WatchSchedules.Answer) -> Void) {
        guard !isStopping, let id = links.keys.sorted().first(where: { links[$0].map { schedule.fits($0.plan) } ?? false }),
            let entry = links[id]
        else { return answer(.absent) }
        guard entry.link?.state.isListening == true else { return answer(.busy) }
        let (me, loop, marks, driver, address) = (LoopBound(self), loop, marks, entry.driver.id, entry.plan.address)
        StateFile.queue.async { @Sendable in
            // The mark is durable before the cuff is told to inflate.
            var mark: MeasurementMarks.Held?
            do throws(IngestError) {
                mark = try marks.map { (marks) throws(IngestError) in try marks.place(driver, address) }
            } catch { return answer(.busy) }
            let held = mark
            loop.async { me.value.measure(id, schedule, held, answer) }
        }
    }

    private func measure(
        _ id: LinkID, _ schedule: HostSchedule, _ mark: MeasurementMarks.Held?, _ answer: (WatchSchedules.Answer) -> Void
    ) {
        guard !isStopping, let link = links[id]?.link, link.state.isListening else {
            remove(mark)
            return answer(.busy)
        }
        links[id]?.mark = mark
        links[id]?.schedule = schedule.key
        answer(.begun)
        link.handle(.measureNow(.automatic))
    }

    // MARK: Signals

    /// SIGHUP: read the configuration again. SIGUSR1: how are things.
    private func listenForSignals() {
        // Not on a global queue: the first use of one starts libdispatch's watch over its pool of threads, a timer that
        // wakes the process every second for good.
        let queue = DispatchQueue(label: "cuff.watch.signals")
        let (me, loop) = (LoopBound(self), loop)
        let (text, read) = (watch.statistics, watch.reload)
        if let read {
            listen(SIGHUP, queue) {
                let result: Result<[Assignment], IngestError>
                do throws(IngestError) { result = .success(try read()) } catch { result = .failure(error) }
                loop.async { me.value.reload(result) }
            }
        }
        listen(SIGUSR1, queue) { text(me.value.statistics.text) }
    }

    private func listen(_ number: Int32, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { @Sendable in body() }
        source.activate()
        signals.append(source)
    }

    private func reload(_ assignments: Result<[Assignment], IngestError>) {
        guard !isStopping else { return }
        // Whoever rotates the sinks' files says so with the same signal.
        pipeline.reopen()
        tellService { $0.reloading() }
        switch assignments {
        case .success(let assignments):
            handle(.reload(assignments))
            tell(.watcher("read the configuration again"))
        case .failure(let error): tell(.watcher("the configuration stays as it was: \(error.description)"))
        }
        tellService { [status] in $0.ready(status) }
    }

    /// From the loop, so that a loop that hangs is found out.
    private func feedWatchdog() {
        guard let interval = service.watchdogInterval, watcher != nil else { return }
        tellService { $0.watchdog() }
        watchdog.set(after: interval)
    }

    private func end(_ code: Int32) {
        guard let watcher else { return }
        self.code = code
        watcher.stop()
        self.watcher = nil
        schedules?.stop()
        stopRequest?.cancel()
        timer.set(nil)
        watchdog.set(nil)
        graceTimer.set(nil)
        for source in signals { source.cancel() }
        signals = []
        done.set(open: true)
    }
}

extension LinkPlan {
    var address: TransportAddress {
        switch target {
        case .plugged(let device): .path(device.node)
        case .node(let path): .path(path)
        case .tcp(let host, let port): .tcp(host: host, port: Int(port))
        }
    }
}

extension LinkEnd {
    init(_ outcome: Outcome, _ fault: TransportFault?, opening: IngestError?) {
        if let opening {
            self = .failed(opening.what + (opening.why.isEmpty ? "" : ": \(opening.why)"), exitCode: opening.status.rawValue)
        } else if let fault {
            self = fault == .unplugged ? .unplugged : .failed(fault.sentence, exitCode: EndStatus.inputOutput.rawValue)
        } else {
            switch outcome {
            case .complete: self = .complete
            case .aborted: self = .closed
            case .noAnswer(let why): self = .failed(why, exitCode: EndStatus.unavailable.rawValue)
            case .failed(let why): self = .failed(why, exitCode: EndStatus.protocolFault.rawValue)
            case .unsupported(let why): self = .failed(why, exitCode: EndStatus.usage.rawValue)
            }
        }
    }
}

extension LinkEnd {
    /// A cuff that did not answer, though bytes came, says more.
    fileprivate func hinting(_ hint: String?) -> LinkEnd {
        guard case .failed(let why, EndStatus.unavailable.rawValue) = self, let hint else { return self }
        return .failed("\(why); \(hint)", exitCode: EndStatus.protocolFault.rawValue)
    }
}
