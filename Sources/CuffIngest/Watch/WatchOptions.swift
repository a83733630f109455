import CuffCore
import Dispatch

/// The options of a watch, in addition to those of every run.
public struct WatchOptions: Sendable {
    package var assignments: [Assignment] = []
    /// Once-mode, pauses and repetition.
    package var settings = WatchState.Settings()
    package var alerts: AlertSettings = AlertSettings()
    /// Called on SIGHUP; then file sinks check for rotated files. An error is reported and changes nothing.
    package var reload: (@Sendable () throws(IngestError) -> WatchReload)?
    /// Called for events of the watch, from any thread.
    package var notices: @Sendable (WatchNotice) -> Void = { _ in }
    /// The time from the stop signal to the end. Readings not stored by then stay in the cuff.
    public var grace: Duration = .seconds(10)
    /// Receives the statistics as text: on SIGUSR1, and at the end if `showsStatistics`.
    public var statistics: @Sendable (String) -> Void = { _ in }
    /// Whether `statistics` is called at the end.
    public var showsStatistics = false
    /// A port of 127.0.0.1 that serves the statistics as OpenMetrics; 0 takes any.
    public var metricsPort: Int?
    /// The address of the live page, which shows readings to everyone who can reach it.
    package var web: WebAddress?
    package var report = ReportSettings()
    /// Why sections of the configuration were left out, for the live page.
    package var skipped: [IngestError] = []
    /// Name and version of the program, for the footer of the live page.
    public var generator = "cuff"
    /// The sinks are the configuration's.
    package var sinksAreConfigured = false
    /// Ports for cuffs that connect.
    package var listens: [ListenPlan] = []
    /// They are the configuration's, so that one that cannot be served is reported and left out.
    package var listensAreConfigured = false
    /// Programs that deliver readings.
    package var sources: [SourcePlan] = []
    /// They are the configuration's, so that one that cannot be started is reported and left out.
    package var sourcesAreConfigured = false
    /// udevd's events or the kernel's; defaults to udevd's if it runs.
    package var source: HotplugWatcher.Source?
    /// Replaces udev as the source of events, on the given queue.
    var hears: (@Sendable (DispatchQueue) -> any HotplugSource)?
    /// The wall clock of schedules, in seconds since 1970.
    var now: @Sendable () -> Int64 = { HostClock.now().seconds }

    /// The user's names for cuffs.
    var names: Set<String> { Set(assignments.compactMap(\.name)) }

    /// Without assignments.
    public init() {}

    /// With assigned devices, as of `cuff watch --assign`: `DEVICE=DRIVER`, e.g. `port:1-1.2=beurer-serial`. A generic bridge chip
    /// (FTDI, CP210x and others) is opened only then.
    /// - Throws: An `IngestError` of status `usage` for an invalid assignment.
    public init(assign: [String], drivers: [CuffDriver] = CuffFamilies.all) throws(IngestError) {
        assignments = try WatchSetup.assignments(config: .none, assign: assign, drivers: drivers)
    }

    /// Whether the watch goes on without a sink that cannot be opened. A misspelt sink of the command line is refused.
    func survives(_ sink: SinkSpec, _ error: IngestError) -> Bool {
        sinksAreConfigured ? !sink.isRequired : Ingest.survives(sink, error)
    }
}
