import CuffCore

/// The options of a measurement, in addition to those of every run.
package struct MeasureOptions: Sendable {
    /// The longest measurement, after which the cuff is stopped; for a continuous cuff its duration. `nil`: the cuff's own limit,
    /// which is below five minutes.
    package var duration: Duration?
    /// Limits the whole run, including opening the line; the cuff is stopped then.
    package var timeout: Duration?
    package var trigger = Reading.Trigger.manual
    /// Overrides the driver's line settings.
    package var line: LineSettings?
    /// The pause between bytes written to a serial line.
    package var pace: Duration?
    /// A file for the bytes of both directions, as written by `cuff record`.
    package var recording: String?
    package var keepsFailedSeries = false
}

/// Callbacks of one measurement, on the cuff's own queue: `started` once, `live` any number of times, `ended` once and last. They
/// must not block.
package struct MeasureHandlers: Sendable {
    /// `nil`: the cuff has started. Otherwise why not; `ended` still follows.
    package var started: @Sendable (MeasurementState.Fault?) -> Void = { _ in }
    /// What the cuff sends, with the time since the start.
    package var live: @Sendable (LiveEvent, Duration) -> Void = { _, _ in }
    /// A result, aborted, or failed with the reason.
    package var ended: @Sendable (MeasurementState.End) -> Void = { _ in }
}
