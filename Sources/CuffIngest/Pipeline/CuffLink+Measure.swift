import CuffCore
import Dispatch

/// What a link keeps beside the measurement itself; touched on the link's queue alone.
struct Measuring {
    /// Who asked: readings of this measurement say so.
    var trigger = Reading.Trigger.manual
    /// The host's own limit for one measurement.
    var limit: Duration?
    /// Told apart from the next one, so that a late timer finds nobody.
    var number = 0
    /// The cuff's own record of the failure went to the sinks; it is the end's line.
    var hasFailureRecord = false
}

/// Performs what `Measurement` decides for the session under `.measure`. The session's own words of start and end are not
/// passed on: the sinks and whoever listens see one start and one end, whatever the family says and in which order.
extension CuffLink {
    var isMeasuring: Bool { measurement != nil }

    /// A measurement that nobody would stop in time is worse than one too few: longer than any family's own limit.
    static let measurementCeiling = Duration.seconds(300)

    /// Sets who asks, and how long it may take, before `start`.
    func prepareMeasuring(trigger: Reading.Trigger, limit: Duration?) {
        queue.async { @Sendable in
            self.measuring.trigger = trigger
            self.measuring.limit = limit
        }
    }

    /// Measures now, where the link only listens, and listens again afterwards; answers on the link's queue whether it does.
    func measureNow(trigger: Reading.Trigger, limit: Duration?, answer: @escaping @Sendable (Bool) -> Void) {
        queue.async { @Sendable in
            let began = self.interject([.measure, .follow])
            if began {
                self.measuring.trigger = trigger
                self.measuring.limit = limit
            }
            answer(began)
        }
    }

    /// Stops the measurement that runs, and leaves the link open.
    func stopMeasurement() {
        queue.async { @Sendable in self.stopMeasuring() }
    }

    func beginMeasuring() {
        measuring.number += 1
        measuring.hasFailureRecord = false
        measuringSince = HostClock.monotonic()
        let number = measuring.number
        let limit = measuring.limit ?? Self.measurementCeiling
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { @Sendable [weak self] in
            guard let self, measuring.number == number, isMeasuring, !isEnded else { return }
            step { $0.timedOut(into: &$1) }
        }
        var effects: [Measurement.Effect] = []
        measurement = Measurement.begin(driver.capabilities, into: &effects)
        perform(effects)
    }

    /// The person, or the end of the program, wants it to stop. Doing it again changes nothing.
    func stopMeasuring() {
        guard let state = measurement?.state, state == .asked || state == .running else { return }
        step { $0.stop(into: &$1) }
    }

    func measured(_ event: LiveEvent) {
        let isOver = measurement?.state == .ended
        var effects: [Measurement.Effect] = []
        measurement?.take(.live(event), into: &effects)
        perform(effects)
        switch event {
        case .started, .ended, .aborted, .recovered, .failed: break
        // What a cuff lists after its result has no part in the measurement, and is shown all the same.
        case .cuffPressure, .beat, .oscillation: if isOver { live(event) }
        }
    }

    /// `append` puts the reading among what goes to the sinks: behind the start, before the end.
    func measured(_ reading: Reading, append: () -> Void) {
        guard isMeasuring else { return append() }
        var effects: [Measurement.Effect] = []
        measurement?.take(.emit(reading), into: &effects)
        // A measurement has one end: what the cuff records of a stop is said by `aborted`.
        let isAborted = effects.contains(.ended(.aborted))
        if case .failure = reading.content, reading.origin == .measurement, !isAborted { measuring.hasFailureRecord = true }
        perform(effects.filter { $0 == .started })
        if !isAborted { append() }
        perform(effects.filter { $0 != .started })
    }

    func measured(_ outcome: Outcome) {
        guard isMeasuring else { return }
        var effects: [Measurement.Effect] = []
        measurement?.take(.finish(outcome), into: &effects)
        perform(effects)
    }

    /// Nothing more comes; a measurement that has not ended does so now, and another command is another story.
    func lineEnded(_ reason: String) {
        guard isMeasuring else { return }
        step { $0.lineEnded(reason, into: &$1) }
        measurement = nil
        submit()
    }

    private func step(_ body: (inout Measurement, inout [Measurement.Effect]) -> Void) {
        guard var measurement else { return }
        var effects: [Measurement.Effect] = []
        body(&measurement, &effects)
        self.measurement = measurement
        perform(effects)
        submit()
    }

    /// Words first, then commands, then the end of the session, so that nothing is told after the link's own end.
    private func perform(_ effects: [Measurement.Effect]) {
        for effect in effects {
            switch effect {
            case .command, .leave: break
            case .wait(let duration): wait(duration)
            case .started:
                live(.started)
                say(effect)
            case .live(let event):
                live(event)
                say(effect)
            case .notStarted: say(effect)
            case .ended(let end): ended(end)
            }
        }
        for case .command(let command) in effects { handle(.command(command)) }
        guard effects.contains(.leave), !isEnded else { return }
        finished(.aborted("the measurement was left"))
    }

    private func wait(_ duration: Duration) {
        let number = measuring.number
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(duration.nanoseconds))) { @Sendable [weak self] in
            guard let self, measuring.number == number, isMeasuring, !isEnded else { return }
            step { $0.waitedForDeflation(into: &$1) }
        }
    }

    private func ended(_ end: Measurement.End) {
        // The last live event forgets when it all began.
        let since = measuringSince
        switch end {
        case .result: live(.ended)
        case .aborted: if !measuring.hasFailureRecord { live(.aborted) }
        case .failed(let fault): if !measuring.hasFailureRecord, let failure = fault.asFailure { live(.failed(failure)) }
        }
        say(.ended(end), since: since)
    }

    private func say(_ effect: Measurement.Effect, since: Int64? = nil) {
        let elapsed = (since ?? measuringSince).map { HostClock.monotonic() - $0 } ?? 0
        tell(.measurement(effect, elapsed: .milliseconds(elapsed / 1_000_000)))
    }
}
