/// Datex-Ohmeda Record Interface: S/5 monitors and GE CARESCAPE over the serial computer interface.
/// Frame     `7E record check 7E`; check: sum of the record mod 256, behind it. 7D and 7E inside, of the check too,
///           are sent as 7D and the byte with bit 5 cleared (5D, 5E)                                documented [1][2]
/// Header    40 bytes, little-endian: 0 length of the record, 2 number, 3 level, 4 plug, 6 Unix seconds,
///           14 main type (0 physiological, 1 waves, 4 alarms), 16 eight descriptors of offset (2 bytes, from
///           byte 40) and type (1); type FF ends the list                                           documented [1][2]
/// Request   49 bytes: length, a descriptor 0 of type 0 and FF behind it, then from byte 40: type 1 (displayed values),
///           interval in seconds (2), classes (4; 0E: the extensions too). Interval 0 stops         documented [1][3]
/// Type 1    a subrecord of 278 bytes for each class: time (4), 270 bytes, marker, reserved, class (2; bits 8…11:
///           0 basic, 1…3 extensions); older levels: one of 1088 bytes, the basic class first       documented [1]
/// NIBP      at 72 of the basic class: status (4; bit 0 exists, bit 1 active), label (2), systolic, diastolic, mean, rate,
///           two bytes each, signed; pressures in 1/100 mmHg                                        documented [1][2]
/// Label     bits 0…2 cuff (1 infant, 3 adult), 3 AUTO, 4 STAT, 5 measuring, 6 stasis, 7 calibrating, 8 older than 60 s
///           documented [4]; bit 5 also [1]
/// Absent    values of -32001 and below: -32767 none … -32762 not calibrated                        documented [2][4]
/// New results: the last result remains. Another one is detected by a change of the four values, or by the end of "measuring";
/// the first one may be old. The record's time is the monitor's clock, not that of the determination.
/// The sum is weak: on a line that lost more than two records in a row, values are accepted only if they come twice.
/// [1] part-cw/LNhealth modules/s5parser/s5.scm and s5parser.scm (BSD-3-Clause)   [2] xeonfusion/VSCapture (LGPL-3)
/// [3] KaiWU17TUM/icu_devices documents/GE_Monitor.md   [4] a public Python table of the record's fields whose origin is
/// not established; it fits the label 010B that [1] recorded
extension CuffDriver {
    /// The driver `ge-dri`.
    public static let geDRI = CuffDriver(
        id: "ge-dri",
        models: [
            "Datex-Ohmeda AS/3, CS/3, S/5", "GE B30, B40", "GE CARESCAPE B450, B650, B850 (serial computer interface)",
        ],
        summary: "Datex-Ohmeda S/5 and GE CARESCAPE monitors: the cuff's results out of the displayed values",
        grade: .a, testedOn: .derived,
        line: LineSettings(rate: 19200, parity: .even, flow: .hardware),
        otherLines: [LineSettings(rate: 19200, parity: .even)],
        framing: "7E record check 7E, stuffed with 7D", check: "sum of the record mod 256, and lengths that must agree",
        capabilities: [.storedReadings, .push],
        unverified: [
            "label bits 0 to 4 and 8 (cuff, AUTO, STAT, age): one public table, and one recorded label that fits it",
            "an end of \"measuring\" without other values while bit 8 says that the data is older than 60 s: a reading, flagged",
            "whether one 7E may end a record and begin the next; two are expected",
            "the layout of level 2 and below beyond its basic class",
        ],
        notes: [
            "The monitor does not say when a result was determined: what stands there at first is kept without a time.",
            "`read` takes the result that stands there; `--follow` asks for a record every 10 s, after two silent seconds, and "
                + "stops that at its end.",
            "An arterial line (P1 to P6) is no cuff and gives no reading.",
        ],
        sources: [
            "part-cw/LNhealth, modules/s5parser/s5.scm and s5parser.scm (BSD-3-Clause)",
            "xeonfusion/VSCapture and VSCaptureWave (LGPL-3)",
            "KaiWU17TUM/icu_devices, documents/GE_Monitor.md, after document 8005313 \"S/5 DRI Specification\"",
            "a public Python table of the record's fields whose origin is not established (label bits)",
        ],
        simulatorOptions: ["layout": "old: all classes in one subrecord of 1088 bytes"],
        makeSession: { _ in GeDRISession() },
        makeSimulator: { GeDRISimulator($0) },
        findFrames: { FrameReader.find(GeDRIFrame(), in: $0) }, repair: GeDRIFrame.repaired,
        redaction: .geDRI)
}

struct GeDRIFrame: FrameFormat {
    static let flag: UInt8 = 0x7E
    private static let stuffing = ByteStuffing(flags: [flag])
    /// 40 bytes of header and 1450 of data: the buffer of the readers [2][3].
    static let maximumRecord = 1490
    static let maximumLength = 2 * (maximumRecord + 1) + 2
    static let startByte: UInt8? = flag

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict { verdict(on: bytes, known: 0) }

    func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict {
        guard bytes[0] == Self.flag else { return .reject(.notAStart) }
        guard let end = bytes.firstOffset(of: Self.flag, from: max(1, known)) else { return .needMore }
        // The end of a record, and the beginning of the next.
        guard end > 1 else { return .reject(.notAStart) }
        guard let content = Self.stuffing.content(bytes, 1..<end) else { return .reject(.badCharacter) }
        let length = content.count - 1
        guard length >= GeDRIRecord.headerLength, length <= Self.maximumRecord,
            content.span.littleEndian16(0).map({ Int($0) }) == length
        else { return .reject(.badLength) }
        return Checksum.sum8(content.span, 0..<length) == content[length] ? .frame(length: end + 1) : .reject(.badCheck)
    }

    static func encode(_ record: [UInt8]) -> [UInt8] { stuffing.frame(record + [record.sum8]) }

    /// The frame with its sum computed again; `nil` where no content is between the flags.
    @Sendable static func repaired(_ frame: [UInt8], _ original: [UInt8]) -> [UInt8]? {
        let content = stuffing.content(frame.span, 1..<max(1, frame.count - 1))
        return frame.first == flag && frame.last == flag ? content.map { encode(Array($0.dropLast())) } : nil
    }

    static func record(_ frame: Span<UInt8>) -> [UInt8]? {
        guard frame.count > 2 else { return nil }
        return stuffing.content(frame, 1..<(frame.count - 1))?.dropLast()
    }
}

enum GeDRIRequest {
    /// Seconds between two records: other software uses 5 [1] or 10 [3].
    static let interval = 10
    static let length = 49

    static func displayedValues(every seconds: Int) -> [UInt8] {
        let head = ([UInt8(length)].padded(to: 21) + [0xFF]).padded(to: 40)
        return GeDRIFrame.encode((head + [1] + [UInt8](littleEndian: [seconds]) + [0x0E]).padded(to: length))
    }
}
