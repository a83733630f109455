import CuffCore

/// What happens while a cuff measures on demand, in this order: `started` at most once, pressures and beats, `result` at most once,
/// `ended` once and last.
public enum MeasurementEvent: Sendable, Hashable {
    /// The cuff inflates. It is left out if the cuff did not start; `ended` says why.
    case started
    /// The pressure in the cuff, and the time since the start. A loop that is slow does not get all of them.
    case pressure(Pressure, elapsed: Duration)
    /// A heart beat of a continuous cuff with its pressures, the time since the beat before it, and the time since the start.
    /// `precededByGap`: beats between the two did not arrive.
    case beat(BloodPressure, interval: Duration, precededByGap: Bool, elapsed: Duration)
    /// The result, as the sinks get it. When the loop is over, they have stored it.
    case result(Reading)
    case ended(MeasurementState.End)

    /// It is never left out, and comes even after the loop's task was cancelled.
    fileprivate var isKept: Bool {
        switch self {
        case .pressure, .beat: false
        case .started, .result, .ended: true
        }
    }

    fileprivate init?(_ event: LiveEvent, _ elapsed: Duration) {
        switch event {
        case .cuffPressure(let pressure): self = .pressure(pressure, elapsed: elapsed)
        case .beat(let pressure, let interval, let precededByGap):
            self = .beat(pressure, interval: .milliseconds(interval), precededByGap: precededByGap, elapsed: elapsed)
        case .started, .oscillation, .waveform, .ended, .aborted, .recovered, .failed, .alert: return nil
        }
    }
}

/// One measurement, for `for try await`: the cuff inflates when the first event is asked for.
///
/// Leaving the loop, or cancelling its task, sends the cuff's own stop. A cancelled task's loop ends when the cuff was stopped, and its
/// last event is `ended`.
///
/// The loop throws an `IngestError` if nothing could be begun, or if a result could not be stored. A measurement that fails ends with
/// `ended`.
public typealias MeasurementEvents = RunSequence<MeasurementEvent>

extension RunSequence where Element == MeasurementEvent {
    package init(
        _ options: IngestOptions,
        run: @escaping @Sendable (IngestOptions, MeasureHandlers) throws(IngestError) -> (end: MeasurementState.End, report: IngestReport)
    ) {
        self.init {
            RunHandover(options, outlives: \.isKept) { (options, handover) throws(IngestError) in
                let handlers = MeasureHandlers(
                    started: { fault in if fault == nil { handover.post(.started) } },
                    live: { event, elapsed in MeasurementEvent(event, elapsed).map(handover.post) },
                    ended: { end in
                        if case .result(let reading) = end { handover.post(.result(reading)) }
                        handover.post(.ended(end))
                    })
                let (end, report) = try run(options, handlers)
                if case .result = end, let failure = report.failure { throw failure }
            }
        }
    }

    /// Measures, and answers how it ended; the events before are passed over.
    /// - Throws: As the loop does.
    public func end() async throws(IngestError) -> MeasurementState.End {
        var end: MeasurementState.End?
        for try await event in self {
            if case .ended(let how) = event { end = how }
        }
        // A task that was cancelled before the first event started nothing.
        return end ?? .failed(.stopped)
    }
}
