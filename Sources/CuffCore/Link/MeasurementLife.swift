/// The measurement that a link performs, if there is one, and the times of the live events of any measurement. What `Measurement` decides
/// is returned; `LinkState` performs it.
struct MeasurementLife: Sendable {
    /// What a reading means for the measurement: performed before and after the reading is admitted.
    struct Verdict {
        var before: [Measurement.Effect] = []
        var after: [Measurement.Effect] = []
        /// A measurement has one end: the cuff's record of a stop becomes `aborted`, and is no reading.
        var isAborted: Bool { after.contains(.ended(.aborted)) }
    }

    private var measurement: Measurement?
    /// When the measurement began, or its first live event came.
    private var since: Duration?
    private var beatGap = BeatGap()
    private var sampleClock = SampleClock()
    /// The cuff's own record of its failure is a reading, so no second end is reported.
    private var hasFailureRecord = false

    /// A measurement that the link was asked for has not been left yet.
    var isUnderWay: Bool { measurement != nil }
    /// It can still be stopped: the stop was not sent, and the end has not come.
    var canBeStopped: Bool { measurement?.state == .asked || measurement?.state == .running }

    /// Time since the beginning; zero where nothing has begun.
    func elapsed(at now: Duration) -> Duration { since.map { now - $0 } ?? .zero }

    mutating func begin(_ capabilities: Capabilities, at now: Duration) -> [Measurement.Effect] {
        hasFailureRecord = false
        since = now
        var decided: [Measurement.Effect] = []
        measurement = Measurement.begin(capabilities, into: &decided)
        return decided
    }

    /// The measurement is over for the link: nothing more is decided.
    mutating func end() { measurement = nil }

    /// Stop, time-out, or the end of the line.
    mutating func step(_ body: (inout Measurement, inout [Measurement.Effect]) -> Void) -> [Measurement.Effect] {
        guard var measurement else { return [] }
        var decided: [Measurement.Effect] = []
        body(&measurement, &decided)
        self.measurement = measurement
        return decided
    }

    /// The session reported a live event. `isExtra`: it is not part of the measurement, and is shown all the same.
    mutating func handle(_ event: LiveEvent) -> (decided: [Measurement.Effect], isExtra: Bool) {
        let isOver = measurement?.state == .ended
        let decided = step { $0.handle(.live(event), into: &$1) }
        return switch event {
        case .started, .ended, .aborted, .recovered, .failed, .alert: (decided, false)
        case .cuffPressure, .beat, .oscillation, .waveform: (decided, isOver)
        }
    }

    /// A new reading came while the measurement is under way.
    mutating func handle(_ reading: Reading) -> Verdict {
        let decided = step { $0.handle(.emit(reading), into: &$1) }
        let verdict = Verdict(before: decided.filter { $0 == .started }, after: decided.filter { $0 != .started })
        if case .failure = reading.content, reading.origin == .measurement, !verdict.isAborted { hasFailureRecord = true }
        return verdict
    }

    /// The live event that reports this end; `nil` where the cuff's own record does, or nothing was begun.
    func event(of end: Measurement.End) -> LiveEvent? {
        switch end {
        case .result: .ended
        case .aborted: hasFailureRecord ? nil : .aborted
        case .failed(let fault): hasFailureRecord ? nil : fault.asFailure.map { .failed($0) }
        }
    }

    // MARK: Times of live events

    /// Gives a live event its time since the beginning. Recordings do not say when a beat arrived, so no gaps are looked for there.
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

    /// The times of samples of one arrival that the cuff itself counted: as far apart as it counted, and none later than its arrival.
    mutating func times(of samples: [Duration], at now: Duration) -> [Duration] {
        guard let first = samples.first, let last = samples.last, var begun = since else { return [] }
        sampleClock.arrived(last, at: now)
        // What is measured began with the first of them.
        if begun == now { begun = sampleClock.time(of: first) }
        since = begun
        return samples.map { max(.zero, sampleClock.time(of: $0) - begun) }
    }
}
