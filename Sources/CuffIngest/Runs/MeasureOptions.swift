import CuffCore
import Dispatch
import Glibc

/// How a measurement is made, beside what every run needs.
package struct MeasureOptions: Sendable {
    /// The longest it may take, after which the cuff is told to stop; for a continuous cuff how long it measures. `nil`
    /// leaves it to the cuff, whose own limits are below five minutes.
    package var duration: Duration?
    /// The whole run must be over by then, the opening of the line included; the cuff is told to stop. `nil` sets no such end.
    package var timeout: Duration?
    /// Who asked.
    package var trigger = Reading.Trigger.manual
    /// Other line settings than the driver's.
    package var line: LineSettings?
    /// The pause between two bytes written to a serial line; `nil`: none beyond the line's own speed.
    package var pace: Duration?
    /// A file for the bytes of both directions, as `cuff record` writes.
    package var recording: String?
    /// Keep the pressures of a measurement that failed, too.
    package var keepsFailedSeries = false

    /// The other properties keep their defaults.
    package init(duration: Duration? = nil) { self.duration = duration }
}

/// Who hears of one measurement while it goes on. Called on the cuff's own queue, in this order: `started` once, `live` any
/// number of times, `ended` once and last. They must not block.
package struct MeasureHandlers: Sendable {
    /// `nil`: the cuff has started. Otherwise why it has not; `ended` follows all the same.
    package var started: @Sendable (Measurement.Fault?) -> Void
    /// What the cuff shows, as often as it sends it, and the time since the start.
    package var live: @Sendable (LiveEvent, Duration) -> Void
    /// Exactly one of a result, aborted, or failed with the reason.
    package var ended: @Sendable (Measurement.End) -> Void

    /// Handlers that are left out do nothing.
    package init(
        started: @escaping @Sendable (Measurement.Fault?) -> Void = { _ in },
        live: @escaping @Sendable (LiveEvent, Duration) -> Void = { _, _ in },
        ended: @escaping @Sendable (Measurement.End) -> Void = { _ in }
    ) {
        self.started = started
        self.live = live
        self.ended = ended
    }
}
