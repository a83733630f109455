/// BpTRU BPM-200, an automated office blood-pressure cuff, `10b7:1234`. HID; sends pressures and results while used.
/// Report    no report number; frames of 8 bytes, several may share a report                          observed [1]
/// Frame     `02` id d0 d1 d2 d3 crc `03`, both directions                                             observed [1]
/// Check     CRC-8 over id…d3. Its polynomial is not public, so it is neither verified nor computed: damage is not excluded,
///           readings are flagged, and nothing can be sent to the cuff                                 [1] names the class only
/// `49` `44` pressure in the cuff while it inflates, while it deflates: d0 + 256 d1, mmHg              observed [1]
/// `42`      result: d0 code, d1 SYS, d2 DIA, d3 pulse                                                 observed [1]
///   code 80 system error, its kind in the low four bits; 40 SYS, 20 DIA, 10 pulse invalid: that byte is then a reason,
///   no number: 14, 15, 16 indeterminate, 17, 18 below range, 19, 20 above range, 21 arithmetic       observed [1]
/// `41`      average of d0 readings; `52` a reading shown again, d0 its number, 0 the average: no measurements   observed [1]
/// `55`      button: d0 1 stop, 2 review, 3 cycle, 4 start, 5 clear                                    observed [1]
/// `06` `15` accepted, refused; `21` notification, d0 08 reset                                         observed [1]
/// `43` `4C` `50` `53` `54` data of unknown content                                                    observed [1]
/// Host      `11` d0: 00 handshake, 01 stop, 02 review, 03 cycle, 04 start, 05 clear, 08 pressures on or off, 09 last result;
///           `10` `FF` reset: never sent here                                                          observed [1]
/// [1] OBiBa's Java library org.obiba.vsm.bptru (GPL-3), used by obiba/onyx: BpmMessage, Data, Buttons, Bpm200, Bpm200Commands;
/// its own repository is not established
extension CuffDriver {
    /// The driver `bptru-bpm200`.
    public static let bptruBPM200 = CuffDriver(
        id: "bptru-bpm200", models: ["BpTRU BPM-200"],
        summary: "BpTRU BPM-200: listens to live pressures and results; nothing can be sent",
        medium: .hidraw, reports: HIDReports(input: 64, output: 8), grade: .b, testedOn: .derived,
        claims: [.usb(vendor: 0x10B7, product: 0x1234)],
        framing: "02 id d0 d1 d2 d3 crc 03; the CRC-8 cannot be verified", check: nil,
        capabilities: [.push, .livePressure],
        unverified: [
            "the polynomial of the CRC-8: without it no frame can be verified, and none sent",
            "whether a cuff that was never greeted (handshake) sends its results by itself",
            "the size of its reports", "reasons other than the listed ones",
        ],
        notes: [
            "Start, stop, handshake and last result exist in the protocol and are refused: each would need the CRC.",
            "Averages and readings shown again are not measurements and are left out.",
            "Every reading carries `no_measurement_check`.",
        ],
        sources: [
            "OBiBa's Java library org.obiba.vsm.bptru (GPL-3): BpmMessage, Data, Buttons, Bpm200, Bpm200Commands; its own repository is "
                + "not established, obiba/onyx uses it"
        ],
        makeSession: { _ in BpTRUBPM200Session() },
        makeSimulator: { PushSimulator.bptruBPM200($0) },
        findFrames: { FrameReader.find(BpTRUBPM200Frame(), in: $0) },
        redaction: .bptruBPM200)
}

struct BpTRUBPM200Frame: FrameFormat {
    static let maximumLength = 8
    static let startByte: UInt8? = 0x02

    enum ID: UInt8, Sendable {
        case accepted = 0x06
        case reset = 0x10
        case command = 0x11
        case refused = 0x15
        case notification = 0x21
        case average = 0x41
        case result = 0x42
        case unknown1 = 0x43
        case deflating = 0x44
        case inflating = 0x49
        case unknown2 = 0x4C
        case unknown3 = 0x50
        case review = 0x52
        case unknown4 = 0x53
        case unknown5 = 0x54
        case button = 0x55
    }

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x02 else { return .reject(.notAStart) }
        guard let id = bytes.byte(1) else { return .needMore }
        guard ID(rawValue: id) != nil else { return .reject(.notAStart) }
        guard let last = bytes.byte(7) else { return .needMore }
        return last == 0x03 ? .frame(length: 8) : .reject(.badCharacter)
    }

    static func content(_ frame: Span<UInt8>) -> Reading.Content? {
        guard let code = frame.byte(2), let systolic = frame.byte(3), let diastolic = frame.byte(4), let pulse = frame.byte(5) else {
            return nil
        }
        if code & 0x80 != 0 { return .failure(systemErrors.failure(Int(code & 0x0F), text(code))) }
        if code & 0x40 != 0 { return .failure(.init(invalid(systolic, .systolicNotFound), code: text(code, systolic))) }
        if code & 0x20 != 0 { return .failure(.init(invalid(diastolic, .diastolicNotFound), code: text(code, diastolic))) }
        guard systolic > 0, diastolic > 0 else { return .failure(.init(.noValue, code: text(code))) }
        return .bloodPressure(.mmHg(Int(systolic), Int(diastolic), pulseOrZero: code & 0x10 == 0 ? Int(pulse) : 0))
    }

    /// The low four bits of a code with 80.
    /// Not 3, inflation too slow, and 9, pressure below -10: no `FailureReason` has that meaning.
    static let systemErrors: [Int: FailureReason] = [
        0x0: .noPulse, 0x1: .movement, 0x2: .overPressure, 0x4: .inflationTooFast, 0x5: .deflationTooSlow, 0x6: .deflationTooFast,
        0x7: .hardware, 0x8: .weakPulse, 0xA: .overPressure, 0xB: .residualPressure, 0xC: .hardware, 0xD: .hardware, 0xE: .hardware,
        0xF: .batteryLow,
    ]

    private static func invalid(_ reason: UInt8, _ indeterminate: FailureReason) -> FailureReason {
        switch reason {
        case 0x14...0x16: indeterminate
        case 0x17, 0x18, 0x19, 0x20: .outOfRange
        default: .noValue
        }
    }

    private static func text(_ bytes: UInt8...) -> ShortText { ShortText(Hex.text(bytes)) }
}
