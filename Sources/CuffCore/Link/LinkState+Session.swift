/// What a session wants done, and how its readings get their names.
extension LinkState {
    mutating func tellSession(_ event: SessionEvent, _ effects: inout [LinkEffect]) {
        guard phase == .open else { return }
        run(event, &effects)
        handlePending(&effects)
    }

    mutating func handlePending(_ effects: inout [LinkEffect]) {
        while !pending.isEmpty, phase == .open { run(pending.removeFirst(), &effects) }
    }

    /// Lets the session write its closing messages; returns whether there are any. The end follows when it finishes.
    mutating func endInOrder(_ effects: inout [LinkEffect]) -> Bool {
        guard phase == .open else { return false }
        let waiting = entries.readings.count
        swap(&entries.readings, &actions.readings)
        let hasWords = session.endInOrder(into: &actions)
        perform(since: waiting, &effects)
        handlePending(&effects)
        return hasWords
    }

    /// One event through the session. Its readings are appended to those that wait to be submitted, and named there.
    mutating func run(_ event: SessionEvent, _ effects: inout [LinkEffect]) {
        let waiting = entries.readings.count
        swap(&entries.readings, &actions.readings)
        session.handle(event, into: &actions)
        perform(since: waiting, &effects)
    }

    /// What the session wants done, when so many readings stood before its own.
    mutating func perform(since waiting: Int, _ effects: inout [LinkEffect]) {
        swap(&entries.readings, &actions.readings)
        acknowledgesNext = false
        let emissions = entries.readings.count - waiting
        if emissions == 0 && actions.others.isEmpty { return }
        emitted += emissions
        if emissions > 0 { hasUnsubmitted = true }
        admitted = waiting
        var seen = waiting
        // How many readings went away with a batch of the cuff's former identity.
        var gone = 0
        var performed = SessionActions()
        var samples = SampledEvents()
        swap(&performed, &actions)
        for other in performed.others {
            admit(seen..<other.after - gone, &effects)
            seen = other.after - gone
            if case .identify(let identity) = other.action {
                gone += seen
                space(&samples)
                identify(identity, from: seen, &effects)
                seen = 0
            } else {
                let before = entries.liveEvents
                perform(other.action, &effects)
                // The last one is the event itself: a start may have come with it.
                if let sampled = other.sampled, entries.liveEvents > before { samples.note(entries.liveEvents - 1, at: sampled) }
            }
        }
        space(&samples)
        admit(seen..<entries.readings.count, &effects)
        entries.readings.removeLast(entries.readings.count - admitted)
        performed.removeAll()
        swap(&performed, &actions)
    }

    /// Names the readings in place and moves the wanted new ones to the front.
    ///
    /// Two passes: hash look-ups are mispredicted branches, and each discards the work started on the next readings. In a
    /// separate pass that work is small.
    mutating func admit(_ range: Range<Int>, _ effects: inout [LinkEffect]) {
        guard !range.isEmpty else { return }
        if isMeasuring {
            for index in range where entries.readings[index].origin == .measurement && entries.readings[index].trigger == .unknown {
                entries.readings[index].trigger = setup.trigger
            }
        }
        for index in range { ledger.name(&entries.readings[index], received: now.wall) }
        if setup.isLineUnchecked, driver.check == nil {
            for index in range { entries.readings[index].flags.insert(.noMeasurementCheck) }
        }
        dropped.removeAll()
        for index in range where entries.readings[index].reference.isSet { resolve(index, &effects) }
        place(range)
        let first = admitted
        defer { hold(min(first, admitted)..<admitted) }
        if isMeasuring || setup.accepts != nil { return admitOneByOne(range, &effects) }
        for index in range where isNew(index) {
            if admitted < index { entries.readings.swapAt(admitted, index) }
            admitted += 1
        }
        stored.duplicates += range.count - (admitted - first)
        stored.readings += admitted - first
        for index in first..<admitted { countFailure(index) }
    }

    @inline(__always)
    private mutating func isNew(_ index: Int) -> Bool {
        if !dropped.isEmpty, dropped.contains(index) { return false }
        return ledger.isNew(&entries.readings[index])
    }

    /// Gives the readings their instants, where that is known.
    private mutating func place(_ range: Range<Int>) {
        guard let clock else { return }
        for index in range {
            let hasArrived = entries.readings[index].received != nil
            guard hasArrived || !setup.placesArrivalsOnly else { continue }
            if hasArrived { entries.readings[index].isHostClockUnsynchronised = now.isHostClockUnsynchronised }
            clock.apply(to: &entries.readings[index])
        }
    }

    /// The same where somebody decides about each reading, or it may be the end of a measurement.
    private mutating func admitOneByOne(_ range: Range<Int>, _ effects: inout [LinkEffect]) {
        for index in range {
            guard isNew(index) else {
                stored.duplicates += 1
                continue
            }
            if let accepts = setup.accepts, !accepts(entries.readings[index]) {
                stored.filtered += 1
                continue
            }
            if admitted < index { entries.readings.swapAt(admitted, index) }
            if isMeasuring { measured(entries.readings[admitted], &effects) } else { keep() }
        }
    }

    /// The next reading goes to the sinks.
    mutating func keep() {
        stored.readings += 1
        countFailure(admitted)
        admitted += 1
    }

    @inline(__always)
    private mutating func countFailure(_ index: Int) {
        if case .failure = entries.readings[index].content, !entries.readings[index].isWithdrawal { stored.failures += 1 }
    }

