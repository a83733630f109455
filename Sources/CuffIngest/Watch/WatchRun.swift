import CuffCore
import Dispatch
import Glibc

/// Performs what `WatchState` decides, on one serial queue: links, timer, watcher, signals, the service manager.
final class WatchRun: @unchecked Sendable {
    private let queue = DispatchQueue(label: "cuff.watch")
    private let watch: WatchOptions
    private let options: IngestOptions
    private let pipeline: Pipeline
    private let done = Gate(isOpen: false)
    private let service = ServiceNotifier()
    private let began = HostClock.monotonic()

    // From here on: touched on `queue` alone.
    private var state: WatchState
    private var links: [LinkID: Link] = [:]
    private var watcher: (any HotplugSource)?
    private var timer: (any DispatchSourceTimer)?
    private var hangup: (any DispatchSourceSignal)?
    private var watchdog: (any DispatchSourceTimer)?
    private var question: (any DispatchSourceSignal)?
    private var schedules: WatchSchedules?
    private var stopRequest: MeasurementSignal?
    private var isStopping = false
    private var ignored = IgnoredFrames()
    /// Ports for cuffs that call; set before `start`.
    private var callers: [CallerLinks] = []
    private var openPorts = 0
    /// What closed links counted, by driver.
    private var closed: [DriverID: IngestCounters] = [:]
    private var code: Int32 = 0
    private var endCode: Int32?

    private struct Link {
        var link: CuffLink
        var plan: LinkPlan
        /// The command that is under way last in the row: with it, all is done that can be finished.
        var commands: [SessionCommand]
        var failure: LinkEnd?
        /// Of a process that died while it measured, or of the measurement that runs.
        var mark: MeasurementMarks.Held?
        var schedule: String?
    }

    init(_ watch: WatchOptions, _ options: IngestOptions, _ pipeline: Pipeline) {
        self.watch = watch
        self.options = options
        self.pipeline = pipeline
        state = WatchState(settings: watch.settings, assignments: watch.assignments)
    }

    func start() throws(HotplugFault) {
        let watcher = watch.hears?(queue) ?? HotplugWatcher(queue: queue, source: watch.source)
        queue.sync {
            self.watcher = watcher
            listenForHangup()
            listenForQuestions()
            startWatchdog()
            keepSchedules()
        }
        do throws(HotplugFault) {
            try watcher.start { @Sendable [weak self] events in
                guard let self else { return }
                for event in events { handle(.hotplug(event)) }
                if events.contains(.settled) { service.ready(status) }
            }
        } catch {
            queue.sync { end(0) }
            throw error
        }
    }

    /// Binds every port, or throws; before `start`.
    func listen() throws(IngestError) {
        for plan in watch.listens {
            guard let driver = CuffDrivers.named("\(plan.driver)") else { continue }
            var setup = CallerLinks.Setup(driver: driver, commands: LinkPlan.commands(for: driver))
            setup.options = options.driverOptions
            setup.memory = options.memory
            let options = options
            let links = try CallerLinks(plan.host, plan.port, setup, pipeline) { [weak self] news in
                options.tell(news)
                guard let self else { return }
                switch news {
                case .came, .left: queue.async { @Sendable in self.service.status(self.status) }
                case .empty: queue.async { @Sendable in self.portClosed() }
                case .event, .refused: break
                }
            }
            callers.append(links)
            try links.start()
            watch.notices(.watcher("listening on \(links.listener.address) for \(plan.driver)"))
        }
        openPorts = callers.count
    }

    /// Where the run could not begin.
    func closePorts() { for links in callers { links.stop() } }

    private func portClosed() {
        openPorts -= 1
        if openPorts == 0, let code = endCode { end(code) }
    }

