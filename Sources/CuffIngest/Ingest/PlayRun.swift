import CuffCore

/// A `SessionPlayer` as a source of the pipeline: it waits while the sinks are full.
struct PlayRun {
    var player: SessionPlayer
    let driver: CuffDriver
    /// The zone of the cuff's clock, where it is known: then a reading of a file is placed too.
    var zone: ZoneTable?
    private let pipeline: Pipeline
    private let diagnostics: @Sendable (Diagnostic) -> Void
    private let memory: DriverMemory?
    private let source: Int
    private let gate: Gate
    private var counted = IngestCounters()
    private var identity: DeviceIdentity?
    private var device: String

    init(_ driver: CuffDriver, pipeline: Pipeline, options: IngestOptions, device: String? = nil, looksAhead: Bool) {
        self.driver = driver
        self.pipeline = pipeline
        diagnostics = options.diagnostics
        memory = options.memory
        self.device = device ?? options.device
        player = SessionPlayer(
            driver,
            context: SessionContext(
                device: self.device, options: options.driverOptions, memory: memory?.load(driver.id) ?? [:]),
            looksAhead: looksAhead)
        let gate = Gate(isOpen: true)
        self.gate = gate
        source = pipeline.attach(
            Pipeline.Source(mayThin: false, committed: { _ in }, paused: { gate.set(open: !$0) }))
    }

    mutating func play(bytes: [UInt8]) { player.play(bytes: bytes) }
    mutating func play(_ item: CaptureItem) { player.play(item) }
    mutating func end() { player.end() }

    /// Gives the readings their time: those that have just arrived, and with a zone also those that tell their own.
    mutating func stamp(_ rule: inout MeasuredRule) {
        guard zone != nil || player.start != nil else { return }
        let own = zone.map { ClockCorrection(zone: $0) }
        player.entries.updateReadings { reading in
            if reading.received != nil { rule.apply(to: &reading) } else { own?.apply(to: &reading) }
        }
    }

    /// The same for a recording: nothing is known of its cuff's clock but the zone.
    mutating func place() {
        guard let zone else { return }
        let correction = ClockCorrection(zone: zone)
        player.entries.updateReadings { correction.apply(to: &$0) }
    }

    /// Hands over what was read since the last time, under the cuff's identity as it is now, and waits if it must.
    mutating func submit() {
        for diagnostic in player.takeDiagnostics() {
            if case .skipped(let bytes, let fault) = diagnostic {
                counted.skippedBytes += bytes
                if fault == .badCheck { counted.badChecks += 1 }
            }
            diagnostics(diagnostic)
        }
        var submitted = 0
        for (before, told) in player.takeIdentified() {
            if before > submitted {
                submit(player.entries.takeFirst(before - submitted))
                submitted = before
            }
            identity = told
            if !told.id.isEmpty { device = told.id }
        }
        guard !player.entries.isEmpty else { return }
        var entries = pipeline.takeSpare()
        swap(&entries, &player.entries)
        submit(entries)
        wait()
    }

    private mutating func submit(_ entries: consuming Entries) {
        count(entries)
        pipeline.submit(
            Batch(source: source, driver: driver.id, device: device, identity: identity, entries: entries))
    }

    private mutating func count(_ entries: borrowing Entries) {
        counted.readings += entries.readings.count
        counted.liveEvents += entries.count - entries.readings.count
        for index in entries.readings.indices {
            if case .failure = entries.readings[index].content { counted.failures += 1 }
        }
    }

    private mutating func wait() {
        if gate.isPassable { return }
        let start = HostClock.monotonic()
        counted.pauses += 1
        gate.pass()
        counted.paused += .nanoseconds(HostClock.monotonic() - start)
    }

    /// What this run counted so far.
    var counters: IngestCounters {
        var counters = counted
        counters.bytes = player.bytes
        counters.frames = player.session.frames ?? 0
        counters.duplicates = player.ledger.duplicates
        return counters
    }

    /// Adds what this run counted, and how its conversation ended.
    func report(into report: inout IngestReport) {
        report.counters += counters
        report.identity = identity
        report.outcome = player.outcome
        for (key, value) in player.remembered { try? memory?.store(driver.id, key, value) }
        pipeline.detach(source)
    }
}
