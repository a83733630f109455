/// Hartmann Veroval BPM25. USB-serial; sends its whole memory as one answer, ended by silence.
/// Host    `A5 F9 01 01 FB` ask for the memory, `A6 F9 01 01 FB` after it (FB = F9 + 01 + 01)          observed [1]
/// Answer  `h h N` then N records, then one byte                                                       observed [1]
///   h h header of unknown meaning; N number of records; the last byte is a check of unknown algorithm: not verified
/// Record  `user index 0 SYS 0 DIA rhythm pulse month day year-high year-low hour minute`  14 bytes    observed [1]
///   rhythm 1 irregular; other values are of unknown meaning
/// Silence one second                                                                                  observed [1]
/// No answer: the device has gone to sleep                                                             observed [1]
/// The effect of `A6` is unknown; it may erase the memory. It is sent only when every reading of every user is on disk.   guess
/// Asking twice changes nothing on the cuff                                                            guess
/// Without a known check, the memory is requested until two answers are equal, and an
/// answer counts only if its length is 3 + 14 N + 1, and the constant zeros and the dates of every record are right.
/// [1] cpresser/veroval veroval.py (MIT), sniffed from the vendor's program
extension CuffDriver {
    /// The driver `veroval-bpm25`.
    public static let verovalBPM25 = CuffDriver(
        id: "veroval-bpm25",
        models: ["Hartmann Veroval BPM25"],
        summary: "sends its whole memory on request",
        grade: .b, testedOn: .derived,
        line: LineSettings(rate: 19200),
        framing: "one answer of 3 + 14 n + 1 bytes, ended by silence", check: nil,
        capabilities: [.storedReadings, .users],
        changes: "nothing known; the vendor's closing command is sent when all readings are stored",
        unverified: [
            "the algorithm of the last byte", "the first two bytes of the answer", "what the closing command does",
            "rhythm values other than 0 and 1", "which chip is in the cable",
        ],
        notes: ["The memory is read until two answers agree, because its check cannot be verified."],
        preparation: "wake it: it goes to sleep",
        sources: ["cpresser/veroval (MIT)"],
        makeSession: { _ in VerovalBPM25Session() },
        makeSimulator: { VerovalBPM25Simulator($0) },
        findFrames: { VerovalBPM25Answer.find(in: $0) },
        decodeRecord: { record, _ in VerovalBPM25Answer.reading(record.span) },
        redaction: .verovalBPM25)
}

enum VerovalBPM25Answer {
    static let question: [UInt8] = [0xA5, 0xF9, 0x01, 0x01, 0xFB]
    static let closing: [UInt8] = [0xA6, 0xF9, 0x01, 0x01, 0xFB]
    static let head = 3
    static let recordLength = 14

    /// The readings of a whole answer; `nil` if its length or any record is wrong, because a lost byte shifts all later ones.
    static func readings(_ answer: Span<UInt8>) -> [Reading]? {
        guard let count = answer.byte(2), answer.count == length(Int(count)) else { return nil }
        return DumpOccurrences.readings(answer, head..<(answer.count - 1), each: recordLength) { reading($0) }
    }

    /// The readings of the whole answer that begins at `start`, if one does.
    static func readings(_ bytes: [UInt8], at start: Int) -> [Reading]? {
        let end = start + length(Int(bytes.span.byte(start + 2) ?? 0))
        return end <= bytes.count ? readings(bytes.span.extracting(start..<end)) : nil
    }

    static func length(_ records: Int) -> Int { head + records * recordLength + 1 }

    static func reading(_ record: Span<UInt8>) -> Reading? {
        guard record.count == recordLength, record[2] == 0, record[4] == 0, record[0] >= 1, record[0] <= 9,
            let clock = clock(record)
        else { return nil }
        var flags: MeasurementFlags = .noMeasurementCheck
        if record[6] != 0 { flags.insert(.irregularPulse) }
        if record[6] > 1 { flags.insert(.qualityNoted) }
        return Reading(
            .mmHg(Int(record[3]), Int(record[5]), pulseOrZero: Int(record[7])), driver: "veroval-bpm25", user: Int32(record[0]),
            flags: flags, clock: clock, origin: .memory, raw: RawBytes(record))
    }

