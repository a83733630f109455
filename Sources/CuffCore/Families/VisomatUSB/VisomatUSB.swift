/// Visomat Double Comfort and Prevention DS-2200PV: the memory of both users on request, as text, over two bulk pipes.
///
/// USB      `1247:00f8`, a CDC device whose functional descriptors are missing: `cdc_acm` refuses it (-22), so there is no tty;
///          one bulk endpoint each way                                                     observed [1]
/// Both     `02` text `03`                                                                  observed [1]
/// `R00`    the memory: one block for each user, no check                                   observed [1]
/// Block    `M` user nn, then nn records; one more character (`1`) follows an nn of 00      observed [1]
/// Record   yyMMdd HHmm f SYS(3) DIA(3) pulse(3), 20 digits, in no order of time            observed [1]
///          f is 1 in the three highest of thirteen records: high or irregular, not known   guess
///          user 1 or 2: no other number was seen                                           observed [1]
///          440601: the clock was not set                                                   observed [1]
/// `R02`    date and time; its answer is not printed, so it is not sent                     observed [1]
///
/// [1] git.ao2.it/visomat-utils README, with a dump of a real cuff
extension CuffDriver {
    /// The driver `visomat-usb`.
    public static let visomatUSB = CuffDriver(
        id: "visomat-usb", models: ["Visomat Double Comfort", "Prevention DS-2200PV"],
        summary: "the memory of both users on request, as text",
        medium: .usb, grade: .b, testedOn: .recordedElsewhere("git.ao2.it/visomat-utils, README: the dump of a cuff"),
        claims: [.usb(vendor: 0x1247, product: 0x00F8)],
        framing: "STX blocks of digits ETX; a block counts its records", check: nil,
        capabilities: [.storedReadings, .users],
        unverified: [
            "the endpoints: the first interface with CDC data, or else the first with a bulk endpoint each way",
            "the digit before the systolic pressure: high values or irregular beats",
            "how many records the memory holds",
            "whether an empty second block is followed by one more character as the first is: both are read",
        ],
        notes: [
            "One character that is wrong spoils the whole answer, and the memory is asked for again.",
            "The recorded cuff says 2010-01-01 or 2044-06-01 where its clock was never set; the second is kept as an impossible time.",
        ],
        sources: ["git.ao2.it/visomat-utils (README)"],
        makeSession: { _ in VisomatSession() }, makeSimulator: { AnsweringSimulator.visomatUSB($0) },
        findFrames: { FrameReader.find(VisomatFrame(), in: $0) },
        decodeRecord: { record, stored in
            guard record.count == VisomatFrame.recordLength, let user = stored.user else { return nil }
            return VisomatFrame.reading(record.span, at: 0, user: Int(user))
        },
        redaction: .visomatUSB)
}

/// The answer to `R00`. The counts of its blocks give its length, and every character must be one that may be there.
struct VisomatFrame: FrameFormat {
    static let startByte: UInt8? = 0x02
    static let recordLength = 20
    /// Two blocks of 99 records.
    static let maximumLength = 2 + 2 * (4 + 99 * recordLength)
    static let question: [UInt8] = encode(Array("R00".utf8))
    /// 2044-06-01, the date of records from before the clock was set.
    static let unsetDate = Array("440601".utf8)

