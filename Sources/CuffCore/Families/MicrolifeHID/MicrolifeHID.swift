/// Microlife BP B3 Comfort PC behind a Holtek "USB HID UART bridge", `04d9:b554`. The whole memory in one answer.
///
/// Report    low nibble of byte 0 = valid bytes after it, the high nibble varies                        observed [1]
/// To cuff   one report of 14: `0D` and the 13 bytes of the frame, as the only working reader writes it  observed [1]
/// Frame     `4D` dir len16-BE body sum8    dir FF host, 3A cuff; len = all bytes after it               observed [1]
///           sum of everything before it; verified on one recorded answer of 333 bytes [1]
/// Read      `4D FF 00 09 00×7 FD 52`                                                                   observed [1]
/// Answer    42 bytes before the records (`4D 3A len len 00 00 00 n 01 00…`, n records), 10 bytes each, sum observed [1]
/// Record    SYS DIA pulse yy MM dd hh mm flags 00      flags bit 7 cuff fitted, bit 6 irregular pulse  observed [1]
///           month 0: the clock was not set
/// Set clock `4D FF 00 08 0D yy MM dd hh mm ss sum`; whether the cuff answers is not known               observed [1]
///
/// The same notes name `05` and `0B` as queries with unknown answers; they are not sent.
///
/// [1] vytautas-valaitis/microlife_bp bp.py and notes
extension CuffDriver {
    /// The driver `microlife-hid`.
    public static let microlifeHID = CuffDriver(
        id: "microlife-hid", models: ["Microlife BP B3 Comfort PC"],
        summary: "Microlife B3 over HID: the whole memory in one answer",
        medium: .hidraw, grade: .b,
        testedOn: .recordedElsewhere("vytautas-valaitis/microlife_bp, notes: one whole answer"),
        claims: [.shared(vendor: 0x04D9, product: 0xB554)],
        framing: "counted reports; 4D dir length … sum",
        check: "sum of all bytes, and the length against the record count",
        capabilities: [.storedReadings, .setClock],
        unverified: [
            "what the cuff answers to set clock",
            "bytes 8…41 of the answer: 1 and then 0 in the one recording",
            "user slots; memories of more than 255 records",
        ],
        notes: [
            "The Holtek bridge is also in other devices (WatchBP O3), so it is listened to only until it is assigned."
        ],
        sources: ["vytautas-valaitis/microlife_bp (bp.py, notes with one whole answer)"],
        makeSession: { _ in MicrolifeHIDSession() },
        makeSimulator: { MicrolifeHIDSimulator($0) },
        findFrames: { CountedReports(.lowNibble).find(MicrolifeHIDFrame(), in: $0) },
        decodeRecord: { record, _ in MicrolifeHIDFrame.reading(record.span, at: 0) },
        redaction: .microlifeHID)
}

struct MicrolifeHIDFrame: FrameFormat {
    /// 255 records, the most its count can say: 42 + 2550 + 1.
    static let maximumLength = 2593
    static let startByte: UInt8? = 0x4D
    static let header = 42
    static let recordLength = 10

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x4D else { return .reject(.notAStart) }
        if let direction = bytes.byte(1), direction != 0x3A && direction != 0xFF { return .reject(.notAStart) }
        guard let length = bytes.bigEndian16(2) else { return .needMore }
        let whole = Int(length) + 4
        guard length >= 2, whole <= Self.maximumLength else { return .reject(.badLength) }
        guard bytes.count >= whole else { return .needMore }
        return Checksum.sum8(bytes, 0..<(whole - 1)) == bytes[whole - 1] ? .frame(length: whole) : .reject(.badCheck)
    }

    static func encode(_ body: [UInt8], direction: UInt8 = 0xFF) -> [UInt8] {
        let length = body.count + 1
        let frame = [0x4D, direction] + [UInt8](bigEndian: [length]) + body
        return frame + [frame.sum8]
    }

    static let readMemory = encode([0, 0, 0, 0, 0, 0, 0, 0xFD])

    static func setClock(_ time: DeviceTime) -> [UInt8] { encode([0x0D] + time.fields + [time.second]) }

    /// Whether a whole frame from the cuff is a memory: its length must be what its count of records makes it. A length
    /// damaged in one bit never does, so that the sum need not be trusted over the wrong bytes.
    static func isMemory(_ frame: Span<UInt8>) -> Bool {
        guard frame.byte(1) == 0x3A, let count = frame.byte(7) else { return false }
        return frame.count == header + Int(count) * recordLength + 1
    }

    /// The record at `offset`; `nil` where its last byte, always 0, says otherwise, or its pressures are 0.
    static func reading(_ frame: Span<UInt8>, at offset: Int) -> Reading? {
        let record = frame.part(offset, recordLength)
        guard record.count == recordLength, record[9] == 0, record[0] > 0, record[1] > 0,
            let time = record.span.time(year: 3, month: 4, day: 5, hour: 6, minute: 7)
        else { return nil }
        var flags: MeasurementFlags = record[8] & 0x80 != 0 ? .cuffFitted : .cuffLoose
        if record[8] & 0x40 != 0 { flags.insert(.irregularPulse) }
        return Reading(
            .bloodPressure(.mmHg(Int(record[0]), Int(record[1]), pulseOrZero: Int(record[2]))), driver: "microlife-hid", flags: flags,
            clock: time.month == 0 ? .unset : DeviceClock(time), origin: .memory, raw: RawBytes(record))
    }
}