    /// The time of a record; zeros mean that the clock was never set (guess), and other impossible values that it is not a record.
    private static func clock(_ record: Span<UInt8>) -> DeviceClock? {
        let (year, month, day) = (Int(record[10]) << 8 | Int(record[11]), Int(record[8]), Int(record[9]))
        let (hour, minute) = (Int(record[12]), Int(record[13]))
        if year == 0, month == 0, day == 0 { return .unset }
        guard year >= 2000, year < 2100, month <= 12, day <= 31, hour < 24, minute < 60 else { return nil }
        return DeviceClock(DeviceTime(year: year, month: month, day: day, hour: hour, minute: minute))
    }

    /// Whole answers with records; the memory is asked for until two are equal.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var found = FoundFrames()
        var start = 0
        while start < bytes.count {
            // Filling fits the shape of a record, but has neither a time nor pressures.
            let whole = readings(bytes, at: start) ?? []
            let isAnswer = whole.contains { $0.clock != .unset || $0.bloodPressure != nil }
            if isAnswer { found.ranges.append(start..<(start + length(whole.count))) }
            start += isAnswer ? length(whole.count) : 1
        }
        return found
    }
}

struct VerovalBPM25Session: RequestSession {
    private enum Mode { case listening, reading, storing }

    static let silence = Duration.seconds(1)
    /// Of a question: the largest memory takes two seconds, and noise must not extend the wait for silence for ever.
    private static let limit = Duration.seconds(20)
    private static let request = Request(true, VerovalBPM25Answer.question, within: .seconds(2), attempts: 3)
    /// Two equal answers in a row within six: enough for a line that damages every second one.
    static let maximumAnswers = 6

    var requests = Requests<Bool>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.verovalBPM25.capabilities }
    private var mode = Mode.listening
    private var user: Int?
    private var burst = Burst(limit: VerovalBPM25Answer.length(255))
    /// The last consistent answer, until a second one confirms it.
    private var kept: [UInt8]?
    private var answers = 0
    private var emitted = 0

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        burst.append(bytes)
        requests.end(into: &actions)
        actions.arm(.silence, Self.silence)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if isListening, bytes == VerovalBPM25Answer.question || bytes == VerovalBPM25Answer.closing { settle(into: &actions) }
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        if mode == .storing, through >= emitted { close(into: &actions) }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        if isListening { settle(into: &actions) }
        finishAtEnd(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard case .readMemory(let user) = command else { return }
        self.user = user
        mode = .reading
        askForMemory(into: &actions)
    }

    private mutating func askForMemory(into actions: inout SessionActions) {
        ask(Self.request, into: &actions)
        actions.arm(.overall, Self.limit)
    }

    mutating func unanswered(_ question: Bool, into actions: inout SessionActions) {
        guard let kept, let readings = VerovalBPM25Answer.readings(kept.span) else {
            return finish(.noAnswer("the cuff does not answer: it may have gone to sleep"), into: &actions)
        }
        actions.warn("the cuff answered only once, so its answer could not be confirmed")
        store(readings, into: &actions)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .silence { return settle(into: &actions) }
        if timer == .overall, mode == .reading { return finish(.noAnswer("the cuff gave no whole answer"), into: &actions) }
        guard timer == .overall, mode == .storing else { return }
        finish(.failed("the readings were not stored in time; this was not confirmed to the cuff"), into: &actions)
    }

    private mutating func settle(into actions: inout SessionActions) {
        guard let bytes = burst.take(into: &actions) else { return }
        let readings = VerovalBPM25Answer.readings(bytes.span)
        if readings == nil, !bytes.isEmpty { actions.report(skipped: bytes.count, .badLength) }
        switch mode {
        case .listening: for reading in readings ?? [] { actions.emit(reading) }
        case .reading:
            if let readings, bytes == kept { return store(readings, into: &actions) }
            if readings != nil { kept = bytes }
            answers += 1
            if answers < Self.maximumAnswers { return askForMemory(into: &actions) }
            finish(.failed("no two answers agreed; nothing was taken from them"), into: &actions)
        case .storing: break
        }
    }

    private mutating func store(_ readings: [Reading], into actions: inout SessionActions) {
        mode = .storing
        for reading in readings where user == nil || reading.user.map(Int.init) == user {
            emitted += 1
            actions.emit(reading)
        }
        if emitted == 0 { close(into: &actions) } else { actions.arm(.overall, .seconds(60)) }
    }

    private mutating func close(into actions: inout SessionActions) {
        // It may erase the readings of the other users, too.
        if user == nil { actions.append(.write(VerovalBPM25Answer.closing)) }
        finish(.complete, into: &actions)
    }
}
