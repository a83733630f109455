/// A link's measurement, if any, and the times of live events. Decisions of `MeasurementState` are returned; `LinkState` performs them.
struct MeasurementLife: Sendable {
    struct Verdict {
        var before: [MeasurementState.Effect] = []
        var after: [MeasurementState.Effect] = []
        /// The cuff's record of a stop becomes `aborted` instead of a reading, so that there is one end.
        var isAborted: Bool { after.contains(.ended(.aborted)) }
    }

    private var measurement: MeasurementState?
    /// The start of the measurement, or of its first live event.
    private var since: Duration?
    private var beatGap = BeatGap()
    private var sampleClock = SampleClock()
    /// The cuff's own record of a failure is a reading, so no second end is reported.
    private var hasFailureRecord = false

    /// Whether there is a measurement. Stored, because `measurement != nil` copies the whole value, for every reading.
    private(set) var isUnderWay = false
    /// Nothing showed that the last measurement, or an earlier one, stopped.
    var mayStillRun = false
    /// The stop was not sent, and the measurement has not ended.
    var canBeStopped: Bool { measurement?.state == .asked || measurement?.state == .running }

    func elapsed(at now: Duration) -> Duration { since.map { now - $0 } ?? .zero }

    mutating func begin(_ capabilities: Capabilities, at now: Duration) -> [MeasurementState.Effect] {
        hasFailureRecord = false
        since = now
        var decided: [MeasurementState.Effect] = []
        measurement = MeasurementState.begin(capabilities, into: &decided)
        isUnderWay = true
        return decided
    }

    mutating func end() { (measurement, isUnderWay) = (nil, false) }

    mutating func step(_ body: (inout MeasurementState, inout [MeasurementState.Effect]) -> Void) -> [MeasurementState.Effect] {
        guard var measurement else { return [] }
        var decided: [MeasurementState.Effect] = []
        body(&measurement, &decided)
        self.measurement = measurement
        return decided
    }

    /// Handles a live event of the session. `isExtra`: shown, although not part of the measurement.
    mutating func handle(_ event: LiveEvent) -> (decided: [MeasurementState.Effect], isExtra: Bool) {
        let isOver = measurement?.state == .ended
        let decided = step { $0.handle(.live(event), into: &$1) }
        return switch event {
        case .started, .ended, .aborted, .recovered, .failed, .alert: (decided, false)
        case .cuffPressure, .beat, .oscillation, .waveform: (decided, isOver)
        }
    }

    mutating func handle(_ reading: Reading) -> Verdict {
        let decided = step { $0.handle(.emit(reading), into: &$1) }
        let verdict = Verdict(before: decided.filter { $0 == .started }, after: decided.filter { $0 != .started })
        if case .failure = reading.content, reading.origin == .measurement, !verdict.isAborted { hasFailureRecord = true }
        return verdict
    }

    /// The live event for this end; `nil` if the cuff's own record reports it, or nothing was started.
    mutating func ended(with end: MeasurementState.End) -> LiveEvent? {
        mayStillRun = end.mayStillRun || mayStillRun && end.hasStartedNothing
        return switch end {
        case .result: .ended
        case .aborted: hasFailureRecord ? nil : .aborted
        case .failed(let fault): hasFailureRecord ? nil : fault.asFailure.map { .failed($0) }
        }
    }

    /// Gives a live event its time since the start. Recordings have no arrival times, so gaps are not detected.
    mutating func note(_ event: LiveEvent, at now: Duration, isRecorded: Bool) -> (event: LiveEvent, elapsed: Duration) {
        if case .started = event { since = now }
        let begun = since ?? now
        since = begun
        var event = event
        if case .beat(let pressure, let interval, _) = event, !isRecorded {
            event = .beat(pressure, interval: interval, precededByGap: beatGap.note(interval, at: now))
        }
        switch event {
        case .ended, .aborted, .recovered, .failed:
            since = nil
            beatGap.reset()
        case .started, .cuffPressure, .beat, .oscillation, .waveform, .alert: break
        }
        return (event, now - begun)
    }

    /// The times of samples that arrived together, spaced by the cuff's own counter and none later than the arrival.
    mutating func times(of samples: [Duration], at now: Duration) -> [Duration] {
        guard let first = samples.first, let last = samples.last, var begun = since else { return [] }
        sampleClock.arrived(last, at: now)
        if begun == now { begun = sampleClock.time(of: first) }
        since = begun
        return samples.map { max(.zero, sampleClock.time(of: $0) - begun) }
    }
}
