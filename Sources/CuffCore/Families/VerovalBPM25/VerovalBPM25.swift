/// Hartmann Veroval BPM25. USB-serial; sends its whole memory as one answer, ended by silence.
/// Host    `A5 F9 01 01 FB` ask for the memory, `A6 F9 01 01 FB` after it (FB = F9 + 01 + 01)          observed [1]
/// Answer  `h h N` then N records, then one byte                                                       observed [1]
///   h h header of unknown meaning; N number of records; the last byte is a check of unknown algorithm: not verified
/// Record  `user index 0 SYS 0 DIA rhythm pulse month day year-high year-low hour minute`  14 bytes    observed [1]
///   rhythm 1 irregular; other values are of unknown meaning
/// Silence one second                                                                                  observed [1]
/// No answer: the device has gone to sleep                                                             observed [1]
/// The effect of `A6` is unknown; it may erase the memory. It is sent only when every reading is on disk.   guess
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
        notes: [
            "The memory is read until two answers agree, because its check cannot be verified."
        ],
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
    static let maximumLength = head + 255 * recordLength + 1

    /// The readings of a whole answer; `nil` if its length or any record is wrong, because a lost byte shifts all later ones.
    static func readings(_ answer: Span<UInt8>) -> [Reading]? {
        guard answer.count >= head + 1, answer.count == head + Int(answer[2]) * recordLength + 1 else { return nil }
        var occurrences = DumpOccurrences()
        var readings: [Reading] = []
        for start in stride(from: head, to: answer.count - 1, by: recordLength) {
            guard var reading = reading(answer.extracting(start..<(start + recordLength))) else { return nil }
            occurrences.mark(&reading)
            readings.append(reading)
        }
        return readings
    }

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
        guard let year = record.bigEndian16(10) else { return nil }
        let (month, day, hour, minute) = (Int(record[8]), Int(record[9]), Int(record[12]), Int(record[13]))
        if year == 0, month == 0, day == 0 { return .unset }
        guard year >= 2000, year < 2100, month <= 12, day <= 31, hour < 24, minute < 60 else { return nil }
        return DeviceClock(DeviceTime(year: Int(year), month: month, day: day, hour: hour, minute: minute))
    }

    /// Whole answers with records; the memory is asked for until two are equal.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var found = FoundFrames()
        var start = 0
        while start + head < bytes.count {
            let length = head + Int(bytes[start + 2]) * recordLength + 1
            if bytes[start + 2] > 0, start + length <= bytes.count, readings(bytes.span.extracting(start..<(start + length))) != nil {
                found.ranges.append(start..<(start + length))
                start += length
            } else {
                start += 1
            }
        }
        return found
    }
}

struct VerovalBPM25Session: RequestSession {
    private enum Mode { case listening, reading, storing }

    static let silence = Duration.seconds(1)
    /// Two equal answers in a row within six: enough for a line that damages every second one.
    static let maximumAnswers = 6

    var requests = Requests<Bool>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.verovalBPM25.capabilities }
    private var mode = Mode.listening
    private var user: Int?
    private var answer: [UInt8] = []
    private var lost = 0
    /// The last consistent answer, until a second one confirms it.
    private var kept: [UInt8]?
    private var answers = 0
    private var emitted = 0

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        gather(bytes)
        requests.end(into: &actions)
        actions.append(.arm(.silence, Self.silence))
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
        ask(into: &actions)
    }

    private mutating func ask(into actions: inout SessionActions) {
        ask(Request(true, VerovalBPM25Answer.question, within: .seconds(2), attempts: 3), into: &actions)
    }

    mutating func unanswered(_ question: Bool, into actions: inout SessionActions) {
        guard let kept, let readings = VerovalBPM25Answer.readings(kept.span) else {
            return finish(.noAnswer("the cuff does not answer: it may have gone to sleep"), into: &actions)
        }
        actions.append(.report(.warning("the cuff answered only once, so its answer could not be confirmed")))
        store(readings, into: &actions)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch timer {
        case .silence: settle(into: &actions)
        case .overall where mode == .storing:
            finish(.failed("the readings were not stored in time; this was not confirmed to the cuff"), into: &actions)
        default: break
        }
    }

    private mutating func gather(_ bytes: [UInt8]) {
        if lost > 0 || answer.count + bytes.count > VerovalBPM25Answer.maximumLength {
            lost += answer.count + bytes.count
            answer.removeAll()
        } else {
            answer += bytes
        }
    }

    private mutating func settle(into actions: inout SessionActions) {
        let bytes = answer
        let tooLong = lost
        answer.removeAll()
        lost = 0
        guard !bytes.isEmpty || tooLong > 0 else { return }
        let readings = VerovalBPM25Answer.readings(bytes.span)
        if readings == nil { actions.report(skipped: bytes.count + tooLong, tooLong > 0 ? .tooLong : .badLength) }
        switch mode {
        case .listening: for reading in readings ?? [] { actions.emit(reading) }
        case .reading:
            if let readings, bytes == kept {
                store(readings, into: &actions)
            } else {
                if readings != nil { kept = bytes }
                answers += 1
                guard answers < Self.maximumAnswers else {
                    return finish(.failed("no two answers agreed; nothing was taken from them"), into: &actions)
                }
                ask(into: &actions)
            }
        case .storing: break
        }
    }

    private mutating func store(_ readings: [Reading], into actions: inout SessionActions) {
        mode = .storing
        for reading in readings where user == nil || reading.user.map(Int.init) == user {
            emitted += 1
            actions.emit(reading)
        }
        if emitted == 0 { close(into: &actions) } else { actions.append(.arm(.overall, .seconds(60))) }
    }

    private mutating func close(into actions: inout SessionActions) {
        actions.append(.write(VerovalBPM25Answer.closing))
        finish(.complete, into: &actions)
    }
}
