/// Omron HBP-9020 and HBP-9030 (9031C), waiting-room cuffs. They send each measurement unasked and take no commands.
///
/// `bp` form      `bp,` id(20) `,YYYY/MM/DD,HH:MM,SSS,MMM,DDD,PPP,q`      58 characters, CR or CR LF        observed [1][2]
///   S systolic, M mean, D diastolic, P pulse; the mean stands *before* the diastolic
///   q one digit: 0 as a rule, 3 on a recorded reading with normal values; "movement 1 2 3" in [2], meaning unverified
/// Format 5       `YYYY,MM,DD,HH,mm,` id(20) `,e,SSS,DDD,PPP,m`           53 characters, CR LF              documented [3]
///   e error digit, 0 = ok; otherwise the three values are blanks. m how often the person moved
///   The manual's ranges: systolic 60…260, diastolic 30…215, pulse 40…180                                  documented [3]
/// Line ends      on a serial hub the CR may never come; lines come twice, or glued together               observed [2]
///
/// There is no check over a line. Both forms are of fixed width, so a line counts when every separator and digit stands
/// where it must; it needs no line end, and one dropped or doubled character shifts a separator and is refused.
/// A line with a date that no calendar has, or (format 5) with values its manual rules out, is reported and not read.
///
/// [1] two public C# readers whose origin is not established, one with a recorded line (the other: XiMPLib, class HBP9020)
/// [2] minjikim0927/GREEN, src/Green/MultiSerial.java
/// [3] leon80148/BP_checker at 19081541, test/host/test_hbp9030_protocol.cpp, citing OMRON 2873643-0F p. 20
extension CuffDriver {
    /// The driver `omron-hbp`.
    public static let omronHBP = CuffDriver(
        id: "omron-hbp",
        models: ["Omron HBP-9020", "Omron HBP-9030", "Omron HBP-9031C"],
        summary: "Omron waiting-room cuffs: one line of text after each measurement",
        grade: .a,
        testedOn: .recordedElsewhere("one line in a public C# reader whose origin is not established"),
        claims: [.shared(vendor: 0x0483, product: 0x5740)],
        line: LineSettings(rate: 9600),
        otherLines: [LineSettings(rate: 2400, parity: .even), LineSettings(rate: 2400, parity: .even, stopBits: 2)],
        framing: "fixed-width comma-separated text, CR or CR LF or nothing", check: nil,
        capabilities: [.push],
        unverified: [
            "the meaning of the last digit of a `bp` line (kept as the flag quality_noted)",
            "the meaning of each error digit of format 5",
            "which of the HBP-9030's five formats the `bp` line is",
            "formats that are known by a prefix only: `MMBP203N`, `ID…B26/07/11/09:05 …`",
        ],
        notes: [
            "HBP-9020 speaks 2400 8E1 over RS-232; HBP-9030 is a USB modem device (ttyACM).",
            "The 20 characters of the person's id are kept only in the record's own bytes.",
        ],
        preparation: "set its output: HBP-9030 function 32, format 5; HBP-9020 mode 5, F3",
        sources: [
            "leon80148/BP_checker (MIT), citing OMRON 2873643-0F p. 20",
            "two public C# readers whose origin is not established, one with a recorded line",
            "minjikim0927/GREEN, src/Green/MultiSerial.java",
            "public Python, Flutter and Ruby readers whose origin is not established",
        ],
        simulatorOptions: ["format": "bp: the short line", "twice": "yes: each line comes twice"],
        makeSession: { _ in OmronHBPSession() },
        makeSimulator: { PushSimulator.omronHBP($0) },
        findFrames: { OmronHBPLine.find(in: $0) },
        decodeRecord: { line, _ in try? OmronHBPSession.reading(line.span).get() },
        redaction: .omronHBP)
}

struct OmronHBPLine: FrameFormat {
    static let maximumLength = 58
    static let short: StaticString = "bp,********************,####/##/##,##:##,###,###,###,###,#"
    static let format5: StaticString = "####,##,##,##,##,********************,#,___,___,___,#"

