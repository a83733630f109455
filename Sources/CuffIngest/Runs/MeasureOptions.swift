import CuffCore
import Dispatch
import Glibc

/// The options of a measurement, in addition to those of every run.
public struct MeasureOptions: Sendable {
    /// The longest measurement, after which the cuff is stopped; for a continuous cuff its duration. `nil`: the cuff's own limit,
    /// which is below five minutes.
    public var duration: Duration?
    /// Limits the whole run, including opening the line; the cuff is stopped then.
    public var timeout: Duration?
    /// Manual or automatic.
    public var trigger = Reading.Trigger.manual
    /// Overrides the driver's line settings.
    public var line: LineSettings?
    /// The pause between bytes written to a serial line.
    public var pace: Duration?
    /// A file for the bytes of both directions, as written by `cuff record`.
    public var recording: String?
    /// Also keeps the pressures of a failed measurement.
    public var keepsFailedSeries = false

    /// The other properties keep their defaults.
    public init(duration: Duration? = nil) { self.duration = duration }
}

/// Callbacks of one measurement, on the cuff's own queue: `started` once, `live` any number of times, `ended` once and last. They
/// must not block.
public struct MeasureHandlers: Sendable {
    /// `nil`: the cuff has started. Otherwise why not; `ended` still follows.
    public var started: @Sendable (Measurement.Fault?) -> Void
    /// What the cuff sends, with the time since the start.
    public var live: @Sendable (LiveEvent, Duration) -> Void
    /// A result, aborted, or failed with the reason.
    public var ended: @Sendable (Measurement.End) -> Void

    /// Omitted handlers do nothing.
    public init(
        started: @escaping @Sendable (Measurement.Fault?) -> Void = { _ in },
        live: @escaping @Sendable (LiveEvent, Duration) -> Void = { _, _ in },
        ended: @escaping @Sendable (Measurement.End) -> Void = { _ in }
    ) {
        self.started = started
        self.live = live
        self.ended = ended
    }
}