    /// Closes the links, then ends; a second call changes nothing.
    func stop() {
        queue.async { @Sendable in
            guard !self.isStopping else { return }
            self.isStopping = true
            self.service.stopping()
            self.schedules?.stop()
            self.closePorts()
            self.handle(.stop)
            // Half of the grace is the links', the other half the sinks'.
            self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(self.watch.grace.nanoseconds / 2))) { @Sendable in
                self.end(self.code)
            }
        }
    }

    /// Blocks until the run is over; answers its exit code.
    func wait() -> Int32 {
        done.pass()
        return queue.sync { code }
    }

    var counters: IngestCounters { queue.sync { total } }

    private var total: IngestCounters {
        let called = callers.reduce(into: IngestCounters()) { $0 += $1.counters }
        return links.values.reduce(into: closed.values.reduce(into: called) { $0 += $1 }) { $0 += $1.link.counters }
    }

    /// Not to be asked for on the watch's own queue.
    var statistics: RunStatistics {
        var statistics = queue.sync { () -> RunStatistics in
            let open = links.sorted { $0.key < $1.key }.map {
                RunStatistics.Link(place: $1.plan.place, driver: $1.plan.driver, counters: $1.link.counters)
            }
            var drivers = closed
            for link in open { drivers[link.driver, default: IngestCounters()] += link.counters }
            for (plan, links) in zip(watch.listens, callers) { drivers[plan.driver, default: IngestCounters()] += links.counters }
            return RunStatistics(
                elapsed: now, links: open, drivers: drivers.map { ($0, $1) }.sorted { "\($0.driver)" < "\($1.driver)" }, sinks: [],
                commits: LatencyHistogram())
        }
        statistics.sinks = pipeline.reports
        statistics.commits = pipeline.commits
        return statistics
    }

    private var now: Duration { .nanoseconds(HostClock.monotonic() - began) }

    private func handle(_ event: WatchState.Event) {
        for effect in state.handle(event, at: now) {
            switch effect {
            case .open(let id, let plan): open(id, plan)
            case .close(let id): links[id]?.link.stop()
            case .wake(let time): wake(at: time)
            case .tell(let notice):
                watch.notices(notice)
                service.status(status)
            case .end(let code):
                // Callers are links as well, and take their time to end in order.
                if openPorts == 0 { end(code) } else { endCode = code }
            }
        }
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
        let link = CuffLink(
            driver: driver, device: plan.identity, transport: plan.address.transport(for: driver, line: plan.line),
            pipeline: pipeline, options: plan.options, memory: options.memory
        ) { [weak self] event in
            guard let self else { return }
            queue.async { @Sendable in self.take(event, from: id) }
        }
        var commands = LinkPlan.commands(for: driver, isScheduled: plan.isScheduled)
        let mark = marks?.left(driver.id, plan.address)
        if mark != nil, driver.capabilities.contains(.stop) {
            commands.insert(.stop, at: 0)
            options.diagnostics(.warning("\(plan.place): a measurement was not ended in order; the cuff is told to stop first"))
        }
        link.recovering = mark?.former
        links[id] = Link(link: link, plan: plan, commands: commands, mark: mark)
        link.start(commands)
        if commands == [.follow] { queue.async { @Sendable in self.handle(.listening(id)) } }
    }

    /// The state still waits for the link to open or end.
    private func refuse(_ id: LinkID, _ error: IngestError) {
        let sentence = error.sentence + (error.cure.isEmpty ? "" : "; fix: \(error.cure)")
        queue.async { @Sendable in self.handle(.ended(id, .refused(sentence, exitCode: error.status.rawValue))) }
    }

    private func take(_ event: LinkEvent, from id: LinkID) {
        guard let link = links[id] else { return }
        switch event {
        case .readings:
            handle(.received(id))
            service.status(status)
        case .diagnostic(let diagnostic):
            if case .ignored(let why, let bytes) = diagnostic {
                // At the default level without the bytes: a record is somebody's reading.
                if let sentence = ignored.sentence("\(link.plan.place): \(why)", bytes.count) { options.diagnostics(.warning(sentence)) }
                options.diagnostics(.note("\(link.plan.place): \(diagnostic.sentence)"))
            } else {
                options.diagnostics(diagnostic.at(link.plan.place))
            }
        case .identified, .clock, .cycle: break
        case .measurement(.ended(let end), _):
            if case .failed(.lost) = end { link.mark?.leave() } else { link.mark?.remove() }
            links[id]?.mark = nil
            links[id]?.schedule = nil
            if let key = link.schedule { schedules?.ended(key, end) }
        case .measurement: break
        case .finished(.stop, let outcome):
            // What was left behind by another process is put right, unless nobody answered: then the next one tries again.
            if outcome == .complete { link.mark?.remove() } else { link.mark?.leave() }
            links[id]?.mark = nil
        case .finished(let command, let outcome):
            if command != .follow, link.commands.last == .follow {
                if let sentence = outcome.sentence { options.diagnostics(.note("\(link.plan.place): \(sentence); listening")) }
                handle(.listening(id))
            }
        case .ended(let outcome, let fault):
            links[id] = nil
            closed[link.plan.driver, default: IngestCounters()] += link.link.counters
            let hint = link.link.counters.settingsHint(for: link.link.driver, line: link.plan.line)
            handle(.ended(id, LinkEnd(outcome, fault, opening: link.link.openingFault).hinting(hint)))
        }
    }

    // MARK: Automatic measurements

    private var marks: MeasurementMarks? { options.memory.map { MeasurementMarks($0) } }

    private func keepSchedules() {
        guard !watch.settings.isOnce, let memory = options.memory else { return }
        let notices = watch.notices
        let schedules = WatchSchedules(
            ScheduleFolder(memory), queue: queue, now: watch.now, tell: { notices(.watcher($0)) },
            changed: { [weak self] in
                guard let self else { return }
                handle(.scheduled(self.schedules?.schedules ?? []))
            },
            measure: { [weak self] schedule, answer in self?.measure(schedule, answer) ?? answer(.absent) })
        self.schedules = schedules
        schedules.start()
        stopRequest = MeasurementSignal { [weak self] in
            guard let self else { return }
            queue.async { @Sendable in for link in self.links.values { link.link.stopMeasurement() } }
        }
    }

    private func measure(_ schedule: HostSchedule, _ answer: @escaping @Sendable (WatchSchedules.Answer) -> Void) {
        guard !isStopping, let id = links.keys.sorted().first(where: { links[$0].map { schedule.fits($0.plan) } ?? false }),
            let link = links[id]
        else { return answer(.absent) }
        let mark: MeasurementMarks.Held?
        do throws(IngestError) {
            mark = try marks.map { (marks) throws(IngestError) in try marks.place(link.link.driver.id, link.plan.address) }
        } catch { return answer(.busy) }
        links[id]?.mark = mark
        links[id]?.schedule = schedule.key
        link.link.measureNow(trigger: .automatic, limit: nil) { began in
            if !began { mark?.remove() }
            answer(began ? .begun : .busy)
        }
    }

    // MARK: Time and signals

    private func wake(at time: Duration?) {
        timer?.cancel()
        timer = nil
        guard let time else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .nanoseconds(Int(max(0, (time - now).nanoseconds))), leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable [weak self] in
            guard let self else { return }
            // The state's next wish counts, also when it is for the same time as this one was.
            self.timer?.cancel()
            self.timer = nil
            handle(.timer)
        }
        timer.activate()
        self.timer = timer
    }

    private func listenForHangup() {
        guard watch.reload != nil else { return }
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: queue)
        source.setEventHandler { @Sendable [weak self] in self?.reload() }
        source.activate()
        hangup = source
    }

    /// SIGUSR1 asks how things are.
    private func listenForQuestions() {
        signal(SIGUSR1, SIG_IGN)
        // Not on a global queue: the first use of one starts libdispatch's watch over its pool of threads, a timer that
        // wakes the process every second for good.
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: DispatchQueue(label: "cuff.watch.questions"))
        source.setEventHandler { @Sendable [weak self] in
            guard let self else { return }
            watch.statistics(statistics.text)
        }
        source.activate()
        question = source
    }

    private func reload() {
        guard let read = watch.reload, !isStopping else { return }
        // Whoever rotates the sinks' files says so with the same signal.
        pipeline.reopen()
        service.reloading()
        do throws(IngestError) {
            handle(.reload(try read()))
            watch.notices(.watcher("read the configuration again"))
        } catch {
            watch.notices(.watcher("the configuration stays as it was: \(error.description)"))
        }
        service.ready(status)
    }

    /// Through this queue, so that a watch that hangs is found out.
    private func startWatchdog() {
        guard let interval = service.watchdogInterval else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let step = DispatchTimeInterval.nanoseconds(Int(interval.nanoseconds))
        timer.schedule(deadline: .now() + step, repeating: step, leeway: .seconds(1))
        let service = service
        timer.setEventHandler { @Sendable in service.watchdog() }
        timer.activate()
        watchdog = timer
    }

    private func end(_ code: Int32) {
        guard let watcher else { return }
        self.code = code
        watcher.stop()
        self.watcher = nil
        schedules?.stop()
        stopRequest?.cancel()
        timer?.cancel()
        hangup?.cancel()
        question?.cancel()
        watchdog?.cancel()
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
