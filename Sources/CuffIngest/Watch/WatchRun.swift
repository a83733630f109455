import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// Performs the effects of `WatchState` on the loop: links, timer, watcher, signals, the service manager.
final class WatchRun {
    let loop = EventLoop.shared
    /// Handlers may block.
    let listeners = DispatchQueue(label: "cuff.notices")
    let watch: WatchOptions
    let options: IngestOptions
    let pipeline: Pipeline
    let done = Gate(isOpen: false)
    let service = ServiceNotifier()
    let began = HostClock.monotonic()

    var state: WatchState
    var links: [LinkID: Link] = [:]
    var watcher: (any HotplugSource)?
    lazy var timer = LoopTimer(loop) { [weak self] in self?.handle(.timer) }
    lazy var watchdog = LoopTimer(loop) { [weak self] in self?.feedWatchdog() }
    lazy var graceTimer = LoopTimer(loop) { [weak self] in self.map { $0.end($0.status) } }
    var signals: [SignalListener] = []
    var hangup: HangupSignal?
    var schedules: WatchSchedules?
    var alerts: WatchAlerts?
    var page: Locked<PageSettings>?
    /// The present schedules.
    var kept: [HostSchedule] = []
    var ownCycles: [OwnCycle] = []
    var stopRequest: SignalListener?
    var isStopping = false
    var ignored = IgnoredFrames()
    /// Of the open ports.
    var callers: [CallerLinks] = []
    var ports: [RetriedStart] = []
    var sources: [SourceRun] = []
    var openPorts = 0
    /// Set while links of callers are closing.
    var endStatus: RunStatus?
    /// The counters of closed links, by driver.
    var closed: [DriverID: LinkCounters] = [:]
    var status = RunStatus.done

    struct Link {
        var plan: LinkPlan
        var driver: CuffDriver
        /// `nil` while its state files are being read.
        var link: CuffLink?
        /// The last of the commands: when it ends, all that can be completed is.
        var commands: [SessionCommand]
        /// Of a process that died during a measurement, or of the running measurement.
        var mark: MeasurementMarks.Held?
        var schedule: String?

        var counters: LinkCounters { link?.counters ?? LinkCounters() }
    }

    init(_ watch: WatchOptions, _ options: IngestOptions, _ pipeline: Pipeline) {
        self.watch = watch
        self.options = options
        self.pipeline = pipeline
        state = WatchState(settings: watch.settings, assignments: watch.assignments, drivers: options.drivers)
    }

    // MARK: From the thread that runs the watch

    /// A source of the configuration that cannot be started is reported and left out.
    private func checkSources() throws(IngestError) {
        let notices = watch.notices
        var names: Set<String> = []
        for plan in watch.sources {
            do throws(IngestError) {
                try check(plan, isNew: names.insert(plan.name).inserted)
            } catch {
                guard watch.sourcesAreConfigured else { throw error }
                notices(.watcher("no source \(plan.name): \(error)"))
                continue
            }
            sources.append(SourceRun(plan, pipeline) { notices(.watcher($0)) })
        }
    }

    private func check(_ plan: SourcePlan, isNew: Bool) throws(IngestError) {
        if watch.settings.isOnce { throw IngestError(SourceFault.once) }
        if !pipeline.isDurable { throw IngestError(SourceFault.notDurable) }
        if !isNew { throw IngestError(SourceFault.sameName(plan.name)) }
        try plan.find()
    }

    /// Returns when every source helper has ended.
    func endSources() {
        for source in sources { source.stop() }
        for source in sources { source.wait() }
    }

    /// Checks the sources and binds every port, or tries again later; before `start`.
    func listen() throws(IngestError) {
        try checkSources()
        for plan in watch.listens {
            guard let driver = options.driver("\(plan.driver)") else { throw .unknownDriver("\(plan.driver)") }
            if driver.forgets(options.driverOptions), !pipeline.isDurable {
                guard watch.listensAreConfigured else { throw .nothingKeeps(driver) }
                watch.notices(.watcher("not listening on \(plan): \(IngestError.nothingKeeps(driver))"))
                continue
            }
            var setup = CallerLinks.Setup(driver: driver, commands: LinkPlan.commands(for: driver))
            setup.options = options.driverOptions
            setup.memory = options.memory
            setup.zone = options.zone
            ports.append(port(plan, setup))
        }
        for port in ports { port.begin() }
    }

    private func port(_ plan: ListenPlan, _ setup: CallerLinks.Setup) -> RetriedStart {
        let (me, loop, pipeline, notices, explain) = (LoopBound(self), loop, pipeline, watch.notices, options.explain)
        return RetriedStart { () throws(IngestError) in
            let links = try CallerLinks(plan.host, plan.port, setup, pipeline, on: loop) { [weak run = me.value] in run?.hear($0) }
            let bound = LoopBound(links)
            try loop.sync { () -> Result<Void, IngestError> in
                do throws(IngestError) { try bound.value.start() } catch { return .failure(error) }
                me.value.openPorts += 1
                me.value.callers.append(bound.value)
                if me.value.isStopping { bound.value.stop() }
                return .success(())
            }.get()
            notices(.watcher("listening on \(links.listener.address) for \(plan.driver)"))
        } failed: {
            notices(RetriedStart.notice("cannot accept cuffs", explain($0)))
        }
    }

