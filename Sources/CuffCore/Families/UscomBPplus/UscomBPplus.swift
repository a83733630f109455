/// Uscom BP+ and CardioScope: office monitors that also record the suprasystolic pulse wave.
/// Lines are ASCII with CR LF. The host sends a small letter, a blank and parameters; the monitor answers with a capital letter, a blank
/// and a value.                                                                                        documented [1][2]
/// Host     `d 4` result as XML · `s 0` start, automatic target · `c` cancel · `i n` numbers of up to 100 measurements, page 0 the newest
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
            "the answer behind the last page of the list: a shorter list, one without new numbers, a refusal and silence end it",
            "determinations that failed within a series: only those in includedMeasurements with pressures above 0 are taken",
        ],
        notes: [
            "The newest 1000 measurements are read, some seconds each; `--option pages=1` reads only 100. Reading deletes nothing.",
            "Central pressures and the waveforms are left out: they are calculated.",
            "Without RTS/CTS on the device, use `--line \"115200 8N1\"`.",
        ],
        sources: [
            "Uscom, Serial Command Specification BPPLUS-RS-SerialCommand Rev C (2024-03-08), as retold in a public repository",
            "doingnz/bpconnect, docs/SDK.md, sdk/core/commands.js, sdk/transports/simulator.js", "Uscom/bpplus-redcap",
            "adh30/BPplus-Reservoir, tests/fixtures",
        ],
        options: ["pages": "how many pages of 100 stored measurements are read, from the newest (10)"],
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

/// `yyyyMMddHHmmss`.
enum UscomTime {
    static func text(_ time: DeviceTime) -> String { Decimal.pairs(time.pairs) }

    static func time(_ text: some StringProtocol) -> DeviceTime? {
        let bytes = Array(text.utf8)
        return bytes.count == 14 ? bytes.span.printedTime(year: 0, month: 4, day: 6, hour: 8, minute: 10, second: 12) : nil
    }
}

enum UscomOutcome {
    static let cancelled = 2, busy = 17, noneRunning = 22, badTime = 24, success = 99

    /// Why a measurement failed; `nil` for a number that is not the end of one.
    static func failure(_ number: Int) -> MeasurementFailure? {
        failures[number] == nil ? nil : failures.failure(number, ShortText("F" + Decimal.text(number, 2)))
    }

    private static let failures: [Int: FailureReason] = [
        1: .systolicNotFound, cancelled: .stopped, 3: .hardware, 4: .unknown, 5: .unknown, 6: .unknown, 7: .unknown, 8: .unknown,
        9: .noValue, 10: .timeout, 11: .hardware, 12: .noValue, 13: .outOfRange, 15: .selfTest, 23: .selfTest,
    ]

    static func refuses(_ number: Int) -> Bool { [0, 14, busy, 25].contains(number) }
}
