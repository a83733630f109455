/// Philips IntelliVue patient monitors: data export over the MIB/RS232 port. Polled; every value carries codes of IEEE 11073.
/// Frame     `C0` header user FCS `C1`; header 11 01 and the length of user (2); C0, C1 and 7D inside become 7D and the
///           byte xor 20. FCS: CRC-16/X-25 over header and user, low byte first, before stuffing     documented [1][2]
/// Session   big-endian. 0D association request, 0E accepted, 0C refused, 19 abort, 09 release, 0A released. Then the
///           monitor describes itself (event 0D06), to be answered with the same invoke id           documented [1][2]
/// Request   the association's bytes are those of [1] and [2], which agree in all but the poll profile: here that
///           of [1], a poll period of 6 s (BB80 of 1/8 ms) and messages of at most 1000 bytes        documented [1][2]
/// Message   E1 00 context, kind (2), length (2); kind 1 invoke, 2 result, 3 error, 5 linked result  documented [1][2]
/// Linked    state (1: 1 first, 2 between, 3 last) and count before the invoke id; a result of kind 2 follows the last one
///           documented [2][3]. A layout description calls the linked kind 3 and puts state and count before the length:
///           such a message is read too, where it holds as one by all its lengths                    guess
/// Poll      invoke, 0007, length, 0021 and handle, 0C16 (or F13B, with a sequence number behind the poll number),
///           length, poll number, time in 1/8 ms (4), absolute time (8), partition, class, group; then counted lists of
///           contexts, objects and attributes, each with its length                                  documented [1][2][3]
/// Attribute 0950 a value: code, state, unit, FLOAT; 094B several of them; 0990 the object's time    documented [1][2]
/// Cuff      4A04 with 4A05 systolic, 4A06 diastolic, 4A07 mean; pulse F0E5. Telemetry: F0A0 with F0A1, F0A2, F0A3 in the
///           same order (guess). Units 0F20 mmHg, 0F03 kPa, 0AA0 per minute                          documented [2]
/// State     8000 invalid, 4000 questionable, 2000 unavailable, 1000 calibration, 0800 test data: no value is taken.
///           0400 demo, 0080 validated, 0040 early, 0020 going on: flags                             documented [1][2]
/// Time      BCD century, year, month, day, hour, minute, second, fraction; all FF: none             documented [1][2]
/// New results: every answer has the same result. The object's time is that of the determination: another time is
/// another reading, and the same time the same one, also after a restart. Without a time, other values are another reading.
/// [1] part-cw/LNhealth modules/ivueparser (BSD-3-Clause)   [2] xeonfusion/VSCaptureMP Class2.cs, Class3.cs (LGPL-3)
/// [3] mindleaving/patient-monitor-datalogger PhilipsIntellivue (MIT)
extension CuffDriver {
    /// The driver `intellivue`.
    public static let intelliVue = CuffDriver(
        id: "intellivue",
        models: ["Philips IntelliVue MP2 to MP90", "Philips IntelliVue MX400 to MX850", "Philips IntelliVue X2, X3"],
        summary: "Philips IntelliVue monitors over their MIB/RS232 port: the cuff's results with their own time",
        grade: .a, testedOn: .derived,
        line: LineSettings(rate: 115_200),
        otherLines: [LineSettings(rate: 19200)],
        framing: "C0 header user FCS C1, stuffed with 7D", check: "CRC-16/X-25",
        capabilities: [.storedReadings, .push],
        unverified: [
            "linked results of kind 3, or with state and count before the length: readers say 5, behind it, and that 3 is an error; each "
                + "is read where all lengths agree",
            "which of the telemetry cuff's codes F0A1, F0A2, F0A3 is which: taken in the order of the cuff's",
            "the unit of the last byte of a time; it is not used",
        ],
        notes: [
            "The port must be set to data export (MIB); a fixed port has 115200, others may have 19200.",
            "`read` associates, takes the result that stands there, and releases; `--follow` asks every two seconds. While "
                + "following, a monitor that another program polls is only listened to.",
            "An arterial line is no cuff and gives no reading.",
            "Patient data that another program asked for is passed over.",
        ],
        sources: [
            "part-cw/LNhealth, modules/ivueparser/ivue-request.scm, ro_header.scm, ro_confirmedaction.scm (BSD-3-Clause)",
            "xeonfusion/VSCaptureMP, VSCaptureMP/Class2.cs and Class3.cs (LGPL-3)",
            "mindleaving/patient-monitor-datalogger, PatientMonitorDataLogger/PhilipsIntellivue (MIT)",
            "mdpnp/mdpnp, devices/philips (BSD-2-Clause)",
        ],
        simulatorOptions: [
            "linked": "yes: each answer comes in three parts",
            "unit": "kPa: pressures are in kilopascals",
        ],
        makeSession: { _ in IntelliVueSession() },
        makeSimulator: { IntelliVueSimulator($0) },
        findFrames: { FrameReader.find(IntelliVueFrame(), in: $0) }, repair: IntelliVueFrame.repaired,
        redaction: .intelliVue)
}

/// One frame of the transport layer, either way.
struct IntelliVueFrame: FrameFormat {
    static let begin: UInt8 = 0xC0
    static let end: UInt8 = 0xC1
    private static let stuffing = ByteStuffing(flags: [begin, end])
    /// The largest messages that a reader asks for have 2500 bytes [2]; room for more.
    static let maximumUser = 4096
    static let maximumLength = 2 * (maximumUser + 6) + 2
    static let startByte: UInt8? = begin

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict { verdict(on: bytes, known: 0) }

    func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict {
        guard bytes[0] == Self.begin else { return .reject(.notAStart) }
        // Another beginning first: an end is looked for up to there alone, so that each byte is looked at once.
        let from = max(1, known)
        let limit = bytes.firstOffset(of: Self.begin, from: from) ?? bytes.count
        guard let end = bytes.extracting(0..<limit).firstOffset(of: Self.end, from: from) else {
            return limit == bytes.count ? .needMore : .reject(.badCharacter)
        }
        guard let content = Self.stuffing.content(bytes, 1..<end) else { return .reject(.badCharacter) }
        let length = content.count - 6
        guard length >= 0, length <= Self.maximumUser, content[0] == 0x11, content[1] == 0x01,
            content.span.bigEndian16(2).map({ Int($0) }) == length
        else { return .reject(.badLength) }
        let check = Checksum.crc16X25(content.span, 0..<(length + 4))
        return content.span.littleEndian16(length + 4) == check ? .frame(length: end + 1) : .reject(.badCheck)
    }

    static func encode(_ user: [UInt8]) -> [UInt8] {
        framed([0x11, 0x01] + IntelliVueMessage.word(user.count) + user)
    }

    /// The frame with its check computed again; `nil` where no content is between begin and end.
    @Sendable static func repaired(_ frame: [UInt8], _ original: [UInt8]) -> [UInt8]? {
        let content = stuffing.content(frame.span, 1..<max(1, frame.count - 1))
        return frame.first == begin && frame.last == end ? content.map { framed(Array($0.dropLast(2))) } : nil
    }

    private static func framed(_ checked: [UInt8]) -> [UInt8] {
        stuffing.frame(checked + [UInt8](littleEndian: [Int(Checksum.crc16X25(checked.span, 0..<checked.count))]))
    }

    static func user(_ frame: Span<UInt8>) -> [UInt8]? {
        guard frame.count > 8, let content = stuffing.content(frame, 1..<(frame.count - 1)), content.count >= 6 else { return nil }
        return Array(content[4..<(content.count - 2)])
    }
}