    /// A whole line, or one line-end character on its own.
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        if bytes[0] == 0x0D || bytes[0] == 0x0A { return .frame(length: 1) }
        let shape = bytes[0] == 0x62 ? Self.short : Self.format5
        switch bytes.fit(shape) {
        case .whole: return .frame(length: shape.utf8CodeUnitCount)
        case .partial: return .needMore
        case .no: return .reject(bytes[0] == 0x62 || bytes[0] &- 0x30 < 10 ? .badCharacter : .notAStart)
        }
    }

    /// Lines that say something a cuff can say; what a line end alone is not.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        FrameReader.find(OmronHBPLine(), in: bytes) { line in
            if line.count > 1, case .success = OmronHBPSession.reading(line) { true } else { false }
        }
    }
}

/// Why a line of the right shape is not believed, and the part that shows it; never the person's id.
struct OmronHBPRefusal: Error {
    var reason: StaticName
    var part: Range<Int>
}

struct OmronHBPSession: FramedSession {
    var reader = FrameReader(OmronHBPLine())
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.omronHBP.capabilities }

    func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        // A line end on its own.
        guard range.count > 1 else { return }
        switch Self.reading(reader.buffer.span.extracting(range)) {
        case .success(let reading): actions.emit(reading)
        case .failure(let refusal):
            let line = reader.buffer.span.extracting(range)
            actions.ignore(refusal.reason, line.part(refusal.part.lowerBound, refusal.part.count))
        }
    }

    /// The reading of a line of one of the two shapes.
    static func reading(_ line: Span<UInt8>) -> Result<Reading, OmronHBPRefusal> {
        line.byte(0) == 0x62 ? shortReading(line) : format5Reading(line)
    }

    private static func shortReading(_ line: Span<UInt8>) -> Result<Reading, OmronHBPRefusal> {
        guard let time = line.printedTime(year: 24, month: 29, day: 32, hour: 35, minute: 38), time.isPossible,
            let systolic = line.digits(41, 3), let mean = line.digits(45, 3), let diastolic = line.digits(49, 3),
            let pulse = line.digits(53, 3), let quality = line.digits(57, 1)
        else { return .failure(OmronHBPRefusal(reason: "a line with an impossible date", part: 24..<40)) }
        return .success(
            Reading(
                .mmHg(systolic, diastolic, meanOrZero: mean, pulseOrZero: pulse), driver: "omron-hbp",
                flags: quality > 0 ? [.noMeasurementCheck, .qualityNoted] : .noMeasurementCheck,
                clock: .time(time), origin: .push, raw: RawBytes(line)))
    }

    private static func format5Reading(_ line: Span<UInt8>) -> Result<Reading, OmronHBPRefusal> {
        // A character doubled in the year leaves a line that begins one later, such as 0244-02-29.
        guard let time = line.printedTime(year: 0, month: 5, day: 8, hour: 11, minute: 14), time.isPossible,
            let year = line.digits(0, 4), 2000...2099 ~= year,
            let error = line.digits(38, 1), let moves = line.digits(52, 1)
        else { return .failure(OmronHBPRefusal(reason: "a line with an impossible date", part: 0..<16)) }
        let values = [40, 44, 48].map { line.digits($0, 3) }
        let areBlank = [40, 44, 48].allSatisfy { line.matches("   ", at: $0) }
        let content: Reading.Content
        if error != 0 {
            guard areBlank || values.allSatisfy({ $0 != nil }) else {
                return .failure(OmronHBPRefusal(reason: "an error line with some of its values", part: 38..<53))
            }
            content = .failure(.init(.unknown, code: ShortText(String(error))))
        } else {
            guard let systolic = values[0], let diastolic = values[1], let pulse = values[2] else {
                return .failure(OmronHBPRefusal(reason: "a line with blanks among its values", part: 38..<53))
            }
            guard 60...260 ~= systolic, 30...215 ~= diastolic, 40...180 ~= pulse else {
                return .failure(OmronHBPRefusal(reason: "a line with values outside the cuff's own range", part: 38..<53))
            }
            content = .bloodPressure(.mmHg(systolic, diastolic, pulse: pulse))
        }
        return .success(
            Reading(
                content, driver: "omron-hbp", flags: moves > 0 ? [.noMeasurementCheck, .bodyMovement] : .noMeasurementCheck,
                clock: .time(time), origin: .push, raw: RawBytes(line)))
    }
}
