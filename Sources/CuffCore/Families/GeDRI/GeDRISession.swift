/// A session with a DRI monitor: one request, then a record every few seconds, each with the cuff's last result.
struct GeDRISession: MonitorSession {
    static let patience = Duration.seconds(2)
    /// Three missing records.
    static let interval = Duration.seconds(3 * GeDRIRequest.interval)
    static let request = Request(
        MonitorMode.reading, GeDRIRequest.displayedValues(every: GeDRIRequest.interval), within: .seconds(GeDRIRequest.interval + 3),
        attempts: 3)

    var reader = FrameReader(GeDRIFrame())
    var requests = Requests<MonitorMode>()
    var mode = MonitorMode.listening
    var isFinished = false
    var asks = false

    private var standing = StandingResult<GeDRINIBP.Values>()
    private var emitted = 0
    private var wasMeasuring: Bool?
    private var wasEmpty = false
    private var skippedBefore = 0
    private var doubtful: GeDRINIBP.Values?

    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard asks, !isFinished else { return false }
        conclude(.complete, into: &actions)
        return true
    }

    mutating func conclude(_ outcome: Outcome, into actions: inout SessionActions) {
        if asks { actions.append(.write(GeDRIRequest.displayedValues(every: 0))) }
        finish(outcome, into: &actions)
    }

    mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions) {
        // The flag between two records is not damage.
        if count > 1 || fault != .notAStart { actions.report(skipped: count, fault) }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        guard let record = GeDRIFrame.record(reader.buffer.span.extracting(range)) else { return }
        let isAfterDamage = reader.skippedBytes - skippedBefore > 2 * range.count
        skippedBefore = reader.skippedBytes
        if mode == .listening { actions.arm(.poll, Self.interval) }
        if let nibp = GeDRIRecord.nibp(in: record.span) {
            observe(nibp, isAfterDamage: isAfterDamage, into: &actions)
        } else if GeDRIRecord.isPhysiological(record.span), mode == .reading {
            actions.ignore("a record without a basic class", record)
        }
    }

    private mutating func observe(_ nibp: GeDRINIBP, isAfterDamage: Bool, into actions: inout SessionActions) {
        guard nibp.isActive, !nibp.isCalibrating else { return settle("the monitor's cuff is not in use", into: &actions) }
        if nibp.isMeasuring {
            if wasMeasuring == false { actions.append(.live(.started)) }
            wasMeasuring = true
            doubtful = nil
            if mode == .reading { conclude(.failed("the monitor is measuring; read again when it is done"), into: &actions) }
            return
        }
        guard let pressure = nibp.bloodPressure else {
            ended(into: &actions)
            wasEmpty = true
            return settle("the monitor shows no result", into: &actions)
        }
        // The sum is weak: one of 256 damaged records passes it.
        if isAfterDamage || doubtful != nil {
            let former = doubtful
            doubtful = nibp.values
            guard former == nibp.values else { return }
            doubtful = nil
        }
        let hasEnded = ended(into: &actions)
        // Older than a minute by the monitor's label, although a measurement just ended.
        let flags: MeasurementFlags = hasEnded && nibp.isOld ? .questionable : []
        let reading = Reading(
            .bloodPressure(pressure), driver: "ge-dri", flags: flags, origin: .memory, trigger: nibp.trigger, raw: nibp.raw)
        // The first result after an empty record is new.
        let isNew = hasEnded || wasEmpty && !standing.isKnown
        _ = standing.receive(reading, nibp.values, isNew: isNew, emitted: &emitted, into: &actions)
        if mode == .reading { conclude(.complete, into: &actions) }
    }

    @discardableResult
    private mutating func ended(into actions: inout SessionActions) -> Bool {
        let hasEnded = wasMeasuring == true
        wasMeasuring = false
        if hasEnded { actions.append(.live(.ended)) }
        return hasEnded
    }
}
