extension LinkState {
    mutating func handleInSession(_ event: SessionEvent, _ effects: inout [LinkEffect]) {
        guard conversation.phase == .open else { return }
        run(event, &effects)
        handlePending(&effects)
    }

    @inline(__always)
    mutating func handlePending(_ effects: inout [LinkEffect]) {
        while let command = conversation.nextPending() { run(.command(command), &effects) }
    }

    mutating func endInOrder(_ effects: inout [LinkEffect]) -> Bool {
        guard conversation.phase == .open else { return false }
        let first = admission.lend(&actions.readings)
        let writesMore = conversation.endInOrder(into: &actions)
        perform(from: first, &effects)
        handlePending(&effects)
        return writesMore
    }

    private mutating func run(_ event: SessionEvent, _ effects: inout [LinkEffect]) {
        let first = admission.lend(&actions.readings)
        conversation.handle(event, into: &actions)
        perform(from: first, &effects)
    }

    private mutating func perform(from first: Int, _ effects: inout [LinkEffect]) {
        let end = admission.accept(&actions.readings, from: first)
        output.acknowledgeNext(false)
        if actions.others.isEmpty {
            admit(first..<end, &effects)
            return admission.discardRest()
        }
        var next = first
        var submitted = 0
        // Live events with the time of the cuff's own counter.
        var samples: [(event: Int, time: Duration)] = []
        var performed = SessionActions()
        swap(&performed, &actions)
        for other in performed.others {
            admit(next..<other.after - submitted, &effects)
            next = other.after - submitted
            if case .identify(let identity) = other.action {
                setTimes(of: samples)
                samples.removeAll()
                admission.identify(identity, from: next, setup, &effects)
                submitted += next
                next = 0
            } else {
                let before = admission.liveEvents
                perform(other.action, &effects)
                // Use the last live event: a start may precede it.
                if let sampled = other.sampled, admission.liveEvents > before { samples.append((admission.liveEvents - 1, sampled)) }
            }
        }
        setTimes(of: samples)
        admit(next..<end - submitted, &effects)
        admission.discardRest()
        performed.removeAll()
        swap(&performed, &actions)
    }

    private mutating func admit(_ range: Range<Int>, _ effects: inout [LinkEffect]) {
        guard !range.isEmpty else { return }
        let isMeasuring = isMeasuring
        admission.prepare(range, &setup, at: now, isMeasuring: isMeasuring, &effects)
        let first = admission.admitted
        if isMeasuring || setup.accepts != nil {
            for index in range where admission.isWanted(index, by: setup.accepts) {
                if isMeasuring { measured(admission.candidate, &effects) } else { admission.admit() }
            }
        } else {
            admission.admitNew(range)
        }
        if !setup.isRecorded, admission.hold(from: first, at: now) { armHostClock() }
    }

    private mutating func perform(_ action: SessionAction, _ effects: inout [LinkEffect]) {
        switch action {
        case .write(let bytes): write(bytes, .write(bytes), &effects)
        case .writeFeature(let bytes): write(bytes, .writeFeature(bytes), &effects)
        case .emit, .identify: break
        case .live(.aborted) where conversation.command == .stop && setup.recovering != nil:
            // Names the ended measurement, because this process did not print its start.
            if let former = setup.recovering { live(.recovered(former)) }
            setup.recovering = nil
        // The measurement has had its end; this is another stop after it.
        case .live(.aborted) where conversation.command == .stop && measurement.mayStillRun: break
        case .live(let event): if isMeasuring { measured(event, &effects) } else { live(event) }
        case .clock(let time): if let behind = admission.note(time, at: now) { effects.append(.notify(.clock(time, behind: behind))) }
        case .cycle(let minutes): effects.append(.notify(.cycle(minutes: minutes)))
        case .arm(let timer, let wait): deadlines.arm(timer, after: wait, now: now.elapsed)
        case .disarm(let timer): deadlines.disarm(.session(timer))
        case .acknowledge(let through):
            output.acknowledgeNext(true)
            admission.acknowledge(through: through, &effects)
        case .expectRepetitions(let isLost): admission.expectRepetitions(isLost: isLost, &effects)
        case .remember(let key, let value):
            setup.memory[key] = value
            effects.append(.remember(key: key, value: value))
        case .report(let diagnostic):
            if case .skipped(let bytes, let fault) = diagnostic {
                counted.skippedBytes += bytes
                if fault == .badCheck { counted.badChecks += 1 }
            }
            effects.append(.notify(.diagnostic(diagnostic)))
        case .finish(let outcome):
            deadlines.endSession()
            measured(outcome, &effects)
            conversation.finish(outcome)
        }
    }

    private mutating func write(_ bytes: [UInt8], _ effect: LinkEffect, _ effects: inout [LinkEffect]) {
        output.append(bytes)
        effects.append(effect)
        updateReadingPause(&effects)
    }

    mutating func live(_ event: LiveEvent) {
        let (event, elapsed) = measurement.note(event, at: now.elapsed, isRecorded: setup.isRecorded)
        admission.append(event, elapsed: setup.isRecorded ? nil : elapsed)
    }

    private mutating func setTimes(of samples: [(event: Int, time: Duration)]) {
        guard !samples.isEmpty, !setup.isRecorded else { return }
        for (sample, elapsed) in zip(samples, measurement.times(of: samples.map(\.time), at: now.elapsed)) {
            admission.setElapsed(elapsed, ofLiveEvent: sample.event)
        }
    }
}
