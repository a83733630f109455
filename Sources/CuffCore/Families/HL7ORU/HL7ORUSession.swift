/// Receives HL7 messages from monitors; answers each once its readings are on disk.
struct HL7ORUSession: FramedSession {
    /// A bare message has no end mark; a pause within it would split it. No source has a time: guess.
    static let silence = Duration.seconds(2)
    /// How long a sender waits for its answer before it gets AE. No source has a time: guess.
    static let patience = Duration.seconds(10)
    /// Limit of answers waiting for the sinks. Senders wait for each answer; others get AE.
    private static let mostAnswers = 256

    private struct Answer {
        var acknowledgement: HL7Acknowledgement
        var through: Int
    }

    private struct Readings {
        var emitted = 0
        var committed = 0
        /// The last one that only its arrival distinguishes from an equal one.
        var unstamped = 0
    }

    var reader = FrameReader(HL7Frame())
    private var silenced = 0
    var frames: Int? { reader.frames + silenced }
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.hl7ORU.capabilities }
    private var isFollowing = false
    private var isLineOver = false
    /// A message of Patient Data Share was seen: such a monitor gets no answers.
    private var isMindray = false
    private let keeps: Bool
    private let keepsReadings: Bool
    private let device: String
    private var repetitions: HL7Repetitions
    private var identity = ""

    private var readings = Readings()
    private var answers: [Answer] = []
    private var answered = 0
    /// By key: values to remember once this number of readings is on disk.
    private var notes: [String: (through: Int, value: [UInt8])] = [:]

    init(_ context: SessionContext) {
        keeps = context.options["keep"] == "yes"
        keepsReadings = context.keepsReadings
        device = context.device
        repetitions = HL7Repetitions(context)
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        receiveFrames(of: bytes, into: &actions)
        actions.append(isMessageWaiting ? .arm(.silence, Self.silence) : .disarm(.silence))
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        readings.committed = through
        settle(into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        isLineOver = true
        endWaiting(into: &actions)
        if reader.waiting > 0 { actions.ignore("a message whose end did not come", []) }
        receiveRest(into: &actions)
        finish(.complete, into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        isFollowing = true
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch timer {
        case .silence: endWaiting(into: &actions)
        case .response: giveUpWaiting(into: &actions)
        default: break
        }
    }

    /// The host ends before the sinks have stored everything: the sender must not take the silence for an acceptance.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard !answers.isEmpty else { return false }
        giveUpWaiting(into: &actions)
        lineEnded(into: &actions)
        return true
    }

    /// If they are stored later, the repeated message gives the same reading.
    private mutating func giveUpWaiting(into actions: inout SessionActions) {
        let late = answers
        answers.removeAll()
        for answer in late { write(answer.acknowledgement, .error, into: &actions) }
        if !late.isEmpty {
            actions.warn("\(late.count) message\(late.count == 1 ? "" : "s") could not be kept in time")
        }
    }

    mutating func skipped(_ count: Int, _ fault: FrameFault, into actions: inout SessionActions) {
        actions.report(skipped: count, fault)
        if fault == .tooLong { actions.ignore("a message of more than 64 KiB", []) }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        receive(bytes(of: range), isCut: false, into: &actions)
    }

    private var isMessageWaiting: Bool {
        guard let first = reader.buffer.first, reader.waiting > 0 else { return false }
        let isBlock = first == HL7Frame.blockStart
        return (!isBlock || isEnded) && HL7Frame.header(reader.buffer.span, at: isBlock ? 1 : 0) == .whole
    }

    private var isEnded: Bool { reader.buffer.last == HL7Frame.blockEnd }

    /// Silence or the end of the line completes a waiting message.
    private mutating func endWaiting(into actions: inout SessionActions) {
        guard isMessageWaiting else { return }
        let bytes = reader.buffer
        let isCut = isLineOver && !isEnded
        _ = reader.discard()
        silenced += 1
        receive(bytes, isCut: isCut, into: &actions)
    }

    /// `isCut`: the line ended within a bare message, so that the rest may be missing; only complete determinations are accepted.
    private mutating func receive(_ frame: [UInt8], isCut: Bool, into actions: inout SessionActions) {
        guard let message = HL7Message(frame) else { return actions.ignore("a message whose header cannot be read", []) }
        guard message.kind != .acknowledgement else { return }
        guard HL7Message.isComplete(frame), message.kind == .observations, message.controlID.count <= HL7Message.longestControlID else {
            actions.ignore("a message other than ORU^R01, or not a whole one", Array(message.type.joined()))
            return answer(message, .error, into: &actions)
        }
        let speaksMindray = message.isMindray
        // Its other kinds are not answered either; a message with a sender or time is no proof of Patient Data Share.
        if speaksMindray, [3, 7].allSatisfy({ message.header.field($0).isEmpty }) { isMindray = true }
        var determinations = HL7Determinations(message, isMindray: speaksMindray)
        // Of Patient Data Share only 503 is the result of a determination.
        if speaksMindray, !message.controlID.elementsEqual("503".utf8) {
            guard !determinations.found.isEmpty || !determinations.refused.isEmpty else { return }
            return actions.ignore("pressures in a message that is not a cuff result (503)", Array(message.controlID))
        }
        if isCut { determinations.keepWhole() }
        for (why, code) in determinations.refused { actions.ignore(why, code) }
        emit(determinations.found, of: message, into: &actions)
        answer(message, .accepted, into: &actions)
    }

    private mutating func emit(_ found: [HL7Determination], of message: HL7Message, into actions: inout SessionActions) {
        let monitor = HL7Monitor(message)
        if !found.isEmpty { identify(monitor, into: &actions) }
        let sender = XXHash64.hash((Array(device.utf8) + [0] + monitor.bytes).span)
        let times = found.map { $0.time != nil }
        let untimed = found.filter { $0.time == nil }.map { $0.digest(seed: sender, and: $0.patient) }
        var isNew: [Bool] = []
        if !untimed.isEmpty {
            let isNamed = !device.isEmpty || !monitor.isAnonymous
            let (new, note) = repetitions.new(untimed, of: sender, isNamed: isNamed)
            isNew = new
            if let note { notes[note.key] = (readings.emitted + new.count { $0 }, note.value) }
        }
        for (determination, hasTime) in zip(found, times) {
            let isFirst =
                hasTime ? repetitions.isNew(timed: determination.digest(seed: sender, and: determination.patient)) : isNew.removeFirst()
            if isFirst { emit(determination, of: message, into: &actions) }
        }
        settle(into: &actions)
    }

    private mutating func emit(_ determination: HL7Determination, of message: HL7Message, into actions: inout SessionActions) {
        let separators = message.separators
        let time = determination.time ?? separators.components(message.header.field(7)).first.flatMap { HL7Field.time($0) }
        var flags = determination.flags
        // MSH-11: T is training, D debugging.
        switch message.header.field(11).first {
        case 0x54?: flags.insert(.testData)
        case 0x44?: flags.insert(.demoData)
        default: break
        }
        let header = Array("MSH".utf8) + [separators.field] + separators.encoding
        let record = [header, determination.patient, determination.record].filter { !$0.isEmpty }.joined(separator: [
            HL7Frame.carriageReturn
        ])
        let content = determination.pressure.map { Reading.Content.bloodPressure($0) } ?? .failure(.init(.withdrawn))
        var reading = Reading(
            content, driver: "hl7-oru", flags: determination.pressure == nil ? [] : flags, clock: time.map { DeviceClock($0) } ?? .absent,
            origin: .push, raw: RawBytes(Array(record)))
        reading.reference = reference(of: determination, message)
        readings.emitted += 1
        if ReadingLedger.restsOnArrival(reading), isAnswered(message) {
            reading.repetition = .untilAcknowledged
            readings.unstamped = readings.emitted
        }
        actions.emit(reading)
    }

    /// By the order number, else by time and group, of the same monitor; the patient may be what is corrected.
    private func reference(of determination: HL7Determination, _ message: HL7Message) -> Reading.Reference {
        let sender = XXHash64.hash((Array(device.utf8) + [0] + HL7Monitor(message).bytes).span)
        var reference = Reading.Reference()
        reference.standing = determination.standing
        func name(_ kind: String, _ bytes: [UInt8]) -> UInt64 {
            XXHash64.hash((Array(kind.utf8) + bytes + [0] + determination.group).span, seed: sender) | 1
        }
        if !determination.placer.isEmpty { reference.order = name("order", determination.placer) }
        if let time = determination.time {
            var text = TextBuffer(capacity: 64)
            text.append(time)
            text.append(decimal: Int64(time.utcOffset ?? Int16.max))
            reference.time = name("time", text.array)
            reference.determination = name("determination", text.array + [0] + determination.patient)
        }
        return reference
    }

    private mutating func identify(_ monitor: HL7Monitor, into actions: inout SessionActions) {
        let name = monitor.name
        guard !name.isEmpty, name != identity else { return }
        identity = name
        actions.append(.identify(DeviceIdentity(id: name, model: monitor.application)))
    }

    private func isAnswered(_ message: HL7Message) -> Bool {
        isFollowing && !isLineOver && !keeps && !isMindray && !message.isMindray && !message.wantsNoAnswer
    }

    private mutating func answer(_ message: HL7Message, _ code: HL7Acknowledgement.Code, into actions: inout SessionActions) {
        guard isAnswered(message) else { return }
        let acknowledgement = HL7Acknowledgement(to: message)
        guard code == .accepted, keepsReadings, answers.count < Self.mostAnswers else {
            return write(acknowledgement, .error, into: &actions)
        }
        answers.append(Answer(acknowledgement: acknowledgement, through: readings.emitted))
        actions.arm(.response, Self.patience)
        settle(into: &actions)
    }

    private mutating func write(
        _ acknowledgement: HL7Acknowledgement, _ code: HL7Acknowledgement.Code, into actions: inout SessionActions
    ) {
        answered += 1
        actions.append(.write(acknowledgement.bytes(code, number: answered)))
    }

    private mutating func settle(into actions: inout SessionActions) {
        for (key, note) in notes.sorted(by: { $0.key < $1.key }) where note.through <= readings.committed {
            notes[key] = nil
            actions.append(.remember(key: key, value: note.value))
        }
        guard let first = answers.first, first.through <= readings.committed else { return }
        while let answer = answers.first, answer.through <= readings.committed {
            answers.removeFirst()
            if readings.unstamped > 0, answer.through > 0 {
                actions.append(.acknowledge(through: answer.through))
                if answer.through >= readings.unstamped { readings.unstamped = 0 }
            }
            write(answer.acknowledgement, .accepted, into: &actions)
        }
        actions.append(answers.isEmpty ? .disarm(.response) : .arm(.response, Self.patience))
    }
}
