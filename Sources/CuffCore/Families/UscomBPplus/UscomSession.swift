struct UscomSession: FinishingSession {
    private enum Mode: Equatable { case listening, reading, measuring, stopping, clock, settingClock, information }
    private enum Step: Equatable { case idle, detail, starting, running, list, recall(Int), answer }

    private static let tries = 3
    /// The longest series; a single measurement takes at most 180 s.                                           documented [2]
    private static let measurementLimit = Duration.seconds(27 * 60)
    /// The monitor calculates for some seconds without a line.
    private static let silenceLimit = Duration.seconds(60)
    /// The rest before an office series is announced once, then nothing comes for up to 900 s.                 documented [2]
    private static let restLimit = Duration.seconds(960)
    /// The device begins to answer within this; 15 s and 60 s are its limits for whole answers. documented [2]
    private static let answerLimit = Duration.seconds(10)
    /// The longest pause within an answer: guess.
    private static let pauseLimit = Duration.seconds(5)

    var isFinished = false
    var capabilities: Capabilities { CuffDriver.uscomBPplus.capabilities }
    var isListening: Bool { mode == .listening }
    private var reader = UscomReader()
    private var mode = Mode.listening
    private var step = Step.idle
    private var asked = 0
    private var request: [UInt8] = []
    /// What the device listed, the newest first, and the page asked for last.
    private var numbers: [Int] = []
    private var page = 0
    private let pages: Int
    private var unread = 0
    private var listCheck: (length: Int, check: UInt8)?
    private var isMeasuring = false
    private var isWatched = false
    private var isRecall = false
    private var isResting = false
    private var wanted: DeviceTime?
    /// In a recording: the clock was asked for.
    private var isClockAsked = false

    init(_ context: SessionContext) { pages = context.options["pages"].flatMap { Int($0) } ?? 10 }

    var frames: Int? { reader.frames }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        switch bytes.first {
        case UInt8(ascii: "s"): (isWatched, isRecall) = (true, false)
        case UInt8(ascii: "r"): isRecall = true
        case UInt8(ascii: "d"): isRecall = false
        case UInt8(ascii: "y"): isClockAsked = true
        default: break
        }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory: ask("i 0", .list, as: .reading, within: Self.answerLimit, into: &actions)
        case .measure: ask("d 4", .detail, as: .measuring, within: .seconds(3), into: &actions)
        case .stop:
            actions.append(.live(.aborted))
            actions.disarm(.overall)
            actions.disarm(.silence)
            ask("c", .answer, as: .stopping, within: .milliseconds(700), into: &actions)
        case .readClock: ask("y", .answer, as: .clock, within: .seconds(3), into: &actions)
        case .setClock(let time):
            // The device's answer is not documented: the clock is read back.
            wanted = time
            ask("y \(UscomTime.text(time)) ", .answer, as: .settingClock, within: .seconds(1), into: &actions)
        case .information: ask("f", .answer, as: .information, within: .seconds(3), into: &actions)
        case .follow, .schedule, .clear: break
        }
    }

    private mutating func ask(
        _ line: String, _ step: Step, as mode: Mode? = nil, within limit: Duration, into actions: inout SessionActions
    ) {
        if let mode { self.mode = mode }
        (self.step, asked, request) = (step, 1, Array((line + "\r\n").utf8))
        actions.append(.write(request))
        actions.arm(.response, limit)
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        for item in reader.read(bytes) where !isFinished {
            switch item {
            case .skipped(let count, let fault):
                actions.report(skipped: count, fault)
                if fault == .badCheck { damaged(into: &actions) }
            case .document(let document): receive(document, into: &actions)
            case .line(let line): receive(line, into: &actions)
            }
        }
        guard !isFinished else { return }
        if mode == .measuring, step == .running { actions.arm(.silence, isResting ? Self.restLimit : Self.silenceLimit) }
        if case .recall = step, isRecall { actions.arm(.response, Self.pauseLimit) }
    }

    private mutating func receive(_ line: String, into actions: inout SessionActions) {
        // An empty field keeps its place: the values of a result are known by theirs.
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        let number = parts.count > 1 ? Int(parts[1]) : nil
        switch (parts.first, number) {
        case ("P"?, let pressure?), ("p"?, let pressure?):
            begin(into: &actions)
            actions.append(.live(.cuffPressure(.mmHg(pressure))))
        case ("M"?, let state?): changed(to: state, into: &actions)
        case ("F"?, let outcome?): ended(outcome, into: &actions)
        case ("D"?, _): if step == .detail { start(into: &actions) } else if case .recall = step { recall(into: &actions) }
        case ("S"?, _): result(parts, line, into: &actions)
        case ("IDs_H"?, let length?): listCheck = parts.count > 2 ? UInt8(parts[2]).map { (length, $0) } : nil
        case ("IDs_Content"?, _): list(line, parts, into: &actions)
        case ("T"?, _): clock(String(parts.last { !$0.isEmpty } ?? ""), into: &actions)
        default:
            if line.hasPrefix("<Feature") { return features(line, into: &actions) }
            if line.utf8.count == 14 { clock(line, into: &actions) }
        }
    }

    private mutating func begin(into actions: inout SessionActions) {
        guard mode == .listening || mode == .measuring && (step == .starting || step == .running) else { return }
        if !isMeasuring { actions.append(.live(.started)) }
        (isMeasuring, isWatched) = (true, true)
        guard mode == .measuring, step == .starting else { return }
        step = .running
        actions.disarm(.response)
        actions.arm(.overall, Self.measurementLimit)
    }

    private mutating func changed(to state: Int, into actions: inout SessionActions) {
        isResting = state == 22
        switch state {
        case 3...6: begin(into: &actions)
        case 22 where mode == .measuring: begin(into: &actions)
        case 2 where mode == .stopping: finish(.complete, into: &actions)
        case 2 where mode == .listening: endLive(into: &actions)
        default: break
        }
    }

    private mutating func endLive(as end: LiveEvent = .ended, into actions: inout SessionActions) {
        if isMeasuring { actions.append(.live(end)) }
        isMeasuring = false
    }

    private mutating func ended(_ outcome: Int, into actions: inout SessionActions) {
        switch mode {
        case .stopping:
            if outcome == UscomOutcome.cancelled || outcome == UscomOutcome.noneRunning { finish(.complete, into: &actions) }
        case .settingClock where outcome == UscomOutcome.badTime:
            finish(.failed("the device refused the time (F 24)"), into: &actions)
        case .measuring where step == .starting && UscomOutcome.refuses(outcome):
            actions.append(.live(.failed(.init(.refused))))
            finish(.failed("the device refused the start (F \(Decimal.text(outcome, 2)))"), into: &actions)
        case .reading where step != .list:
            unread += 1
            actions.note("a stored measurement cannot be recalled (F \(Decimal.text(outcome, 2)))")
            next(into: &actions)
        case .reading where page > 0: endList("refused the next page", into: &actions)
        case .reading, .clock, .settingClock, .information:
            if UscomOutcome.refuses(outcome) {
                finish(.failed("the device refuses this on its present screen (F \(Decimal.text(outcome, 2)))"), into: &actions)
            }
        default:
            guard isWatched, let failure = UscomOutcome.failure(outcome) else { return }
            endLive(as: outcome == UscomOutcome.cancelled ? .aborted : .ended, into: &actions)
            isWatched = false
            actions.emit(
                Reading(
                    .failure(failure), driver: "uscom-bpplus", flags: .noMeasurementCheck, origin: .measurement,
                    raw: RawBytes(Array("F \(outcome)".utf8))))
            if mode == .measuring { finish(.complete, into: &actions) }
        }
    }

    private mutating func receive(_ document: UscomDocument, into actions: inout SessionActions) {
        let readings = document.readings(origin: isRecall ? .memory : isWatched ? .measurement : .push)
        if readings.isEmpty { actions.warn("a result without pressures") }
        emit(readings, into: &actions)
        isRecall = false
        if case .recall = step { return next(into: &actions) }
    }

    private mutating func result(_ parts: [Substring], _ line: String, into actions: inout SessionActions) {
        guard let pressure = UscomResultLine.pressure(parts) else {
            return actions.ignore("a result line without its 17 fields and pressures", Array(line.utf8))
        }
        let reading = Reading(
            .bloodPressure(pressure), driver: "uscom-bpplus", flags: .noMeasurementCheck, origin: isWatched ? .measurement : .push,
            raw: RawBytes(Array(line.utf8)))
        emit([reading], into: &actions)
    }

    private mutating func emit(_ readings: [Reading], into actions: inout SessionActions) {
        if !isRecall { endLive(into: &actions) }
        for reading in readings { actions.emit(reading) }
        guard !isRecall else { return }
        isWatched = false
        guard mode == .measuring, step == .running else { return }
        finish(readings.isEmpty ? .failed("the measurement gave no pressures") : .complete, into: &actions)
    }

    private mutating func damaged(into actions: inout SessionActions) {
        if case .recall = step { return again(into: &actions) }
        guard mode == .measuring, step == .running else { return }
        finish(.failed("the result arrived damaged; the device has stored it: `cuff read`"), into: &actions)
    }

    private mutating func clock(_ digits: String, into actions: inout SessionActions) {
        guard mode == .clock || mode == .settingClock || isListening && isClockAsked, let time = UscomTime.time(digits) else { return }
        if time.isPossible { actions.append(.clock(time)) }
        isClockAsked = false
        guard !isListening else { return }
        guard time.isPossible else { return finish(.failed("the device's clock shows no possible time"), into: &actions) }
        let isSet = wanted.map { $0.isShown(by: time) } ?? true
        finish(isSet ? .complete : .failed("the device's clock does not show the time that was sent"), into: &actions)
    }

    private mutating func features(_ line: String, into actions: inout SessionActions) {
        func value(_ name: String) -> String? { UscomDocument.text(of: name, in: line).map { DeviceIdentity.text($0.utf8) } }
        let id = value("id")
        actions.append(.identify(DeviceIdentity(id: id ?? "", manufacturer: "Uscom", model: "BP+", serial: id, firmware: value("fw"))))
        if mode == .information { finish(.complete, into: &actions) }
    }

    private mutating func list(_ line: String, _ parts: [Substring], into actions: inout SessionActions) {
        guard mode == .reading, step == .list else { return }
        let whole = Array((line + "\r\n").utf8)
        guard let listCheck, listCheck.length == whole.count, listCheck.check == UscomCheck.of(whole) else {
            actions.report(skipped: whole.count, .badCheck)
            return again(into: &actions)
        }
        self.listCheck = nil
        let listed = parts.dropFirst().prefix(100).compactMap { Int($0) }
        let new = listed.filter { !numbers.contains($0) }
        numbers += new
        guard listed.count == 100, !new.isEmpty, page + 1 < pages else { return next(into: &actions) }
        page += 1
        ask("i \(page)", .list, within: Self.answerLimit, into: &actions)
    }

    private mutating func endList(_ why: String, into actions: inout SessionActions) {
        actions.note("the device \(why) of its list: \(numbers.count) measurements are read")
        next(into: &actions)
    }

    private mutating func next(into actions: inout SessionActions) {
        guard let number = numbers.popLast() else {
            return finish(unread == 0 ? .complete : .failed("\(unread) stored measurements could not be read"), into: &actions)
        }
        ask("d 5", .recall(number), within: .seconds(3), into: &actions)
    }

    private mutating func recall(into actions: inout SessionActions) {
        guard case .recall(let number) = step, request == Array("d 5\r\n".utf8) else { return }
        ask("r \(number)", .recall(number), within: Self.answerLimit, into: &actions)
    }

    private mutating func start(into actions: inout SessionActions) {
        ask("s 0", .starting, within: .seconds(5), into: &actions)
    }

    private mutating func again(into actions: inout SessionActions) {
        guard asked < Self.tries else {
            if step == .list, page > 0 { return endList("did not send the next page", into: &actions) }
            guard case .recall = step else { return finish(.noAnswer("the device stopped answering"), into: &actions) }
            unread += 1
            return next(into: &actions)
        }
        asked += 1
        actions.append(.write(request))
        actions.arm(.response, mode == .stopping ? .milliseconds(700) : Self.answerLimit)
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode, step) {
        case (.overall, .measuring, .running): giveUp("the device did not finish within 27 minutes", .timeout, into: &actions)
        case (.silence, .measuring, .running): giveUp("the device stopped sending during the measurement", .lost, into: &actions)
        // Older devices have no `d`.
        case (.response, .measuring, .detail): start(into: &actions)
        // A start is not repeated: a lost answer must not inflate the cuff twice.
        case (.response, .measuring, .starting): giveUp("the device did not answer the start", .timeout, into: &actions)
        case (.response, .settingClock, _) where request != Array("y\r\n".utf8):
            ask("y", .answer, within: .seconds(3), into: &actions)
        case (.response, .reading, .recall) where request == Array("d 5\r\n".utf8): recall(into: &actions)
        case (.response, .listening, _), (.response, .measuring, _): break
        case (.response, _, _): again(into: &actions)
        default: break
        }
    }

    private mutating func giveUp(_ sentence: String, _ reason: FailureReason, into actions: inout SessionActions) {
        actions.append(.write(Array("c\r\n".utf8)))
        actions.append(.live(.failed(.init(reason))))
        finish(.noAnswer(sentence), into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        while let step = reader.finish() { if case .skipped(let count, let fault) = step { actions.report(skipped: count, fault) } }
        finishAtEnd(into: &actions)
    }
}
