/// The conversation with a Microlife cuff: one question, one answer.
struct MicrolifeBPA100Session: FramedSession, RequestSession {
    private enum Mode { case listening, reading, clocking, setting(DeviceTime), identifying }

    /// The same conversation over HID, as readers without the serial driver hold it.
    private static let reports = CountedReports(.lowNibble)
    /// Of a question, with its repetitions: a full memory takes ten seconds through a slow bridge (guess).
    private static let limit = Duration.seconds(30)

    var reader = FrameReader(MicrolifeAnswer())
    var requests = Requests<MicrolifeCommand>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.microlifeBPA100.capabilities }
    private var mode = Mode.listening
    /// Bytes of an unfinished report; `nil` on a serial line.
    private var report: [UInt8]?
    /// The present user slot, where the cuff says that it has more than one.
    private var slot: Int32?
    /// Bytes that came behind the question for it and are no answer. A refusal has one or two; more are a damaged answer, and then
    /// nothing says whose records they are.
    private var slotBytes = 0
    private var isSlotDamaged: Bool { slotBytes > 4 }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        if requests.isAwaiting { actions.arm(.response, .milliseconds(1500)) }
        if reader.format.question == .slots { slotBytes += bytes.count }
        guard var report else { return receiveFrames(of: bytes, into: &actions) }
        report += bytes
        while report.count >= CountedReports.size {
            receiveFrames(of: Array(Self.reports.payload(of: Array(report.prefix(CountedReports.size))) ?? []), into: &actions)
            report.removeFirst(CountedReports.size)
        }
        self.report = report
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory:
            mode = .reading
            // The clock is an extra; the readings are what was asked for.
            ask(.clock, attempts: 1, into: &actions)
        case .readClock:
            mode = .clocking
            ask(.clock, into: &actions)
        case .setClock(let time):
            guard time.isPossible, (2000...2099).contains(time.year) else {
                return finish(.unsupported("the cuff's clock goes from 2000 to 2099"), into: &actions)
            }
            mode = .setting(time)
            ask(.setClock, into: &actions)
        case .information:
            mode = .identifying
            ask(.patientID, into: &actions)
        default: break
        }
    }

    private mutating func ask(_ command: MicrolifeCommand, attempts: Int = 4, into actions: inout SessionActions) {
        ask(Request(command, command.bytes, within: .seconds(2), attempts: attempts), into: &actions)
        actions.arm(.overall, Self.limit)
    }

    /// What follows answers this question: an incomplete answer from before it stays incomplete.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        let isReport = bytes.count == CountedReports.size
        let question = isReport ? Array(Self.reports.payload(of: bytes) ?? []) : bytes
        guard let command = MicrolifeCommand(question) else { return }
        report = isReport ? [] : nil
        discardIncomplete(into: &actions)
        reader.format.question = command
        if command == .slots { (slot, slotBytes) = (nil, 0) }
    }

    mutating func unanswered(_ question: MicrolifeCommand, into actions: inout SessionActions) {
        switch (mode, question) {
        case (.reading, .clock): ask(.slots, attempts: 3, into: &actions)
        case (.reading, .slots) where !isSlotDamaged: ask(.cycles, into: &actions)
        default: finish(.noAnswer("the cuff gave no whole answer"), into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        // The new time has been sent; what the cuff answers means nothing known.
        if case .setting = mode, timer == .silence { ask(.clock, into: &actions) }
        // Each byte extends the wait for the rest of an answer; noise must not do so for ever.
        if timer == .overall { finish(.noAnswer("the cuff gave no whole answer"), into: &actions) }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        // While a time is being set every single 06 is the cuff's acknowledgement.
        let frame = bytes(of: range)
        switch reader.format.question {
        case .cycles: receiveCycles(frame, into: &actions)
        case .clock: receiveClock(frame, into: &actions)
        case .slots: receiveSlots(frame, into: &actions)
        case .patientID: receiveIdentity(frame, into: &actions)
        case .setClock: sendTime(into: &actions)
        }
    }

    private mutating func receiveCycles(_ frame: [UInt8], into actions: inout SessionActions) {
        guard !isSlotDamaged else { return actions.ignore("a memory whose user slot is not known", frame) }
        var occurrences = DumpOccurrences()
        var unread = 0
        for start in stride(from: 33, to: frame.count - 2, by: 32) {
            guard var reading = Self.reading(frame.span.extracting(start..<(start + 32))) else {
                unread += 1
                actions.ignore("a record whose two copies differ", Array(frame[start..<(start + 32)]))
                continue
            }
            reading.user = slot
            occurrences.mark(&reading)
            actions.emit(reading)
        }
        guard case .reading = mode, requests.question == .cycles else { return }
        // A repetition of the other records has the same ids.
        if unread > 0, requests.canRepeat { return askAgain(into: &actions) }
        finish(.read(unread: unread), into: &actions)
    }

    private mutating func receiveClock(_ frame: [UInt8], into actions: inout SessionActions) {
        let time = Self.clock(frame.span)
        if let time { actions.append(.clock(time)) }
        switch mode {
        case .reading where requests.question == .clock: ask(.slots, attempts: 3, into: &actions)
        case .clocking:
            finish(time == nil ? .failed("the cuff's clock shows no possible time") : .complete, into: &actions)
        case .setting(let wanted) where requests.question == .clock:
            let isSet = time.map { wanted.isShown(by: $0) } ?? false
            finish(isSet ? .complete : .failed("the cuff's clock does not show the time that was sent"), into: &actions)
        default: break
        }
    }

    private mutating func receiveSlots(_ frame: [UInt8], into actions: inout SessionActions) {
        slotBytes = 0
        if let number = frame.span.hexDigits(5, 1), let present = frame.span.hexDigits(6, 1), number > 1, 1...number ~= present {
            slot = Int32(present)
        }
        if requests.question == .slots { ask(.cycles, into: &actions) }
    }

    private mutating func receiveIdentity(_ frame: [UInt8], into actions: inout SessionActions) {
        let firmware = frame.span.byte(23) == 0x2C ? DeviceIdentity.text(frame[24..<31].filter { $0 >= 0x20 }) : nil
        actions.append(.identify(DeviceIdentity(manufacturer: "Microlife", firmware: firmware)))
        guard case .identifying = mode else { return }
        let patient = Self.patient(frame.span)
        actions.note(patient.isEmpty ? "no patient id is set" : "patient id: \(patient)")
        finish(.complete, into: &actions)
    }

    /// The time that was asked for, in the pieces the cuff's bridge takes.
    private mutating func sendTime(into actions: inout SessionActions) {
        guard case .setting(let time) = mode, requests.question == .setClock else { return }
        requests.end(into: &actions)
        let text = Self.settingText(time)
        for start in stride(from: 0, to: text.count, by: 7) {
            actions.append(.write(Array(text[start..<min(start + 7, text.count)])))
        }
        actions.arm(.silence, .seconds(1))
    }
}

// Decoding.
extension MicrolifeBPA100Session {
    /// The reading of one 32-character record; `nil` when its two copies differ.
    static func reading(_ record: Span<UInt8>) -> Reading? {
        guard let word = record.hexDigits(16, 8), word == record.hexDigits(24, 8) else { return nil }
        let (systolic, diastolic, pulse) = (word & 1023, word >> 10 & 1023, word >> 20 & 1023)
        return Reading(
            .mmHg(systolic, diastolic, pulseOrZero: pulse), driver: "microlife-bpa100", clock: DeviceClock(orUnset: record.printedTime(0)),
            origin: .memory, raw: RawBytes(record))
    }

    /// MMDDYYYYHHMMSS behind the 06.
    static func clock(_ frame: Span<UInt8>) -> DeviceTime? {
        let time = frame.printedTime(year: 5, month: 1, day: 3, hour: 9, minute: 11, second: 13)
        return time.flatMap { $0.year / 100 == 20 && $0.isPossible ? $0 : nil }
    }

    /// Letters and digits of the id; padding and whatever else ends it.
    static func patient(_ frame: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for offset in stride(from: 1, to: 23, by: 2) {
            guard let value = frame.hexDigits(offset, 2), value >= 0x20, value < 0x7F else { break }
            bytes.append(UInt8(value))
        }
        return DeviceIdentity.text(bytes)
    }

    /// MMDDYYYYHHMMSS.
    static func clockText(_ time: DeviceTime) -> String { Decimal.pairs(time.pairs[2...3] + time.pairs[..<2] + time.pairs[4...]) }

    /// 40 bytes of BCD as hex characters, and the sum of those characters.
    static func settingText(_ time: DeviceTime) -> [UInt8] {
        let digits = clockText(time)
        let text = Array((digits + String(repeating: "0", count: 80 - digits.utf8.count)).utf8)
        // Lower case, as the one reader that sets the clock sends it.
        return text + Hex.upper(text.sum8).map { $0 >= 0x41 ? $0 + 0x20 : $0 }
    }
}
