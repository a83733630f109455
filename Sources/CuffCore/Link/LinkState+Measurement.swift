/// Performs what `Measurement` decides for the session under `.measure`. The session's own start and end events are not
/// passed on: sinks and handlers see one start and one end, whatever the family sends and in which order.
extension LinkState {
    mutating func beginMeasuring(_ effects: inout [LinkEffect]) {
        hasFailureRecord = false
        measuringSince = now.elapsed
        deadlines.arm(.measurement, at: now.elapsed + setup.measurementLimit)
        var decided: [Measurement.Effect] = []
        measurement = Measurement.begin(driver.capabilities, into: &decided)
        perform(decided, &effects)
        handlePending(&effects)
    }

    /// The person, or the end of the program, wants it to stop. Doing it again changes nothing.
    mutating func stopMeasuring(_ effects: inout [LinkEffect]) {
        guard let state = measurement?.state, state == .asked || state == .running else { return }
        step(&effects) { $0.stop(into: &$1) }
    }

    mutating func measured(_ event: LiveEvent, _ effects: inout [LinkEffect]) {
        let isOver = measurement?.state == .ended
        var decided: [Measurement.Effect] = []
        measurement?.handle(.live(event), into: &decided)
        perform(decided, &effects)
        switch event {
        case .started, .ended, .aborted, .recovered, .failed, .alert: break
        // Live events after the result are not part of the measurement, and are shown all the same.
        case .cuffPressure, .beat, .oscillation, .waveform: if isOver { live(event) }
        }
    }

    /// Counts the reading as admitted: behind the start, before the end.
    mutating func measured(_ reading: Reading, _ effects: inout [LinkEffect]) {
        var decided: [Measurement.Effect] = []
        measurement?.handle(.emit(reading), into: &decided)
        // A measurement has one end: the cuff's record of a stop becomes `aborted`.
        let isAborted = decided.contains(.ended(.aborted))
        if case .failure = reading.content, reading.origin == .measurement, !isAborted { hasFailureRecord = true }
        perform(decided.filter { $0 == .started }, &effects)
        if !isAborted { keep() }
        perform(decided.filter { $0 != .started }, &effects)
    }

    mutating func measured(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        guard isMeasuring else { return }
        var decided: [Measurement.Effect] = []
        measurement?.handle(.finish(outcome), into: &decided)
        perform(decided, &effects)
    }

    /// Nothing more comes; a measurement that has not ended does so now.
    mutating func endMeasuring(_ reason: String, _ effects: inout [LinkEffect]) {
        guard isMeasuring else { return }
        step(&effects) { $0.lineEnded(reason, into: &$1) }
        measurement = nil
        deadlines.disarm(.measurement)
        deadlines.disarm(.deflation)
    }

    mutating func step(
        _ effects: inout [LinkEffect], _ body: (inout Measurement, inout [Measurement.Effect]) -> Void
    ) {
        guard var measurement else { return }
        var decided: [Measurement.Effect] = []
        body(&measurement, &decided)
        self.measurement = measurement
        perform(decided, &effects)
        handlePending(&effects)
    }

    /// Notices first, then commands, then the end of the session, so that nothing is reported after the link's own end.
    private mutating func perform(_ decided: [Measurement.Effect], _ effects: inout [LinkEffect]) {
        for effect in decided {
            switch effect {
            case .command, .leave: break
            case .wait(let duration): deadlines.arm(.deflation, at: now.elapsed + duration)
            case .started:
                live(.started)
                tell(effect, since: measuringSince, &effects)
            case .live(let event):
                live(event)
                tell(effect, since: measuringSince, &effects)
            case .notStarted: tell(effect, since: measuringSince, &effects)
            case .ended(let end): ended(end, &effects)
            }
        }
        for case .command(let command) in decided { pending.append(.command(command)) }
        if decided.contains(.leave) { finish(.aborted("the measurement was left")) }
    }

    private mutating func ended(_ end: Measurement.End, _ effects: inout [LinkEffect]) {
        // The last live event forgets when it all began.
        let since = measuringSince
        switch end {
        case .result: live(.ended)
        case .aborted: if !hasFailureRecord { live(.aborted) }
        case .failed(let fault): if !hasFailureRecord, let failure = fault.asFailure { live(.failed(failure)) }
        }
        tell(.ended(end), since: since, &effects)
    }

    private func tell(_ effect: Measurement.Effect, since: Duration?, _ effects: inout [LinkEffect]) {
        effects.append(.tell(.measurement(effect, elapsed: since.map { now.elapsed - $0 } ?? .zero)))
    }
}