    static func encode(_ text: [UInt8]) -> [UInt8] { [0x02] + text + [0x03] }

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x02 else { return .reject(.notAStart) }
        var (offset, user) = (1, 0)
        while let byte = bytes.byte(offset) {
            if byte == 0x03, user > 0 { return .frame(length: offset + 1) }
            guard byte == 0x4D else { return .reject(.badCharacter) }
            guard bytes.count >= offset + 4 else { return .needMore }
            // Each user once, in order: a block in another place may be a damaged one.
            guard let number = bytes.digits(offset + 1, 1), number > user, number <= 2, let records = bytes.digits(offset + 2, 2) else {
                return .reject(.badCharacter)
            }
            user = number
            offset += 4
            for index in offset..<min(bytes.count, offset + records * Self.recordLength) where bytes.digits(index, 1) == nil {
                return .reject(.badCharacter)
            }
            offset += records * Self.recordLength
            if records == 0, bytes.digits(offset, 1) != nil { offset += 1 }
        }
        return .needMore
    }

    /// Each record of a whole frame: where it begins, and whose it is.
    static func records(_ frame: Span<UInt8>) -> [(offset: Int, user: Int)] {
        var found: [(offset: Int, user: Int)] = []
        var offset = 1
        while frame.byte(offset) == 0x4D, let user = frame.digits(offset + 1, 1), let count = frame.digits(offset + 2, 2) {
            offset += 4
            found += (0..<count).map { (offset + $0 * recordLength, user) }
            offset += count == 0 && frame.digits(offset, 1) != nil ? 1 : count * recordLength
        }
        return found
    }

    static func isUnset(_ frame: Span<UInt8>, _ offset: Int) -> Bool { (0..<6).allSatisfy { frame.byte(offset + $0) == unsetDate[$0] } }

    static func reading(_ frame: Span<UInt8>, at offset: Int, user: Int) -> Reading? {
        guard let time = frame.printedTime(offset), let systolic = frame.digits(offset + 11, 3),
            let diastolic = frame.digits(offset + 14, 3), let pulse = frame.digits(offset + 17, 3)
        else { return nil }
        return Reading(
            .mmHg(systolic, diastolic, pulseOrZero: pulse), driver: "visomat-usb", user: Int32(user), flags: .noMeasurementCheck,
            clock: isUnset(frame, offset) ? .impossible(time) : DeviceClock(time), origin: .memory,
            raw: RawBytes(frame.extracting(offset..<(offset + recordLength))))
    }
}

/// One question; an answer that is not whole is passed over, and the memory asked for again.
struct VisomatSession: FramedSession, RequestSession {
    var requests = Requests<[UInt8]>()
    var reader = FrameReader(VisomatFrame())
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.visomatUSB.capabilities }
    var users: ClosedRange<Int>? { 1...2 }
    private var user: Int?

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard case .readMemory(let user) = command else { return }
        self.user = user
        // Behind the bridge may be a slow line: 4 kB take 4 s at 9600 bits a second.
        ask(Request(VisomatFrame.question, VisomatFrame.question, within: .seconds(8), attempts: 3), into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) { requests.sent = bytes }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        guard requests.acceptsAnswer, requests.sent == VisomatFrame.question else {
            return actions.ignore("an answer to no question", frame)
        }
        requests.sent = nil
        var dump = DumpOccurrences()
        for (offset, owner) in VisomatFrame.records(frame.span) {
            guard var reading = VisomatFrame.reading(frame.span, at: offset, user: owner) else { continue }
            dump.mark(&reading)
            if user ?? owner == owner { actions.emit(reading) }
        }
        if requests.isAwaiting { askNext(into: &actions) }
    }
}

extension AnsweringSimulator {
    /// A cuff with the records of the script, the users' blocks one after another.
    static func visomatUSB(_ script: SimulatorScript) -> AnsweringSimulator {
        let blocks = (1...2).map { user in
            let held = script.stored.filter { $0.user == user }.prefix(99)
            return "M\(user)\(Decimal.text(held.count, 2))" + (held.isEmpty ? "1" : held.map(text).joined())
        }
        return AnsweringSimulator { $0 == VisomatFrame.question ? [.write(VisomatFrame.encode(Array(blocks.joined().utf8)))] : [] }
    }

    private static func text(_ record: SimulatedRecord) -> String {
        record.time.printed + (record.flags.contains(.irregularPulse) ? "1" : "0")
            + [record.systolic, record.diastolic, record.pulse].map { Decimal.text($0, 3) }.joined()
    }
}

extension Redaction {
    /// The dates of records but that of a clock that was not set, and the digit of unknown meaning.
    static let visomatUSB = frames(VisomatFrame()) { frame, side, work in
        guard side == .fromCuff else { return }
        for (offset, _) in VisomatFrame.records(frame.span) {
            if !VisomatFrame.isUnset(frame.span, offset) { work.shiftDigits(&frame, year: offset, month: offset + 2, day: offset + 4) }
            work.blank(&frame, (offset + 10)..<(offset + 11), .unknown)
        }
    }
}
