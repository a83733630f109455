/// Uscom BP+ and CardioScope: office monitors that also record the suprasystolic pulse wave.
/// Lines are ASCII with CR LF. The host sends a small letter, a blank and parameters; the monitor answers with a capital letter, a blank
/// and a value.                                                                                        documented [1][2]
/// Host     `d 4` result as XML · `s 0` start, automatic target · `c` cancel · `i 0` numbers of the newest 100 measurements
///          `d 5` stored XML · `r n` one of them · `y` clock · `y yyyyMMddHHmmss ` set it (the blank at the end is needed) · `f` features
/// Monitor  `M nn` 2 ready, 3 measuring, 4 deflating, 5 to 7 suprasystolic, 22 resting · `P nnn` cuff pressure
///          `F nn` outcome: `UscomOutcome` · `E text` the text of an error, an `F` follows
///          `S id snr sys MAP dia pr …` result at detail 0: the mean is before the diastolic; *no check*          printed [2]
///          `|_XML_SizeN C_|` CR LF, N bytes of XML, CR LF; C is their CRC-8 in decimal: polynomial A1 reflected, start FF
///          `IDs_H N C`, then `IDs_Content 34 33`: N and C are of the second line with its CR LF
///          `<Feature …>` one line: elements id, fw, sw, hw, nibpType, nibp_id …                           documented [2]
/// XML      root `BPplus` or `CardioScope`; `MeasDataLogger` has datetime (local, no zone), device_id, software_version, guid and its own
///          `Sys Dia Map Pr` (`Mean Hr` in CardioScope). With `NibpBloodPressures` these are an average, not a reading; each
///          `NibpBloodPressure` in `includedMeasurements` is one. `Results` has central pressures, which no cuff measured.
/// Never sent: `t` (closes the valves), `o`, `b`, `q`, `w`, `k`, and `f` with parameters (settings, firmware).
/// [1] Uscom "Serial Command Specification BPPLUS-RS-SerialCommand Rev C" (2024), as repeated in a public repository
/// [2] doingnz/bpconnect, docs/SDK.md, sdk/  [3] adh30/BPplus-Reservoir, tests/fixtures (results of six devices)
extension CuffDriver {
    /// Driver `uscom-bpplus`. Start and cancel, live cuff pressure, memory, clock.
    public static let uscomBPplus = CuffDriver(
        id: "uscom-bpplus",
        models: ["Uscom BP+", "Uscom BPplus R7", "Uscom CardioScope"],
        summary: "start and cancel, live cuff pressure, memory, clock; each determination of an automated office series is a reading",
        grade: .a, testedOn: .documented,
        claims: [.shared(vendor: 0x067B, product: 0x2303), .shared(vendor: 0x067B, product: 0x23A3)],
        line: LineSettings(rate: 115_200, flow: .hardware),
        otherLines: [LineSettings(rate: 115_200), LineSettings(rate: 9600)],
        framing: "lines CR LF; counted XML", check: "CRC-8 over results and lists; live pressures and detail 0 have none",
        capabilities: [.storedReadings, .push, .livePressure, .measure, .stop, .readClock, .setClock, .information],
        unverified: [
            "the check over a real document: no recorded one is public with its head",
            "the answer to a set clock: it is read back", "the meaning of MotionDetected, which is not used",
            "determinations that failed within a series: only those in includedMeasurements with pressures above 0 are taken",
        ],
        notes: [
            "The newest 100 measurements are read. Reading deletes nothing.",
            "Central pressures and the waveforms are left out: they are calculated.",
            "Without RTS/CTS on the device, use `--line \"115200 8N1\"`.",
        ],
        sources: [
            "Uscom, Serial Command Specification BPPLUS-RS-SerialCommand Rev C (2024-03-08), as retold in a public repository",
            "doingnz/bpconnect, docs/SDK.md, sdk/core/commands.js, sdk/transports/simulator.js", "Uscom/bpplus-redcap",
            "adh30/BPplus-Reservoir, tests/fixtures",
        ],
        startCommands: [Array("s 0\r\n".utf8)],
        makeSession: { UscomSession($0) },
        makeSimulator: { UscomSimulator($0) },
        findFrames: { UscomReader.find(in: $0) }, repair: UscomReader.repaired,
        redaction: .uscomBPplus)
}

/// The monitor's check: CRC-8 with polynomial 85, reflected (A1), starting at FF. Over "123456789": 15.
struct UscomCheck: Equatable {
    private(set) var value: UInt8 = 0xFF

    mutating func add(_ byte: UInt8) {
        value ^= byte
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xA1 : value >> 1 }
    }

    static func of(_ bytes: [UInt8]) -> UInt8 {
        var check = UscomCheck()
        for byte in bytes { check.add(byte) }
        return check.value
    }
}

enum UscomOutcome {
    static let cancelled = 2, busy = 17, noneRunning = 22, badTime = 24, success = 99

    /// Why a measurement failed; `nil` for a number that is not the end of one.
    static func failure(_ number: Int) -> MeasurementFailure? {
        let reason: FailureReason? =
            switch number {
            case 1: .systolicNotFound
            case cancelled: .stopped
            case 3, 11: .hardware
            case 4...8: .unknown
            case 9, 12: .noValue
            case 10: .timeout
            case 13: .outOfRange
            case 15, 23: .selfTest
            default: nil
            }
        return reason.map { MeasurementFailure($0, code: ShortText("F" + Decimal.text(number, 2))) }
    }

    static func refuses(_ number: Int) -> Bool { [0, 14, busy, 25].contains(number) }
}
