import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// How devices are watched, beside what every run needs.
public struct WatchOptions: Sendable {
    /// The devices that the user assigned.
    public var assignments: [Assignment] = []
    /// Once-mode, pauses and repetition.
    package var settings = WatchState.Settings()
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
