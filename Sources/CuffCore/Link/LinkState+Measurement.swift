/// Performs the decisions of `MeasurementState`. The session's own start and end events are replaced, so that sinks see one of each.
extension LinkState {
    mutating func beginMeasuring(_ effects: inout [LinkEffect]) {
        deadlines.arm(.measurement, at: now.elapsed + setup.measurementLimit)
        perform(measurement.begin(driver.capabilities, at: now.elapsed), &effects)
        handlePending(&effects)
    }

    /// Stops on request of the user or at the end of the program; idempotent.
    mutating func stopMeasuring(_ effects: inout [LinkEffect]) {
        if measurement.canBeStopped { step(&effects) { $0.stop(into: &$1) } }
    }

    mutating func measured(_ event: LiveEvent, _ effects: inout [LinkEffect]) {
        let (decided, isExtra) = measurement.handle(event)
        perform(decided, &effects)
        if isExtra { live(event) }
    }

    /// Admits the reading between the start and end events.
    mutating func measured(_ reading: Reading, _ effects: inout [LinkEffect]) {
        let verdict = measurement.handle(reading)
        perform(verdict.before, &effects)
        if !verdict.isAborted { admission.admit() }
        perform(verdict.after, &effects)
    }

    mutating func measured(_ outcome: Outcome, _ effects: inout [LinkEffect]) {
        perform(measurement.step { $0.handle(.finish(outcome), into: &$1) }, &effects)
    }

    mutating func endMeasuring(_ reason: String, _ effects: inout [LinkEffect]) {
        guard isMeasuring else { return }
        step(&effects) { $0.lineEnded(reason, into: &$1) }
        measurement.end()
        deadlines.disarm(.measurement)
        deadlines.disarm(.deflation)
    }

    mutating func step(_ effects: inout [LinkEffect], _ body: (inout MeasurementState, inout [MeasurementState.Effect]) -> Void) {
        perform(measurement.step(body), &effects)
        handlePending(&effects)
    }

    /// Notices first, then commands, then the end of the session, so that nothing follows the link's own end.
    private mutating func perform(_ decided: [MeasurementState.Effect], _ effects: inout [LinkEffect]) {
        for effect in decided {
            switch effect {
            case .command, .leave: continue
            case .wait(let duration):
                deadlines.arm(.deflation, at: now.elapsed + duration)
                continue
            case .started: live(.started)
            case .live(let event): live(event)
            case .notStarted: break
            case .ended(let end):
                // Read before the end event resets it.
                let elapsed = measurement.elapsed(at: now.elapsed)
                if let event = measurement.ended(with: end) { live(event) }
                effects.append(.notify(.measurement(effect, elapsed: elapsed)))
                if measurement.mayStillRun, driver.capabilities.contains(.stop) { conversation.stopFirst() }
                continue
            }
            effects.append(.notify(.measurement(effect, elapsed: measurement.elapsed(at: now.elapsed))))
        }
        for case .command(let command) in decided { conversation.pending.append(command) }
        if decided.contains(.leave) { conversation.finish(.aborted("the measurement was left")) }
    }
}
