import CuffClinical
import CuffCore
import Glibc

extension Ingest {
    /// Reads every claimed or assigned cuff until stopped, or in once-mode until all is read. Each has its own link; all links use the
    /// same sinks.
    /// - Throws: An `IngestError` if a sink or a port for cuffs cannot be opened; of status `osError` if the devices cannot be watched,
    ///   of `usage` for an invalid metrics port.
    public static func watch(
        _ watch: WatchOptions = WatchOptions(), options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        let sinkFaults = Locked<SinkFaults>([:])
        if let port = watch.metricsPort, UInt16(exactly: port) == nil { throw IngestError(TransportFault.notAPort("\(port)")) }
        let current = Locked<(@Sendable () -> RunStatistics)?>(nil)
        var options = options
        options.household = watch.alerts.household
        let page = Locked(PageSettings(household: options.household, report: watch.report, skipped: watch.skipped.map(PageSettings.words)))
        let alerts = Self.alerts(watch, options)
        let facts = WebSite.Facts(
            counters: { current.withLock { $0 }?() }, alerts: { alerts?.standing ?? [] }, settings: { page.withLock { $0 } })
        let servers = WatchServers(watch, options, facts)
        defer { servers.stop() }
        // Defaults to standard output, which neither the page nor the alerts replace.
        if options.sinks.isEmpty && options.moreSinks.isEmpty { options.sinks = [.stdout] }
        if let board = servers.board { options.moreSinks.append(board) }
        if let alerts { options.moreSinks.append(alerts) }
        let policy: Pipeline.FaultPolicy = watch.settings.isOnce ? .stop : .retry
        let told = options
        let pipeline = try pipeline(options, policy: policy, series: .ofResults, survives: watch.survives) { sink, error in
            if Self.isNews(error, of: sink, in: sinkFaults) { told.diagnostics(.warning(told.explain(error))) }
        }
        if let board = servers.board { pipeline.whenSourcesChange { board.linkChanged($0, isOpen: $1) } }
        alerts?.attach(to: pipeline)
        let run = WatchRun(watch, options, pipeline)
        run.alerts = alerts
        run.page = page
        do throws(IngestError) { try run.listen() } catch {
            run.closePorts()
            try? pipeline.finish()
            throw error
        }
        let bound = LoopBound(run)
        pipeline.whenStopped { bound.value.stop() }
        current.withLock { $0 = { bound.value.statistics } }
        // The page holds them, and the run holds the page.
        defer { current.withLock { $0 = nil } }
        var report = IngestReport()
        do throws(HotplugFault) { try run.start() } catch {
            run.endSources()
            try? pipeline.finish()
            throw IngestError(DeviceFault.cannotWatch(error))
        }
        let number = options.stop.whenRaised { bound.value.stop() }
        defer { options.stop.forget(number) }
        let status = run.wait()
        run.endSources()
        report.counters = run.counters
        report.status = status
        if status == .unavailable && report.counters.readings == 0 { report.endings.append(.nothingPluggedIn) }
        defer { if watch.showsStatistics { watch.statistics(run.statistics.text) } }
        // The links had the first half of the grace period.
        let ended = StopSignal()
        ended.raise()
        try finish(pipeline, &report, stop: ended, grace: watch.grace / 2)
        return report
    }

    /// The last fault of each sink, and when it came.
    private typealias SinkFaults = [String: (error: IngestError, at: Int64)]

    /// Once, and again when the text changes or the sink worked in between: a sink that fails is tried again within a minute.
    private static func isNews(_ error: IngestError, of sink: String, in faults: Locked<SinkFaults>) -> Bool {
        let now = HostClock.monotonic()
        let last = faults.withLock { $0.updateValue((error, now), forKey: sink) }
        return last.map { $0.error != error || now - $0.at > 600_000_000_000 } ?? true
    }

    /// The alert rules of a watch; `nil` if there are no rules and a reload cannot add any.
    private static func alerts(_ watch: WatchOptions, _ options: IngestOptions) -> WatchAlerts? {
        guard !watch.alerts.rules.isEmpty || watch.reload != nil else { return nil }
        let databases = options.sinks.filter { $0.kind.traits.contains(.database) }.map(\.path)
        let (notices, seconds) = (watch.notices, watch.now)
        return WatchAlerts(
            watch.alerts.rules, household: watch.alerts.household, file: options.memory?.file("alerts"), databases: databases,
            hidesReadings: StandardErrorLog.leadsToJournal(STDERR_FILENO), now: { Timestamp(seconds: seconds()) },
            notify: { notices(.watcher($0)) })
    }
}

extension Cuffs {
    /// The readings of every cuff of a watch, as `watch` delivers them, until the loop is left.
    public static func readings(
        watching watch: WatchOptions = WatchOptions(), keeping: Bool = true, options: IngestOptions = .remembering
    ) -> ReadingSequence {
        ReadingSequence(options, isKeeping: keeping) { (options) throws(IngestError) in try Ingest.watch(watch, options: options) }
    }
}
