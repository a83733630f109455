/// Hartmann Veroval duo control. CDC-ACM; the number of records and the records of each user on request, as text.
/// Host      `02` command `03`; `05` (ENQ) when it was accepted                                        observed [1]
/// Device    `06` accepted, `15` refused, about 1 s after the command; the answer about 0.5 s after ENQ   observed [1]
/// `?MRNu`   number of records of user u, 1 or 2     -> 5 bytes, 3 digits                               observed [1]
/// `?MDRuA`  all records of user u                   -> 5 bytes, 25 characters for each record, no end     observed [1]
/// The five bytes have an unknown meaning; [1] ignores them.                                           observed [1]
/// Record    yy MM dd HH mm, regular beat 1, SYS 3, DIA 3, pulse 3, movement 1, wrong cuff 1, unsuitable temperature 1,
///           unknown 1, usable 1: digits                                                            observed [1][2]
///           flags are 1 for yes: guess; the two records in [2] have usable 1, and the others except the first 0
///           newest first, in those two records                                                     observed [2]
/// [1] closes and opens the port after each command. Whether the device needs that is unknown: this driver requests
/// number and records one after another on the open port, with the same pauses, and reports if the device does not answer
/// the second command. `count=no` omits the number, so that one user's records are the only command.
/// There is no check. An answer counts only if its length is that of the number of records, every number is digits, and
/// every date is possible; one wrong record invalidates it, because a lost byte would have shifted it.
/// [1] ignisf/vdc_export vdc_export.rb (AGPL-3)   [2] crate usb-bpm-exporter 0.1.4 (MIT), README: columns and two lines
extension CuffDriver {
    /// The driver `veroval-duo`.
    public static let verovalDuo = CuffDriver(
        id: "veroval-duo", models: ["Hartmann Veroval duo control"],
        summary: "the memory of both users on request, as text",
        grade: .b, testedOn: .derived,
        framing: "STX command ETX, ACK, ENQ; 5 bytes and 25 characters per record, ended by silence", check: nil,
        capabilities: [.storedReadings, .users],
        unverified: [
            "whether a second command is answered without the port being closed and opened before it, as vdc_export does",
            "the first five bytes of an answer, and the fifth of the six flags at the end of a record",
            "that 1 means yes in every flag", "the USB ids",
        ],
        notes: [
            "The number of records must fit what is sent; nothing else protects the values.",
            "Where only the first command is answered: `--option count=no` with `--user 1`, then with `--user 2`.",
            "`cuff_loose` stands for the device's mark of a wrongly wrapped cuff, `quality_noted` for an unsuitable temperature, "
                + "`questionable` for a measurement that it calls unusable.",
        ],
        sources: ["ignisf/vdc_export (vdc_export.rb)", "crate usb-bpm-exporter 0.1.4 (README: the columns of its CSV, two lines)"],
        options: ["count": "no: do not ask for the number of records, which is the only test whether all came"],
        simulatorOptions: [
            "reopen": "yes: it answers one command only, until its port is opened again", "refuse": "yes: it refuses every command",
        ],
        makeSession: { VerovalDuoSession($0) },
        makeSimulator: { VerovalDuoSimulator($0) },
        findFrames: { VerovalDuoAnswer.find(in: $0) },
        redaction: .verovalDuo)
}

enum VerovalDuoCommand: Sendable, Hashable {
    case number(user: Int)
    case records(user: Int)

    init?(_ text: [UInt8]) {
        let bytes = text.span
        if text.count == 5, bytes.matches("?MRN"), let user = bytes.digits(4, 1) {
            self = .number(user: user)
        } else if text.count == 6, bytes.matches("?MDR"), let user = bytes.digits(4, 1), bytes[5] == 0x41 {
            self = .records(user: user)
        } else {
            return nil
        }
    }

    var user: Int {
        switch self {
        case .number(let user), .records(let user): user
        }
    }

