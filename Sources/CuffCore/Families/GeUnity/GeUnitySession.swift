/// The conversation with a Dash: one request, every few seconds, and in each answer the cuff's last result.
/// A read believes values that come twice: nothing else can be checked.
struct GeUnitySession: MonitorSession {
    static let kind = "a Dash monitor"
    /// Answers that may differ while a result is read.
    private static let doubtLimit = 6
    static let patience = Duration.seconds(2)
    /// Readers ask every 2 [1] or 5 [2] seconds.
    private static let interval = Duration.seconds(5)

    var reader = FrameReader(GeUnityFrame())
    var mode = MonitorMode.listening
    var isFinished = false
    var tries = 0
    private var doubts = 0
    /// This session asks; otherwise it listens to what somebody else asked.
    private var asks = false

    private var standing = StandingResult<GeUnityResult>()
    private var emitted = 0
    /// An answer showed a cuff without a result.
    private var wasEmpty = false
    /// Values to be seen once more before they are believed.
    private var doubtful: GeUnityResult?

    mutating func ask(into actions: inout SessionActions) {
        asks = true
        ask(GeUnityFrame.request, within: .seconds(3), again: Self.interval, into: &actions)
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
}
