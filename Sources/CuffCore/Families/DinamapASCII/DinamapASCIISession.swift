/// The conversation with a Dinamap monitor: poll, recognise a new determination, join its pulse.
/// A session that asks by itself believes unchecked values, and any on a line that has shown damage, when they come twice.
struct DinamapASCIISession: FramedSession {
    private enum Mode { case listening, reading, measuring, stopping }
    /// Where a measurement stands.
    private enum Phase { case baseline, running, rate }

    private static let retryLimit = 3
    /// Polls after a start: a determination that is busy for longer is cancelled. The monitor's own limits are below: guess.
    private static let pollLimit = 180

    var reader = FrameReader(DinamapLine())
    private var mode = Mode.listening
    private var phase = Phase.baseline
    var isFinished = false
    private var tries = 0
    private var polls = 0

    /// The latest answer to NA.
    private var latest: DinamapDetermination?
    /// A start was sent: only a determination that is younger than what was seen counts.
    private var isStarted = false
    private var wasBusy = false
    /// The reading that waits for its pulse.
    private var held: Reading?
    /// How often its determination was seen again meanwhile.
    private var sightings = 0
    /// Values to be seen once more before they are believed, and the answer before them.
    private var doubtful: (determination: DinamapDetermination, former: DinamapDetermination?)?
    private var doubts = 0

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        let isResult = held != nil
        release(into: &actions)
        finish(mode == .listening || isResult ? .complete : .noAnswer("the line ended before the monitor had answered"), into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: mode = .listening
        case .readMemory(user: nil):
            mode = .reading
            ask(.status, into: &actions)
        case .readMemory: finish(.unsupported("a Dinamap monitor has no users"), into: &actions)
        case .measure:
            mode = .measuring
            ask(.status, into: &actions)
        case .stop:
            actions.append(.write(DinamapCommand.cancel.bytes))
            actions.append(.live(.aborted))
            // What a monitor answers to ND is not documented: its status tells when it is no longer busy.
            mode = .stopping
            phase = .running
            polls = 0
            tries = 0
            actions.append(.disarm(.response))
            actions.append(.arm(.poll, .milliseconds(300)))
        default: finish(.unsupported("dinamap-ascii has no command for that"), into: &actions)
        }
    }

    private mutating func ask(_ command: DinamapCommand, into actions: inout SessionActions) {
        tries += 1
        actions.append(.write(command.bytes))
        actions.append(.arm(.response, .seconds(2)))
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        let text = bytes.drop { $0 == DinamapLine.carriageReturn }
        if text.starts(with: DinamapCommand.start.rawValue.utf8.prefix(3)) {
            // What was read just before a start was read to compare ages, and is the former determination.
            if held != nil { actions.append(.report(.note("values from before the start are not taken"))) }
            held = nil
            actions.append(.disarm(.silence))
            isStarted = true
            wasBusy = false
        }
    }

    /// Gives the reading that waited for a pulse; the pulse never came, or was not the cuff's.
    private mutating func release(into actions: inout SessionActions) {
        guard let reading = held else { return }
        held = nil
        actions.append(.disarm(.silence))
        actions.emit(reading)
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode) {
        case (.poll, .stopping), (.response, .stopping):
            guard polls < 3 else { return finish(.noAnswer("the monitor did not confirm that it stopped"), into: &actions) }
            polls += 1
            actions.append(.write(DinamapCommand.status.bytes))
            actions.append(.arm(.response, .milliseconds(700)))
        case (.silence, .listening): release(into: &actions)
        case (.poll, .measuring):
            guard polls < Self.pollLimit else { return giveUp("the monitor was busy for three minutes", into: &actions) }
            polls += 1
            tries = 0
            ask(.status, into: &actions)
        case (.response, .reading), (.response, .measuring):
            guard tries >= Self.retryLimit else {
                return ask(phase == .rate ? .heartRate : .status, into: &actions)
            }
            if phase == .rate {
                release(into: &actions)
                finish(.complete, into: &actions)
            } else if phase == .running {
                giveUp("the monitor stopped answering", as: .lost, into: &actions)
            } else {
                finish(.noAnswer("the monitor did not answer NA"), into: &actions)
            }
        default: break
        }
    }

    private mutating func giveUp(_ why: String, as reason: FailureReason = .timeout, into actions: inout SessionActions) {
        actions.append(.write(DinamapCommand.cancel.bytes))
        actions.append(.live(.failed(Failure(reason))))
        finish(.noAnswer(why), into: &actions)
    }

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range) where range.count > 6:
            let determination = DinamapDetermination(reader.buffer.span.extracting(range))
            let rate = DinamapHeartRate(reader.buffer.span.extracting(range))
            let text = Array(reader.buffer[range].dropLast())
            if let determination {
                take(determination, text, into: &actions)
            } else if let rate {
                take(rate, text, into: &actions)
            } else if DinamapLine.isChecked(text.span, text.count),
                DinamapCommand(rawValue: String(decoding: text.dropLast(2), as: UTF8.self)) == nil
            {
                actions.append(.report(.ignored("an answer that is not read", text)))
            }
        case .frame: break  // a line end, a command's echo without an argument
        }
    }

    private mutating func take(
        _ determination: DinamapDetermination, _ line: [UInt8], into actions: inout SessionActions
    ) {
        if mode == .stopping {
            actions.append(.disarm(.response))
            return determination.status == 0 ? actions.append(.arm(.poll, .milliseconds(300))) : finish(.complete, into: &actions)
        }
        let former = latest
        latest = determination
        // Seen once more before the pulse is requested, it still waits; afterwards no request follows.
        let isSame = determination.status == 1 && former.map { determination.isSame(as: $0) } ?? false
        sightings = isSame ? sightings + 1 : 0
        if sightings != 1 { release(into: &actions) }
        if mode != .listening, phase != .rate { actions.append(.disarm(.response)) }
        if determination.status == 0, isStarted, !wasBusy {
            wasBusy = true
            actions.append(.live(.started))
        }
        if mode == .measuring, phase == .baseline { return start(determination, into: &actions) }
        if determination.status == 1 {
            done(determination, former, line, into: &actions)
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
        if mode == .measuring { actions.append(.arm(.poll, .seconds(1))) }
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
        let mean = determination.mean.flatMap { $0 > 0 ? $0 : nil }
        held = Reading(
            .bloodPressure(
                BloodPressure(
                    systolic: .mmHg(systolic), diastolic: .mmHg(diastolic), mean: mean.map(Pressure.mmHg),
                    meanAbsence: mean == nil ? .notMeasured : .none, pulseAbsence: .notMeasured)),
            driver: "dinamap-ascii", flags: determination.isChecked ? [] : .noMeasurementCheck,
            origin: isYounger ? .measurement : .memory, raw: RawBytes(line))
        if isStarted { actions.append(.live(.ended)) }
        isStarted = false
        if mode == .listening {
            actions.append(.arm(.silence, .seconds(3)))
        } else {
            phase = .rate
            tries = 0
            ask(.heartRate, into: &actions)
        }
    }

    /// Whether to believe the values now. Without a check, or on a line that has already shown damage, the monitor is
    /// asked until it says the same twice: its values stay where they are.
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
            tries = 0
            ask(.status, into: &actions)
        }
        return false
    }

    /// A failure is news after a start, or when the monitor was busy before; otherwise it may be old.
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
        case .listening: break
        case .reading:
            actions.append(.report(.warning("the last determination failed (status \(determination.status)); no values")))
            finish(.complete, into: &actions)
        case .measuring: if isNews { finish(.complete, into: &actions) } else { pollOn(into: &actions) }
        case .stopping: break
        }
    }

    private mutating func take(_ rate: DinamapHeartRate, _ line: [UInt8], into actions: inout SessionActions) {
        guard var reading = held, case .bloodPressure(var pressure) = reading.content else { return }
        // The oximeter's rate is not of this measurement.
        if rate.source == 3, let value = rate.rate {
            pressure.pulse = PulseRate(value)
            pressure.pulseAbsence = .none
            var flags = reading.flags
            if !rate.isChecked { flags.insert(.noMeasurementCheck) }
            reading = Reading(
                .bloodPressure(pressure), driver: "dinamap-ascii", flags: flags, origin: reading.origin,
                raw: RawBytes(reading.raw.array + [DinamapLine.carriageReturn] + line))
        }
        held = reading
        release(into: &actions)
        if mode != .listening, phase == .rate { finish(.complete, into: &actions) }
    }
}