    mutating func perform(_ action: SessionAction, _ effects: inout [LinkEffect]) {
        switch action {
        case .write(let bytes): write(bytes, .write(bytes), &effects)
        case .writeFeature(let bytes): write(bytes, .writeFeature(bytes), &effects)
        case .emit, .identify: break
        case .live(.aborted) where command == .stop && setup.recovering != nil:
            // The line names the measurement that it ends, because this run did not print its start.
            if let former = setup.recovering { live(.recovered(former)) }
            setup.recovering = nil
        case .live(let event): if isMeasuring { measured(event, &effects) } else { live(event) }
        case .clock(let time):
            guard let wall = now.wall else { break }
            clock?.compare(time, at: wall, isHostClockUnsynchronised: now.isHostClockUnsynchronised)
            if !now.isHostClockRight { held.note(time, at: now.elapsed) }
            if let behind = clock?.shift { effects.append(.tell(.clock(time, behind: behind))) }
        case .cycle(let minutes): effects.append(.tell(.cycle(minutes: minutes)))
        case .arm(let timer, let wait): deadlines.arm(timer, after: wait, now: now.elapsed)
        case .disarm(let timer): deadlines.disarm(.session(timer))
        case .acknowledge(let through):
            ledger.acknowledge(through: through)
            acknowledgesNext = true
            keepOutstanding(durably: false, &effects)
        case .expectRepetitions(let isLost):
            ledger.expectRepetitions(isLost: isLost)
            keepOutstanding(durably: true, &effects)
        case .remember(let key, let value):
            setup.memory[key] = value
            effects.append(.remember(key: key, value: value))
        case .report(let diagnostic):
            if case .skipped(let bytes, let fault) = diagnostic {
                stored.skippedBytes += bytes
                if fault == .badCheck { stored.badChecks += 1 }
            }
            effects.append(.tell(.diagnostic(diagnostic)))
        case .finish(let outcome):
            deadlines.endSession()
            measured(outcome, &effects)
            if self.outcome == nil { self.outcome = outcome }
        }
    }

    mutating func write(_ bytes: [UInt8], _ effect: LinkEffect, _ effects: inout [LinkEffect]) {
        unsent.append(bytes)
        if acknowledgesNext { (unsentAcknowledgement, acknowledgesNext) = (unsent.count, false) }
        effects.append(effect)
        updateReadingPause(&effects)
    }

    /// Events that the cuff counts itself are as far apart as it counted, and none is later than its arrival.
    private mutating func space(_ samples: inout SampledEvents) {
        defer { samples = SampledEvents() }
        guard !setup.isRecorded, let first = samples.events.first, let last = samples.events.last, var since = measuringSince else {
            return
        }
        sampleClock.arrived(last.sampled, at: now.elapsed)
        // What is measured began with the first of them.
        if since == now.elapsed { since = sampleClock.time(of: first.sampled) }
        measuringSince = since
        for (index, sampled) in samples.events {
            entries.setElapsed(max(.zero, sampleClock.time(of: sampled) - since), ofLiveEvent: index)
        }
    }

    /// A live event goes behind the readings that are named so far.
    mutating func live(_ event: LiveEvent) {
        if case .started = event { measuringSince = now.elapsed }
        let since = measuringSince ?? now.elapsed
        measuringSince = since
        stored.liveEvents += 1
        var event = event
        if case .beat(let pressure, let interval, _) = event, !setup.isRecorded {
            event = .beat(pressure, interval: interval, precededByGap: beatGap.note(interval, at: now.elapsed))
        }
        entries.append(event, driver: driver.id, elapsed: setup.isRecorded ? nil : now.elapsed - since, afterReadings: admitted)
        switch event {
        case .ended, .aborted, .recovered, .failed:
            measuringSince = nil
            beatGap.reset()
        case .started, .cuffPressure, .beat, .oscillation, .waveform, .alert: break
        }
    }

    /// Earlier readings belong to the identity before. `unnamed` is the first reading that came after the change.
    mutating func identify(_ identity: DeviceIdentity, from unnamed: Int, _ effects: inout [LinkEffect]) {
        let later = Array(entries.readings[unnamed...])
        entries.readings.removeLast(entries.readings.count - admitted)
        flush(through: emitted - later.count, &effects)
        // Duplicates among them would leave nothing else to be submitted.
        hasUnsubmitted = !later.isEmpty
        entries.readings.append(contentsOf: later)
        admitted = 0
        self.identity = identity
        if ledger.identify(identity.id.isEmpty ? setup.device : identity.id, driver: driver.id) {
            let left = setup.outstanding(ledger.device)
            kept = left.bytes
            ledger.resume(left)
        }
        effects.append(.tell(.identified(identity)))
    }

    /// Before a batch is submitted, and before an acknowledgement is written.
    mutating func keepOutstanding(durably: Bool, _ effects: inout [LinkEffect]) {
        if kept.isEmpty && ledger.outstanding.isEmpty { return }
        let bytes = ledger.outstanding.bytes
        guard bytes != kept else { return }
        kept = bytes
        effects.append(.keep(ledger.outstanding, device: ledger.device, durably: durably))
    }
}

/// Live events of one arrival that carry a time of the cuff's own.
struct SampledEvents {
    private(set) var events: [(index: Int, sampled: Duration)] = []

    mutating func note(_ index: Int, at sampled: Duration) { events.append((index, sampled)) }
}

/// Where a cuff's own counter stands on the host's clock. What arrives soonest after it was counted says it best.
struct SampleClock: Sendable {
    /// Beyond this the counter began anew, or what lay between did not arrive.
    static let tolerance = Duration.milliseconds(500)
    private var offset: Duration?

    mutating func arrived(_ sampled: Duration, at now: Duration) {
        let found = now - sampled
        guard let offset, found - offset < Self.tolerance else { return self.offset = found }
        self.offset = min(offset, found)
    }

    func time(of sampled: Duration) -> Duration { sampled + (offset ?? .zero) }
}