/// One question, one long answer. Rules: an answer is read only whole and checked; it may be asked for three times.
struct MicrolifeHIDSession: FramedSession, RequestSession {
    enum Question: Sendable { case memory, setClock }

    private static let reports = CountedReports(.lowNibble)

    var requests = Requests<Question>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.microlifeHID.capabilities }
    var reader = FrameReader(MicrolifeHIDFrame())

    /// The rest of an earlier answer does not belong to the new question.
    /// The next session receives reports, and these bytes are no report.
    mutating func takeUnread() -> [UInt8] { [] }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) { _ = reader.discard() }

    mutating func lineEnded(into actions: inout SessionActions) {
        if isListening { receiveRest(into: &actions) }
        finishAtEnd(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory: ask(.memory, MicrolifeHIDFrame.readMemory, attempts: 3, into: &actions)
        case .setClock(let time):
            guard time.isPossible, time.year >= 2000, time.year < 2100 else {
                return finish(.unsupported("the cuff's clock goes from 2000 to 2099"), into: &actions)
            }
            ask(.setClock, MicrolifeHIDFrame.setClock(time), attempts: 1, into: &actions)
        default: break
        }
    }

    private mutating func ask(_ question: Question, _ frame: [UInt8], attempts: Int, into actions: inout SessionActions) {
        ask(Request(question, [UInt8(frame.count)] + frame, within: .seconds(1), attempts: attempts), into: &actions)
    }

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        guard let payload = Self.reports.payload(of: report) else {
            return actions.report(skipped: report.count + reader.discard(), .badLength)
        }
        receiveFrames(of: Array(payload), into: &actions)
        // The rest of a long answer is awaited.
        if !isFinished, requests.question == .memory { actions.arm(.response, .seconds(1)) }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        if requests.question == .setClock { return finish(.complete, into: &actions) }
        guard MicrolifeHIDFrame.isMemory(reader.buffer.span.extracting(range)) else {
            return actions.ignore("a frame other than a memory answer", Array(reader.buffer[range]))
        }
        var dump = DumpOccurrences()
        var unread = 0
        let first = range.lowerBound + MicrolifeHIDFrame.header
        for offset in stride(from: first, to: range.upperBound - 1, by: MicrolifeHIDFrame.recordLength) {
            guard var reading = MicrolifeHIDFrame.reading(reader.buffer.span, at: offset) else {
                unread += 1
                actions.ignore("a record of unknown form", reader.buffer.span.part(offset, MicrolifeHIDFrame.recordLength))
                continue
            }
            dump.mark(&reading)
            actions.emit(reading)
        }
        if requests.question == .memory {
            finish(unread == 0 ? .complete : .failed("\(unread) records have an unknown form"), into: &actions)
        }
    }

    mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        if question == .memory { return finish(.noAnswer("the cuff sent no whole answer"), into: &actions) }
        actions.warn("nothing confirms the new time: compare the cuff's display")
        finish(.complete, into: &actions)
    }
}
