import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// How devices are watched, beside what every run needs.
public struct WatchOptions: Sendable {
    /// The devices that the user assigned.
    public var assignments: [Assignment] = []
    /// Once-mode, pauses and repetition.
    public var settings = WatchState.Settings()
    /// The alert rules, and who is who at which cuff.
    public var alerts: AlertSettings = AlertSettings()
    /// Called on SIGHUP: what they are now. An error is told and changes nothing.
    public var reloadAlerts: (@Sendable () throws(IngestError) -> AlertSettings)?
    /// Called on SIGHUP, after which file sinks look for rotated files, too: what the assignments are now. An error is told and
    /// changes nothing.
    public var reload: (@Sendable () throws(IngestError) -> [Assignment])?
    /// Hears what the watch does, from any thread.
    public var notices: @Sendable (WatchNotice) -> Void = { _ in }
    /// From the signal to stop to the end, whatever links and sinks do. What was not stored by then stays in the cuff.
    public var grace: Duration = .seconds(10)
    /// Hears the statistics as text: on SIGUSR1, and at the end where `showsStatistics` asks for it.
    public var statistics: @Sendable (String) -> Void = { _ in }
    /// Whether `statistics` is called at the end.
    public var showsStatistics = false
    /// A port of 127.0.0.1 that answers with the same as OpenMetrics; 0 takes any.
    public var metricsPort: Int?
    /// Where the live page is served, with the counters; it shows readings to whoever can reach the address.
    public var web: WebAddress?
    /// Name and version of the program, for the foot of the live page.
    public var generator = "cuff"
    /// Ports for cuffs that call.
    public var listens: [ListenPlan] = []
    /// udevd's events or the kernel's; by itself it takes udevd's where udevd runs.
    public var source: HotplugWatcher.Source?
    /// Another place than udev to hear of devices from, on the given queue.
    var hears: (@Sendable (DispatchQueue) -> any HotplugSource)?
    /// The wall clock of automatic measurements, in seconds since 1970.
    var now: @Sendable () -> Int64 = { HostClock.now().seconds }

    /// Nothing assigned, udev as the source, until stopped.
    public init() {}
}

/// What a watch raises alerts by.
public struct AlertSettings: Sendable, Hashable {
    /// The rules.
    package var rules: [AlertRule] = []
    /// Who is who at which cuff.
    package var persons = AlertPersons()

    /// No rules.
    public init() {}

    /// What a configuration says.
    public init(_ configuration: CuffConfiguration) {
        rules = configuration.alerts.map(\.rule)
        persons = configuration.persons
    }
}

extension Ingest {
    /// Every claimed or assigned cuff, from now on until stopped, or in once-mode until all is read. Each has a link of its
    /// own; all end in the same sinks.
    public static func watch(
        _ watch: WatchOptions = WatchOptions(), options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        let faults = SinkFaults { options.diagnostics(.warning(options.explain($0))) }
        if let port = watch.metricsPort, UInt16(exactly: port) == nil { throw IngestError(TransportFault.notAPort("\(port)")) }
        let current = Locked<(@Sendable () -> RunStatistics)?>(nil)
        let alerts = Self.alerts(watch, options)
        let servers = WatchServers(watch, options, alerts: { alerts?.standing ?? [] }) { current.withLock { $0 }?() }
        defer { servers.stop() }
        var options = options
        if let board = servers.board {
            // Without any sink standard output is meant, and the page is no substitute for it.
            if options.sinks.isEmpty && options.moreSinks.isEmpty { options.sinks = [.stdout] }
            options.moreSinks.append(board)
        }
        if let alerts {
            if options.sinks.isEmpty && options.moreSinks.isEmpty { options.sinks = [.stdout] }
            options.moreSinks.append(alerts)
        }
        let pipeline = try pipeline(options, policy: watch.settings.isOnce ? .stop : .retry, series: .ofResults) { faults.take($0, $1) }
        if let board = servers.board { pipeline.whenSourcesChange { board.linkChanged($0, isOpen: $1) } }
        alerts?.attach(to: pipeline)
        let run = WatchRun(watch, options, pipeline)
        run.alerts = alerts
        do throws(IngestError) { try run.listen() } catch {
            run.closePorts()
            try? pipeline.finish()
            throw error
        }
        let bound = LoopBound(run)
        pipeline.whenStopped { bound.value.stop() }
        current.withLock { $0 = { bound.value.statistics } }
        var report = IngestReport()
        do throws(HotplugFault) { try run.start() } catch {
            try? pipeline.finish()
            throw IngestError(DeviceFault.cannotWatch(error))
        }
        let number = options.stop.whenRaised { bound.value.stop() }
        defer { options.stop.forget(number) }
        let status = run.wait()
        report.counters = run.counters
        report.status = status
        if report.status == .unavailable && report.counters.readings == 0 {
            report.endings.append(.nothingPluggedIn)
        }
        defer { if watch.showsStatistics { watch.statistics(run.statistics.text) } }
        // A watch has ended when its links have, whether it was told to or not: from now on the time counts.
        let ended = StopSignal()
        ended.raise()
        try finish(pipeline, &report, stop: ended, grace: watch.grace)
        return report
    }

    /// Who keeps the alert rules of a watch; `nil` where there are none and none can come.
    private static func alerts(_ watch: WatchOptions, _ options: IngestOptions) -> WatchAlerts? {
        guard !watch.alerts.rules.isEmpty || watch.reloadAlerts != nil else { return nil }
        let databases = options.sinks.filter { $0.kind.traits.contains(.database) }.map(\.path)
        let (notices, seconds) = (watch.notices, watch.now)
        return WatchAlerts(
            watch.alerts.rules, persons: watch.alerts.persons, file: options.memory?.file("alerts"), databases: databases,
            now: { Timestamp(seconds: seconds()) }, tell: { notices(.watcher($0)) })
    }

    /// The readings of every cuff of a watch, as `watch` gives them, until the loop is left.
    public static func readings(
        watching watch: WatchOptions, isKeeping: Bool = false, options: IngestOptions = IngestOptions()
    ) -> ReadingSequence {
        ReadingSequence(options, isKeeping: isKeeping) { (options) throws(IngestError) in try Ingest.watch(watch, options: options) }
    }
}

/// Tells of a failing sink once, and of its recovery not at all: the next fault is told when its words are new.
private final class SinkFaults: Sendable {
    private let told = Locked<[String: IngestError]>([:])
    private let tell: @Sendable (IngestError) -> Void

    init(_ tell: @escaping @Sendable (IngestError) -> Void) { self.tell = tell }

    func take(_ sink: String, _ error: IngestError) {
        let isNews = told.withLock { $0.updateValue(error, forKey: sink) != error }
        if isNews { tell(error) }
    }
}
