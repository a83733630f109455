/// A session with a Dash: a request every few seconds, each answered by the last result. A read needs it twice for want of a check.
struct GeUnitySession: MonitorSession {
    /// Differing answers allowed while a result is read.
    private static let doubtLimit = 6
    static let patience = Duration.seconds(2)
    /// Readers poll every 2 [1] or 5 [2] seconds.
    static let interval = Duration.seconds(5)
    static let request = Request(MonitorMode.reading, GeUnityFrame.request, within: .seconds(3), attempts: 3)

    var reader = FrameReader(GeUnityFrame())
    var requests = Requests<MonitorMode>()
    var mode = MonitorMode.listening
    var isFinished = false
    var asks = false
    private var doubts = 0

    private var standing = StandingResult<GeUnityResult>()
    private var emitted = 0
    private var wasEmpty = false
    private var doubtful: GeUnityResult?

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let result = GeUnityFrame.result(in: reader.buffer.span.extracting(range))
        if mode == .listening, !asks { actions.arm(.poll, Self.interval) }
        requests.end(into: &actions)
        guard let result, !result.isAbsent else {
            if result != nil { wasEmpty = true }
            return settle(result == nil ? "the monitor shows no cuff" : "the monitor shows no result", into: &actions)
        }
        guard let pressure = result.bloodPressure else {
            actions.ignore("values of the cuff that cannot be", result.raw.array)
            return compare(into: &actions)
        }
        observe(pressure, result, into: &actions)
    }

    private mutating func observe(_ pressure: BloodPressure, _ result: GeUnityResult, into actions: inout SessionActions) {
        if mode == .reading, doubtful != result {
            doubtful = result
            return compare(into: &actions)
        }
        let reading = Reading(
            .bloodPressure(pressure), driver: "ge-unity", flags: .noMeasurementCheck, origin: .memory, raw: result.raw)
        // The first result after an empty answer is new.
        _ = standing.receive(reading, result, isNew: wasEmpty && !standing.isKnown, emitted: &emitted, into: &actions)
        if mode == .reading { finish(.complete, into: &actions) }
    }

    private mutating func compare(into actions: inout SessionActions) {
        guard mode == .reading else { return }
        doubts += 1
        guard doubts <= Self.doubtLimit else {
            return finish(.failed("the monitor's answers differ each time; the line is bad"), into: &actions)
        }
        actions.arm(.poll, .seconds(1))
    }
}
