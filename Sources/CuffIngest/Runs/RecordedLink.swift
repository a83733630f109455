import CuffCore

/// Performs the effects of a `Replay`: recorded bytes as a source of the pipeline, which waits while the sinks are full.
///
/// The result depends only on bytes and options: no state of other runs is read or written, and no clock is read.
struct RecordedLink {
    private var replay: Replay
    private let pipeline: Pipeline
    private let diagnostics: @Sendable (Diagnostic) -> Void
    private let source: Int
    private var played: UInt = 0
    /// The most effects held before they are performed, besides those of one item.
    private static let maximumEffects = 1024
    /// The stop signal is checked after this many items, which take a few milliseconds at most.
    private static let itemsPerLook: UInt = 64
    /// How often the stop signal is checked while the sinks are full.
    private static let lookPause = Duration.milliseconds(100)
    private let stop: StopSignal
    private let gate = Gate(isOpen: true)
    private var outcome: Outcome?
    private var identity: DeviceIdentity?
    private var pauses = 0
    private var paused = Duration.zero

    /// `device`: the identity of the cuff, if the recording names one. `isLineUnchecked`: recorded from a serial line. `isLive`:
    /// the bytes come from a cuff now, at the time passed to `arrived(at:)`.
    init(
        _ driver: CuffDriver, pipeline: Pipeline, options: IngestOptions, device: String? = nil, isLineUnchecked: Bool = false,
        looksAhead: Bool, isLive: Bool = false, start: Timestamp? = nil
    ) {
        self.pipeline = pipeline
        diagnostics = options.diagnostics
        stop = options.stop
        var setup = LinkState.Setup(driver, device: device ?? options.device, options: options.driverOptions)
        // Without a zone, readings of a file have no absolute time; live readings have.
        setup.zone = options.zone ?? (isLive ? HostZone.local() : nil)
        setup.isLineUnchecked = isLineUnchecked
        setup.placesArrivalsOnly = options.zone == nil
        replay = Replay(setup, looksAhead: looksAhead, start: start)
        let gate = gate
        source = pipeline.attach(
            Pipeline.Source(mayThin: false, wantsCommits: false, committed: { _ in }, paused: { gate.set(open: !$0) }))
    }

    /// The time of the bytes that follow.
    mutating func arrived(at time: LinkTime) {
        replay.start = time.wall
        replay.isStartUnsynchronised = time.isHostClockUnsynchronised
    }

    mutating func play(bytes: [UInt8]) { replay.play(bytes: bytes) }
    /// Plays an item at its time; `false` if the run was stopped meanwhile.
    mutating func play(_ item: CaptureItem, _ pace: inout ReplayPace) -> Bool {
        if pace.isTimed {
            submit()
            guard !pipeline.isStopped, pace.wait(for: item, stop) else { return false }
        }
        replay.play(item)
        // A chunk has thousands of items, and each may fire many timers.
        if replay.effects.count >= Self.maximumEffects { submit() }
        played &+= 1
        return !played.isMultiple(of: Self.itemsPerLook) || !stop.isRaised
    }
    mutating func end() { replay.end() }

    /// Submits the new entries, and waits while the pipeline is full.
    mutating func submit() {
        replay.flush()
        guard !replay.effects.isEmpty else { return }
        for index in replay.effects.indices {
            switch replay.effects[index] {
            case .submit(var batch):
                batch.source = source
                pipeline.submit(batch)
            case .notify(.diagnostic(let diagnostic)): diagnostics(diagnostic)
            case .notify(.identified(let reported)): identity = reported
            case .notify(.finished(_, let ended)): outcome = ended
            case .notify, .write, .writeFeature, .pauseReading, .resumeReading, .remember, .persist, .close: break
            }
        }
        replay.effects.removeAll(keepingCapacity: true)
        wait()
    }

    private mutating func wait() {
        if gate.isPassable { return }
        let start = HostClock.monotonic()
        pauses += 1
        // A stalled sink must not keep the run from ending.
        while !stop.isRaised, !gate.pass(within: Self.lookPause) {}
        paused += .nanoseconds(HostClock.monotonic() - start)
    }

    var driver: CuffDriver { replay.link.driver }

    var counters: LinkCounters {
        var counters = replay.link.counters
        (counters.pauses, counters.paused) = (pauses, paused)
        return counters
    }

    func report(into report: inout IngestReport) {
        report.counters += counters
        report.identity = identity
        report.outcome = outcome
        pipeline.detach(source)
    }
}
