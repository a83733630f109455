/// A session with a Dinamap monitor: poll, detect a new determination, join its pulse. When polling, unchecked values, and any on a line
/// with damage, are accepted only if they come twice.
struct DinamapASCIISession: FramedSession, MeasuringSession {
    private enum Mode { case listening, reading, measuring, stopping }
    private enum Phase { case baseline, running, rate }

    /// Polls after a start: a longer determination is cancelled. The monitor's own limits are below: guess.
    private static let pollLimit = 180

    var reader = FrameReader(DinamapLine())
    var requests = Requests<DinamapCommand>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.dinamapASCII.capabilities }
    let stopCommand = DinamapCommand.cancel.bytes
    private var mode = Mode.listening
    private var phase = Phase.baseline
    private var polls = 0

    private var latest: DinamapDetermination?
    /// To which a later one is compared: a busy monitor may show no age.
    private var latestNotBusy: DinamapDetermination?
    /// A start was sent: only a younger determination counts.
    private var isStarted = false
    private var wasBusy = false
    /// Answers came before the start, but no readable values.
    private var isBaselineLost = false
    private var held: Reading?
    private var sightings = 0
    /// Values to be seen again before they are accepted, and the answer before them.
    private var doubtful: (determination: DinamapDetermination, former: DinamapDetermination?)?
    private var doubts = 0

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        let isResult = held != nil
        release(into: &actions)
        if isResult { finish(.complete, into: &actions) } else { finishAtEnd(into: &actions) }
    }

    var isListening: Bool { mode == .listening }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory: mode = .reading
        case .measure: mode = .measuring
        case .stop:
            // The answer to ND is not documented: the status shows when the monitor is no longer busy.
            mode = .stopping
            return stop(within: .milliseconds(300), into: &actions)
        default: return
        }
        ask(.status, into: &actions)
    }

    private mutating func ask(_ command: DinamapCommand, within limit: Duration = .seconds(2), into actions: inout SessionActions) {
        ask(Request(command, command.bytes, within: limit, attempts: 3), into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        let text = bytes.drop { $0 == DinamapLine.carriageReturn }
        if text.starts(with: DinamapCommand.start.rawValue.utf8.prefix(3)) {
            // The result read before a start, to compare ages, is the former determination.
            if held != nil { actions.note("values from before the start are not taken") }
            held = nil
            actions.disarm(.silence)
            isStarted = true
            wasBusy = false
            isBaselineLost = latestNotBusy == nil && reader.frames + reader.skippedBytes + reader.waiting > 0
        }
    }

    private mutating func release(into actions: inout SessionActions) {
        guard let reading = held else { return }
        held = nil
        actions.disarm(.silence)
        actions.emit(reading)
    }

    mutating func unanswered(_ question: DinamapCommand, into actions: inout SessionActions) {
        switch (mode, phase) {
        case (.stopping, _): finish(.noAnswer("the monitor did not confirm that it stopped"), into: &actions)
        case (_, .rate):
            release(into: &actions)
            finish(.complete, into: &actions)
        case (_, .running): giveUp("the monitor stopped answering", as: .lost, into: &actions)
        case (_, .baseline): finish(.noAnswer("the monitor did not answer NA"), into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode) {
        case (.response, .stopping): ask(.status, within: .milliseconds(700), into: &actions)
        case (.silence, .listening): release(into: &actions)
        case (.poll, .measuring):
            guard polls < Self.pollLimit else { return giveUp("the monitor had no new result within three minutes", into: &actions) }
            polls += 1
            ask(.status, into: &actions)
        default: break
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        // A shorter one is a line end, or a command's echo without an argument.
        guard range.count > 6 else { return }
        let text = Array(bytes(of: range).dropLast())
        if let determination = DinamapDetermination(reader.buffer.span.extracting(range)) {
            receive(determination, text, into: &actions)
        } else if let rate = DinamapHeartRate(reader.buffer.span.extracting(range)) {
            receive(rate, text, into: &actions)
        } else if DinamapLine.isChecked(text.span, text.count),
            DinamapCommand(rawValue: String(decoding: text.dropLast(2), as: UTF8.self)) == nil
        {
            actions.ignore("an answer that is not read", text)
        }
    }

    private mutating func receive(
        _ determination: DinamapDetermination, _ line: [UInt8], into actions: inout SessionActions
    ) {
        if mode == .stopping {
            return determination.status == 0 ? askAgain(after: .milliseconds(300), into: &actions) : finish(.complete, into: &actions)
        }
        let former = latest
        let comparable = latestNotBusy ?? (isBaselineLost ? nil : former)
        latest = determination
        if determination.age != nil || determination.status != 0 { latestNotBusy = determination }
        // Seen again before the pulse is requested, it still waits; afterwards no request follows.
        let isSame = determination.status == 1 && former.map { determination.isSame(as: $0) } ?? false
        sightings = isSame ? sightings + 1 : 0
        if sightings != 1 { release(into: &actions) }
        if phase != .rate { requests.end(into: &actions) }
        if determination.status == 0, isStarted, !wasBusy {
            wasBusy = true
            actions.append(.live(.started))
        }
        if mode == .measuring, phase == .baseline { return start(determination, into: &actions) }
        if determination.status == 1 {
            done(determination, comparable, line, into: &actions)
        } else if determination.failure != nil {
            failed(determination, former, line, into: &actions)
        } else if mode == .reading {
            finish(.failed("the monitor is measuring; read again when it is done"), into: &actions)
        } else {
            pollOn(into: &actions)
        }
    }

    private mutating func start(_ determination: DinamapDetermination, into actions: inout SessionActions) {
        guard determination.status != 0 else {
            return finish(.failed("the monitor is already measuring"), into: &actions)
        }
        phase = .running
        actions.append(.write(DinamapCommand.start.bytes))
        pollOn(into: &actions)
    }

    private func pollOn(into actions: inout SessionActions) {
        if mode == .measuring { actions.arm(.poll, .seconds(1)) }
    }

    private mutating func done(
        _ determination: DinamapDetermination, _ former: DinamapDetermination?, _ line: [UInt8],
        into actions: inout SessionActions
    ) {
        guard let age = determination.age, let systolic = determination.systolic, let diastolic = determination.diastolic,
            systolic > 0, diastolic > 0
        else {
            if mode == .reading { finish(.complete, into: &actions) } else { pollOn(into: &actions) }
            return
        }
        // A determination that became younger since it was last seen is another one.
        let former = doubtful?.former ?? former
        let isYounger = former.map { $0.age.map { age < $0 } ?? true } ?? false
        if isStarted {
            guard isYounger else { return pollOn(into: &actions) }
        } else if let former, former.age != nil, determination.isSame(as: former), mode == .listening {
            return
        }
        if mode != .listening, !isCertain(determination, after: former, into: &actions) { return }
        // The answer to RA tells whether there is a pulse.
        var pressure = BloodPressure.mmHg(systolic, diastolic, meanOrZero: determination.mean ?? 0, pulseOrZero: 0)
        pressure.pulseAbsence = .none
        held = Reading(
            .bloodPressure(pressure),
            driver: "dinamap-ascii", flags: determination.isChecked ? [] : .noMeasurementCheck,
            origin: isYounger ? .measurement : .memory, raw: RawBytes(line))
        if isStarted { actions.append(.live(.ended)) }
        isStarted = false
        if mode == .listening {
            actions.arm(.silence, .seconds(3))
        } else {
            phase = .rate
            ask(.heartRate, into: &actions)
        }
    }

    /// Whether to accept the values now. Without a check, or on a line with damage, the monitor is polled until it sends them twice.
    private mutating func isCertain(
        _ determination: DinamapDetermination, after former: DinamapDetermination?, into actions: inout SessionActions
    ) -> Bool {
        if let doubtful, doubtful.determination.hasValues(of: determination) { return true }
        guard !determination.isChecked || reader.skippedBytes > 0 else { return true }
        doubtful = (determination, former)
        doubts += 1
        if doubts > 6 {
            finish(.failed("the monitor's answers differ each time; the line is bad"), into: &actions)
        } else {
            ask(.status, into: &actions)
        }
        return false
    }

    /// A failure is new after a start, or if the monitor was busy before; otherwise it may be old.
    private mutating func failed(
        _ determination: DinamapDetermination, _ former: DinamapDetermination?, _ line: [UInt8],
        into actions: inout SessionActions
    ) {
        guard let failure = determination.failure else { return }
        let isNews = isStarted ? wasBusy : former?.status == 0
        if isNews {
            isStarted = false
            actions.emit(
                Reading(
                    .failure(failure), driver: "dinamap-ascii", flags: determination.isChecked ? [] : .noMeasurementCheck,
                    origin: .measurement, raw: RawBytes(line)))
        }
        switch mode {
        case .listening, .stopping: break
        case .reading:
            actions.warn("the last determination failed (status \(determination.status)); no values")
            finish(.complete, into: &actions)
        case .measuring: if isNews { finish(.complete, into: &actions) } else { pollOn(into: &actions) }
        }
    }

    private mutating func receive(_ rate: DinamapHeartRate, _ line: [UInt8], into actions: inout SessionActions) {
        guard var reading = held, case .bloodPressure(var pressure) = reading.content else { return }
        // The oximeter's rate is not of this measurement.
        if rate.source == 3, let value = rate.rate {
            pressure.pulse = PulseRate(value)
            var flags = reading.flags
            if !rate.isChecked { flags.insert(.noMeasurementCheck) }
            reading = Reading(
                .bloodPressure(pressure), driver: "dinamap-ascii", flags: flags, origin: reading.origin,
                raw: RawBytes(reading.raw.array + [DinamapLine.carriageReturn] + line))
        } else {
            pressure.pulseAbsence = .notMeasured
            reading.content = .bloodPressure(pressure)
        }
        held = reading
        release(into: &actions)
        if mode != .listening, phase == .rate { finish(.complete, into: &actions) }
    }
}