    /// If the run could not be started.
    func closePorts() {
        let me = LoopBound(self)
        for port in ports { port.finish() }
        loop.sync { for links in me.value.callers { links.stop() } }
    }

    func start() throws(HotplugFault) {
        let queue = DispatchQueue(label: "cuff.hotplug")
        let watcher = watch.hears?(queue) ?? HotplugWatcher(queue: queue, source: watch.source)
        let me = LoopBound(self)
        loop.sync { me.value.begin(watcher) }
        for source in sources { source.start() }
        do throws(HotplugFault) {
            try watcher.start { @Sendable [loop] events in loop.async { me.value.hear(events) } }
        } catch {
            loop.sync { me.value.end(.done) }
            throw error
        }
    }

    /// Closes the links, then ends. From any thread.
    func stop() {
        let me = LoopBound(self)
        loop.async { me.value.beginToStop() }
    }

    /// Blocks until the run is over; returns its status.
    func wait() -> RunStatus {
        done.pass()
        let me = LoopBound(self)
        let status = loop.sync { me.value.status }
        // Delivers all earlier notices.
        listeners.sync {}
        return status
    }

    var counters: LinkCounters {
        let me = LoopBound(self)
        return loop.sync { me.value.total }
    }

    /// Must not be called on the loop.
    var statistics: RunStatistics {
        let me = LoopBound(self)
        var statistics = loop.sync { me.value.currentStatistics }
        statistics.sinks = pipeline.reports
        statistics.commits = pipeline.commits
        return statistics
    }

    // MARK: On the loop

    func begin(_ watcher: any HotplugSource) {
        self.watcher = watcher
        listenForSignals()
        feedWatchdog()
        startSchedules()
    }

    func hear(_ notice: CallerLinks.Notice) {
        let options = options
        listeners.async { @Sendable in options.notify(notice) }
        switch notice {
        case .came, .left: notifyService { [summary] in $0.status(summary) }
        case .empty:
            openPorts -= 1
            if openPorts == 0, let status = endStatus { end(status) }
        case .link, .refused: break
        }
    }

    func hear(_ events: [HotplugEvent]) {
        for event in events { handle(.hotplug(event)) }
        guard events.contains(.settled) else { return }
        ProcessMemory.releaseCode()
        notifyService { [summary] in $0.ready(summary) }
    }

    func beginToStop() {
        guard !isStopping else { return }
        isStopping = true
        notifyService { $0.stopping() }
        schedules?.stop()
        for port in ports { port.cancel() }
        for links in callers { links.stop() }
        for source in sources { source.stop() }
        // The other half is for sinks.
        graceTimer.set(after: watch.grace / 2)
        handle(.stop)
    }

    var total: LinkCounters {
        let called = callers.reduce(into: LinkCounters()) { $0 += $1.counters }
        return links.values.reduce(into: closed.values.reduce(into: called) { $0 += $1 }) { $0 += $1.counters }
    }

    var currentStatistics: RunStatistics {
        let names = watch.names
        let open = links.sorted { $0.key < $1.key }.map {
            let name = names.contains($1.plan.identity) ? $1.plan.identity : ""
            return RunStatistics.Link(place: $1.plan.place, name: name, driver: $1.plan.driver, counters: $1.counters)
        }
        var drivers = closed
        for link in open { drivers[link.driver, default: LinkCounters()] += link.counters }
        for links in callers { drivers[links.driver, default: LinkCounters()] += links.counters }
        return RunStatistics(
            elapsed: now, links: open, drivers: drivers.map { ($0, $1) }.sorted { "\($0.driver)" < "\($1.driver)" }, sinks: [],
            commits: LatencyHistogram())
    }

    var now: Duration { .nanoseconds(HostClock.monotonic() - began) }

    func handle(_ event: WatchState.Event) {
        for effect in state.handle(event, at: now) {
            switch effect {
            case .open(let id, let plan): open(id, plan)
            case .close(let id): close(id)
            case .wake(let time): timer.set(time.map { began + $0.nanoseconds })
            case .tell(let notice):
                notify(notice)
                notifyService { [summary] in $0.status(summary) }
            case .end(let status):
                // Callers are links as well, and need time to close.
                if openPorts == 0 { end(status) } else { endStatus = status }
            }
        }
    }

    func notify(_ notice: WatchNotice) {
        let notices = watch.notices
        listeners.async { @Sendable in notices(notice) }
    }

    func notify(_ diagnostic: Diagnostic) {
        let diagnostics = options.diagnostics
        listeners.async { @Sendable in diagnostics(diagnostic) }
    }

    func notifyService(_ body: @escaping @Sendable (ServiceNotifier) -> Void) {
        let service = service
        listeners.async { @Sendable in body(service) }
    }

    var summary: String {
        let counters = total
        let open = links.count + callers.reduce(0) { $0 + $1.count }
        return "\(Plural.text(open, "cuff")) open, \(Plural.text(counters.readings, "reading"))"
    }

    func end(_ status: RunStatus) {
        guard let watcher else { return }
        self.status = status
        watcher.stop()
        self.watcher = nil
        schedules?.stop()
        // They hold the run.
        schedules = nil
        stopRequest?.cancel()
        for timer in [timer, watchdog, graceTimer] { timer.set(nil) }
        for listener in signals { listener.cancel() }
        signals = []
        done.set(open: true)
    }
}
