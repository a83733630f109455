/// The conversation with a Dash: one request, every few seconds, and in each answer the cuff's last result.
/// A read believes values that come twice: nothing else can be checked.
struct GeUnitySession: FramedSession {
    private enum Mode { case listening, reading }

    private static let retryLimit = 3
    /// Answers that may differ while a result is read.
    private static let doubtLimit = 6
    /// While following, somebody else may be asking already.
    private static let patience = Duration.seconds(2)
    /// Readers ask every 2 [1] or 5 [2] seconds.
    private static let interval = Duration.seconds(5)

    var reader = FrameReader(GeUnityFrame())
    var hearsCommits: Bool { false }
    private var mode = Mode.listening
    var isFinished = false
    private var tries = 0
    private var doubts = 0
    /// This session asks; otherwise it listens to what somebody else asked.
    private var asks = false

    private var standing = StandingResult<GeUnityResult>()
    private var emitted = 0
    /// An answer showed a cuff without a result.
    private var wasEmpty = false
    /// Values to be seen once more before they are believed.
    private var doubtful: GeUnityResult?

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        finish(mode == .listening ? .complete : .noAnswer("the line ended before the monitor had answered"), into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow:
            mode = .listening
            actions.append(.arm(.poll, Self.patience))
        case .readMemory(user: nil):
            mode = .reading
            ask(into: &actions)
        case .readMemory: finish(.unsupported("a Dash monitor has no users"), into: &actions)
        default: finish(.unsupported("ge-unity knows one request, which asks for the values that the monitor shows"), into: &actions)
        }
    }

    private mutating func ask(into actions: inout SessionActions) {
        tries += 1
        asks = true
        actions.append(.write(GeUnityFrame.request))
        actions.append(mode == .reading ? .arm(.response, .seconds(3)) : .arm(.poll, Self.interval))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode) {
        case (.poll, .listening): ask(into: &actions)
        case (.poll, .reading):
            tries = 0
            ask(into: &actions)
        case (.response, .reading):
            if tries < Self.retryLimit { return ask(into: &actions) }
            finish(.noAnswer("the monitor did not answer"), into: &actions)
        default: break
        }
    }

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range):
            let result = GeUnityFrame.result(in: reader.buffer.span.extracting(range))
            // Somebody else is asking.
            if mode == .listening, !asks { actions.append(.arm(.poll, Self.interval)) }
            if mode == .reading { actions.append(.disarm(.response)) }
            guard let result, !result.isAbsent else {
                if result != nil { wasEmpty = true }
                return settle(result == nil ? "the monitor shows no cuff" : "the monitor shows no result", into: &actions)
            }
            guard let pressure = result.bloodPressure else {
                actions.append(.report(.ignored("values of the cuff that cannot be", result.raw.array)))
                return askAgain(into: &actions)
            }
            observe(pressure, result, into: &actions)
        }
    }

    private mutating func observe(_ pressure: BloodPressure, _ result: GeUnityResult, into actions: inout SessionActions) {
        if mode == .reading, doubtful != result {
            doubtful = result
            return askAgain(into: &actions)
        }
        let reading = Reading(
            .bloodPressure(pressure), driver: "ge-unity", flags: .noMeasurementCheck, origin: .memory, raw: result.raw)
        // Where nothing stood before, the first one is of now.
        _ = standing.receive(reading, result, isNew: wasEmpty && !standing.isKnown, emitted: &emitted, into: &actions)
        if mode == .reading { finish(.complete, into: &actions) }
    }

    private mutating func askAgain(into actions: inout SessionActions) {
        guard mode == .reading else { return }
        doubts += 1
        guard doubts <= Self.doubtLimit else {
            return finish(.failed("the monitor's answers differ each time; the line is bad"), into: &actions)
        }
        actions.append(.arm(.poll, .seconds(1)))
    }

    /// A read that found no result is over.
    private mutating func settle(_ why: String, into actions: inout SessionActions) {
        guard mode == .reading else { return }
        actions.append(.report(.note(why)))
        finish(.complete, into: &actions)
    }
}