    var text: String {
        switch self {
        case .number(let user): "?MRN\(user)"
        case .records(let user): "?MDR\(user)A"
        }
    }

    var bytes: [UInt8] { [VerovalDuoAnswer.start] + Array(text.utf8) + [VerovalDuoAnswer.end] }
}

enum VerovalDuoAnswer {
    static let start: UInt8 = 0x02
    static let end: UInt8 = 0x03
    static let enquiry: UInt8 = 0x05
    static let accepted: UInt8 = 0x06
    static let refused: UInt8 = 0x15

    static let head = 5
    static let numberLength = 3
    static let recordLength = 25
    /// As many records as three digits can express.
    static let maximumLength = head + 999 * recordLength

    static func number(_ answer: [UInt8]) -> Int? {
        answer.count == head + numberLength ? answer.span.digits(head, numberLength) : nil
    }

    static func length(_ records: Int) -> Int { head + records * recordLength }

    /// The records of a whole answer; `nil` if its length or any record is wrong. `count` is the requested number, if any.
    static func readings(_ answer: [UInt8], user: Int, count: Int?) -> [Reading]? {
        guard answer.count >= head, answer.count <= maximumLength, (answer.count - head) % recordLength == 0,
            count.map({ answer.count == length($0) }) ?? true
        else { return nil }
        return DumpOccurrences.readings(answer.span, head..<answer.count, each: recordLength) { reading($0, user: user) }
    }

    /// The accepted commands in what the device sent, each with its answer: records, or three digits if other answers are beside them.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var found = FoundFrames()
        var (start, areNumbersOnly) = (0, true)
        while start + 1 + head + numberLength <= bytes.count {
            var end = start + 1 + head
            guard bytes[start] == accepted else {
                start += 1
                continue
            }
            while end + recordLength <= bytes.count, reading(bytes.span.extracting(end..<(end + recordLength)), user: 1) != nil {
                end += recordLength
            }
            if end > start + 1 + head {
                areNumbersOnly = false
            } else {
                end += numberLength
                guard bytes.span.digits(end - numberLength, numberLength) != nil, end == bytes.count || bytes[end] == accepted else {
                    start += 1
                    continue
                }
            }
            found.ranges.append(start..<end)
            start = end
        }
        // Few bytes look like one number.
        return areNumbersOnly && (found.frames < 2 || found.bytes < bytes.count) ? FoundFrames() : found
    }

    static func reading(_ record: Span<UInt8>, user: Int) -> Reading? {
        let clock = DeviceClock(orUnset: record.printedTime(0))
        // The published reader accepts flags other than digits, so only their position is checked.
        guard clock == .unset || clock.time != nil, let systolic = record.digits(11, 3), let diastolic = record.digits(14, 3),
            let pulse = record.digits(17, 3), [10, 20, 21, 22, 23, 24].allSatisfy({ record[$0] >= 0x20 && record[$0] < 0x7F })
        else { return nil }
        return Reading(
            .mmHg(systolic, diastolic, pulseOrZero: pulse), driver: "veroval-duo", user: Int32(user), flags: flags(record), clock: clock,
            origin: .memory, raw: RawBytes(record))
    }

    private static func flags(_ record: Span<UInt8>) -> MeasurementFlags {
        let (no, yes) = (UInt8(0x30), UInt8(0x31))
        var flags: MeasurementFlags = .noMeasurementCheck
        if record[10] == no { flags.insert(.irregularPulse) }
        if record[20] == yes { flags.insert(.bodyMovement) }
        if record[21] == yes { flags.insert(.cuffLoose) }
        if record[22] == yes { flags.insert(.qualityNoted) }
        if record[24] == no { flags.insert(.questionable) }
        if [10, 20, 21, 22, 24].contains(where: { record[$0] != no && record[$0] != yes }) { flags.insert(.qualityNoted) }
        return flags
    }
}
