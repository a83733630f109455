import CuffCore
import Glibc

/// Performs the effects of a `Replay`: recorded bytes as a source of the pipeline, which waits while the sinks are full.
struct RecordedLink {
    /// Which readings get the time at which their bytes came, beside those of a capture that tells it.
    enum Times {
        case none, all
        /// Those that nothing else tells from an equal one: the bytes may be of now.
        case clocklessOnly
    }

    private var replay: Replay
    private let pipeline: Pipeline
    private let diagnostics: @Sendable (Diagnostic) -> Void
    private let memory: DriverMemory?
    private let source: Int
    private var played: UInt = 0
    /// Effects held at most before they are performed, beside those of one item.
    private static let maximumEffects = 1024
    /// The stop signal is looked at after so many items: they take some milliseconds at the most.
    private static let itemsPerLook: UInt = 64
    /// While the sinks are full it is looked at this often.
    private static let lookPause = Duration.milliseconds(100)
    private let stop: StopSignal
    private let gate = Gate(isOpen: true)
    private var outcome: Outcome?
    private var identity: DeviceIdentity?
    private var pauses = 0
    private var paused = Duration.zero

    /// `device`: who the cuff is, where the recording says more than the options.
    init(
        _ driver: CuffDriver, pipeline: Pipeline, options: IngestOptions, device: String? = nil, looksAhead: Bool,
        times: Times = .none, start: Timestamp? = nil
    ) {
        self.pipeline = pipeline
        diagnostics = options.diagnostics
        stop = options.stop
        memory = options.memory
        var setup = LinkState.Setup(
            driver, device: device ?? options.device, options: options.driverOptions, memory: options.memory?.load(driver.id) ?? [:])
        // Without a zone, a reading of a file has no instant; one that has just arrived has.
        setup.zone = options.zone ?? (times == .none ? nil : HostZone.local())
        setup.placesArrivalsOnly = options.zone == nil
        setup.timesClocklessOnly = times == .clocklessOnly
        replay = Replay(setup, looksAhead: looksAhead, start: start)
        let gate = gate
        source = pipeline.attach(
            Pipeline.Source(mayThin: false, wantsCommits: false, committed: { _ in }, paused: { gate.set(open: !$0) }))
    }

    /// The instant of the bytes that are played next.
    var start: Timestamp? {
        get { replay.start }
        set { replay.start = newValue }
    }

    mutating func play(bytes: [UInt8]) { replay.play(bytes: bytes) }
    /// Plays an item once its time has come; `false` where the run was stopped meanwhile.
    mutating func play(_ item: CaptureItem, _ pace: inout ReplayPace) -> Bool {
        if pace.isTimed {
            submit()
            guard !pipeline.isStopped, pace.wait(for: item, stop) else { return false }
        }
        replay.play(item)
        // A chunk of a file has thousands of items, and each may fire many timers.
        if replay.effects.count >= Self.maximumEffects { submit() }
        played &+= 1
        return !played.isMultiple(of: Self.itemsPerLook) || !stop.isRaised
    }
    mutating func end() { replay.end() }

    /// Hands over what was read since the last time, and waits if it must.
    mutating func submit() {
        replay.flush()
        guard !replay.effects.isEmpty else { return }
        for index in replay.effects.indices {
            switch replay.effects[index] {
            case .submit(let batch): pipeline.submit(Batch(source: source, driver: replay.link.driver.id, link: batch))
            case .remember(let key, let value): try? memory?.store(replay.link.driver.id, key, value)
            case .tell(.diagnostic(let diagnostic)): diagnostics(diagnostic)
            case .tell(.identified(let told)): identity = told
            case .tell(.finished(_, let ended)): outcome = ended
            case .tell, .write, .writeFeature, .pauseReading, .resumeReading, .keep, .close: break
            }
        }
        replay.effects.removeAll(keepingCapacity: true)
        wait()
    }

    private mutating func wait() {
        if gate.isPassable { return }
        let start = HostClock.monotonic()
        pauses += 1
        // A sink that takes nothing must not keep the run from ending.
        while !stop.isRaised, !gate.pass(within: Self.lookPause) {}
        paused += .nanoseconds(HostClock.monotonic() - start)
    }

    var driver: CuffDriver { replay.link.driver }

    /// What this run counted so far.
    var counters: LinkCounters {
        var counters = replay.link.counters
        (counters.pauses, counters.paused) = (pauses, paused)
        return counters
    }

    /// Adds what this run counted, and how its conversation ended.
    func report(into report: inout IngestReport) {
        report.counters += counters
        report.identity = identity
        report.outcome = outcome
        pipeline.detach(source)
    }
}
