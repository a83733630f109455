import Testing

@testable import CuffCore

/// `hl7-oru`: readings, answers and their time, and repetitions.
@Suite struct HL7ORUTests {
    private static let unit = "266016^MDC_DIM_MMHG^MDC"
    private static let time = "20260505073110"

    private static func session(
        _ options: [String: String] = [:], device: String = "", memory: [String: [UInt8]] = [:], keeps: Bool = true,
        isRecorded: Bool = false, follows: Bool = true
    ) -> any CuffSession {
        let context = SessionContext(
            device: device, options: options, memory: memory, keepsReadings: keeps, isRecorded: isRecorded)
        var session = CuffDriver.hl7ORU.makeSession(context)
        if follows { _ = session.handle(.command(.follow)) }
        return session
    }

    private static func block(_ segments: [String]) -> [UInt8] { [0x0B] + segments.flatMap { Array("\($0)\r".utf8) } + [0x1C, 0x0D] }

    private static func header(_ id: String = "M1", type: String = "ORU^R01", sender: String = "Monitor|Ward", time: String = Self.time)
        -> String
    {
        "MSH|^~\\&|\(sender)|||\(time)||\(type)|\(id)|P|2.6"
    }

    private static func value(_ code: String, _ value: String, sub: String, unit: String = Self.unit, time: String = Self.time) -> String {
        "OBX||NM|\(code)|\(sub)|\(value)|\(unit)|||||F|||\(time)"
    }

    private static func cuff(_ systolic: Int, _ diastolic: Int, time: String = Self.time) -> [String] {
        [
            value("150301^MDC_PRESS_CUFF_SYS^MDC", "\(systolic)", sub: "1.1.9.150301", time: time),
            value("150302^MDC_PRESS_CUFF_DIA^MDC", "\(diastolic)", sub: "1.1.9.150302", time: time),
        ]
    }

    private static func readings(_ actions: some Sequence<SessionAction>) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }
    private static func writes(_ actions: some Sequence<SessionAction>) -> [String] {
        actions.compactMap { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    }
    private static func notes(_ actions: some Sequence<SessionAction>) -> [String: [UInt8]] {
        actions.reduce(into: [:]) { if case .remember(let key, let value) = $1 { $0[key] = value } }
    }

    @Test func theAnswer_WaitsForTheDisk() {
        var session = Self.session()
        let heard = session.handle(.received(Self.block([Self.header()] + Self.cuff(128, 82))))
        #expect(Self.readings(heard).count == 1 && Self.writes(heard).isEmpty)
        #expect(heard.contains { if case .arm(.response, _) = $0 { true } else { false } })
        #expect(
            Self.writes(session.handle(.committed(through: 1))) == [
                "\u{0B}MSH|^~\\&|CUFF||||\(Self.time)||ACK^R01|1|P|2.6\rMSA|AA|M1\r\u{1C}\r"
            ])
        // A commit is used once, and ends the time limit of the answer.
        #expect(Self.writes(session.handle(.committed(through: 1))).isEmpty)
        #expect(Self.writes(session.handle(.timerFired(.response))).isEmpty)
    }

    @Test func aRepetition_IsAnsweredOnlyWhenTheFirstIsOnDisk() {
        var session = Self.session()
        _ = session.handle(.received(Self.block([Self.header("M1")] + Self.cuff(128, 82))))
        let again = session.handle(.received(Self.block([Self.header("M2", time: "20260505073200")] + Self.cuff(128, 82))))
        #expect(Self.readings(again).isEmpty && Self.writes(again).isEmpty)
        let written = Self.writes(session.handle(.committed(through: 1)))
        #expect(written.count == 2 && written[0].contains("MSA|AA|M1\r") && written[1].contains("MSA|AA|M2\r"))
    }

    @Test func whatIsNotKeptInTime_IsAnError_AndComesAgainAsTheSame() {
        var session = Self.session()
        let message = Self.block([Self.header()] + Self.cuff(128, 82))
        _ = session.handle(.received(message))
        let late = Self.writes(session.handle(.timerFired(.response)))
        #expect(late.count == 1 && late[0].contains("MSA|AE|M1\r"))
        #expect(Self.writes(session.handle(.committed(through: 1))).isEmpty)
        let again = session.handle(.received(message))
        #expect(Self.readings(again).isEmpty)
        #expect(Self.writes(again).count == 1 && Self.writes(again)[0].contains("MSA|AA|M1\r"))
    }

    @Test func whoEndsBeforeItIsKept_SaysSo() {
        var session = Self.session()
        _ = session.handle(.received(Self.block([Self.header()] + Self.cuff(128, 82))))
        var actions = SessionActions()
        let hasWords = session.endInOrder(into: &actions)
        #expect(hasWords)
        let all = Array(actions)
        #expect(Self.writes(all).count == 1 && Self.writes(all)[0].contains("MSA|AE|M1\r"))
        #expect(all.contains { if case .finish = $0 { true } else { false } })
        var idle = Self.session()
        let isIdle = !idle.endInOrder(into: &actions)
        #expect(isIdle, "no request waits")
    }

    @Test func whereNothingIsKept_ItIsAnError() {
        var session = Self.session(keeps: false)
        let heard = Self.writes(session.handle(.received(Self.block([Self.header()] + Self.cuff(128, 82)))))
        #expect(heard.count == 1 && heard[0].contains("MSA|AE|M1\r"))
    }

    @Test func withoutACommand_WithKeep_OrWhereNeverIsAsked_NothingIsWritten() {
        let message = [Self.header()] + Self.cuff(128, 82)
        for (options, follows, text) in [
            ([:], false, message), (["keep": "yes"], true, message), ([:], true, ["\(Self.header())|||NE|NE"] + Self.cuff(128, 82)),
        ] as [([String: String], Bool, [String])] {
            var session = Self.session(options, follows: follows)
            let actions = session.handle(.received(Self.block(text)))
            #expect(Self.readings(actions).count == 1)
            #expect(Self.writes(actions).isEmpty && Self.writes(session.handle(.committed(through: 1))).isEmpty)
        }
    }

    @Test func aMessageWithoutTheCuff_IsAcceptedAtOnce_AndAnotherKindIsNot() {
        var session = Self.session()
        let other = Self.value("150456^MDC_PULS_OXIM_SAT_O2^MDC", "97", sub: "1.2.1.150456", unit: "")
        #expect(Self.writes(session.handle(.received(Self.block([Self.header("M1"), other])))).first?.contains("MSA|AA|M1\r") == true)
        let admission = session.handle(.received(Self.block([Self.header("M2", type: "ADT^A01")] + Self.cuff(128, 82))))
        #expect(Self.readings(admission).isEmpty)
        #expect(Self.writes(admission).first?.contains("ACK^A01|2|") == true)
        #expect(Self.writes(admission).first?.contains("MSA|AE|M2\r") == true)
        let acknowledgement = session.handle(.received(Self.block([Self.header("M3", type: "ACK^R01"), "MSA|AA|1"])))
        #expect(Self.writes(acknowledgement).isEmpty)
        let two = Self.block([Self.header("M4")] + Self.cuff(128, 82) + [Self.header("M5")] + Self.cuff(120, 80))
        #expect(Self.readings(session.handle(.received(two))).isEmpty, "two messages in one block")
    }

    @Test func whatIsSentBack_HasALimit() {
        var session = Self.session()
        let long = String(repeating: "9", count: 60_000)
        for header in [Self.header(long), Self.header("M1", type: "ADT^\(long)"), Self.header("M1", type: "ADT^A01", time: long)] {
            let written = Self.writes(session.handle(.received(Self.block([header] + Self.cuff(128, 82)))))
            #expect(written.count == 1 && written[0].utf8.count < 400 && written[0].contains("|AE|"))
        }
    }

    @Test func answersThatWait_HaveALimit() {
        var session = Self.session()
        var errors = 0
        for number in 0..<300 {
            let time = "2026050507\(Decimal.text(number / 60, 2))\(Decimal.text(number % 60, 2))"
            errors += Self.writes(session.handle(.received(Self.block([Self.header("M\(number)")] + Self.cuff(128, 82, time: time))))).count
        }
        #expect(errors == 300 - 256)
        #expect(Self.writes(session.handle(.committed(through: 300))).count == 256)
    }

    @Test func aMessageBeyondTheLimit_IsNoReading() {
        var session = Self.session()
        let long = "NTE|1||" + String(repeating: "x", count: HL7Frame.maximumLength)
        var actions = session.handle(.received(Self.block([Self.header(), long] + Self.cuff(128, 82))))
        #expect(Self.readings(actions).isEmpty)
        actions = session.handle(.received(Self.block([Self.header("M2")] + Self.cuff(120, 80))))
        #expect(Self.readings(actions).map { $0.bloodPressure?.systolic } == [.mmHg(120)])
    }

    /// The monitor's name comes with its first reading: the batch before the name must not count that reading.
    @Test func theFirstReading_IsNotCommittedWithWhatCameBeforeTheName() {
        var link = LinkState(LinkState.Setup(.hl7ORU))
        var effects: [LinkEffect] = []
        let time = LinkTime(elapsed: .zero, wall: Timestamp(milliseconds: 1_778_000_000_000))
        link.handle(.transport(.opened), at: time, into: &effects)
        link.handle(.transport(.received(Self.block([Self.header()] + Self.cuff(128, 82)))), at: time, into: &effects)
        link.flush(into: &effects)
        let batches = effects.compactMap { if case .submit(let batch) = $0 { batch } else { nil } }
        #expect(batches.last?.through == 1 && batches.last?.entries.count == 1)
        #expect(batches.dropLast().allSatisfy { $0.through == 0 })
        // A repetition, and another name: a duplicate is committed too, or its message would never be acknowledged.
        effects.removeAll()
        link.handle(.committed(through: 1), at: time, into: &effects)
        for (id, sender) in [("M2", "Monitor|Ward"), ("M3", "Monitor|Other"), ("M4", "Monitor|Ward")] {
            link.handle(.transport(.received(Self.block([Self.header(id, sender: sender)] + Self.cuff(128, 82)))), at: time, into: &effects)
            link.flush(into: &effects)
            if let last = effects.compactMap({ if case .submit(let batch) = $0 { batch.through } else { nil } }).last {
                link.handle(.committed(through: last), at: time, into: &effects)
            }
        }
        let written = effects.compactMap { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
        #expect(["M1", "M2", "M3", "M4"].allSatisfy { id in written.contains { $0.contains("MSA|AA|\(id)\r") } })
    }

    @Test(arguments: [
        ("150301^MDC_PRESS_CUFF_SYS^MDC", true, false), ("150021^MDC_PRESS_BLD_NONINV_SYS^MDC", true, false),
        ("150301", true, false), ("8480-6^Systolic blood pressure^LN", true, false), ("8480-6^NIBP systolic^LN", true, false),
        ("99SYS^Systolic^LOCAL^150301^MDC_PRESS_CUFF_SYS^MDC", true, false),
        ("150017^MDC_PRESS_BLD_NONINV_SYS^MDC", true, true), ("150017^NONINV^MDC", true, true),
        ("150033^MDC_PRESS_BLD_NONINV_SYS^MDC", true, true), ("150302^MDC_PRESS_CUFF_SYS^MDC", true, true),
        ("150021^MDC_PRESS_BLD_SYS^MDC", true, true), ("8480-6^Non-invasive systolic^LN", true, false),
        ("150021^MDC_PRESS_BLD_ART_SYS^MDC", false, false), ("150021^ART^MDC", false, false),
        ("150037^MDC_PRESS_BLD_ART_ABP_SYS^MDC", false, false), ("150033^MDC_PRESS_BLD_ART_SYS^MDC", false, false),
        ("150301^MDC_PRESS_BLD_VEN_CENT_SYS^MDC", false, false), ("150017^MDC_PRESS_BLD_SYS^MDC", false, false),
        ("8480-6^ART1 Sys^LN", false, false), ("150021^IBP2_SYS^MDC", false, false), ("8480-6^P1 systolic^LN", false, false),
        ("150021^MNDRY_PRESS_ART1_SYS^MDC", false, false), ("8480-6^UAP Sys^LN", false, false), ("8480-6^NIBP1 Sys^LN", true, false),
        ("8480-6^PA sistolica^LN", true, false),
        ("8480-6^Arterial systolic^LN", false, false), ("8480-6^Invasive systolic^LN", false, false),
        ("150301^MDC_PRESS_CUFF_SYS^MDC^X^ABP systolic^LOCAL", false, false),
        ("7000^NIBP systolic alarm limit^LOCAL", false, false), ("170^Sys", false, false), ("150301^^LN", false, false),
        ("150457^MDC_PRESS_CUFF_SYS_LIMIT^MDC", false, false),
    ])
    func codesAndTexts(_ code: String, _ isRead: Bool, _ isFlagged: Bool) {
        var session = Self.session()
        let segments = [
            Self.value(code, "128", sub: "1.1.9.1"), Self.value("150302^MDC_PRESS_CUFF_DIA^MDC", "82", sub: "1.1.9.2"),
        ]
        let found = Self.readings(session.handle(.received(Self.block([Self.header()] + segments))))
        #expect(found.map { $0.bloodPressure?.systolic } == (isRead ? [.mmHg(128)] : []))
        #expect(found.allSatisfy { $0.flags.contains(.questionable) == isFlagged && $0.flags.contains(.noMeasurementCheck) })
    }

    @Test(
        arguments: [
            ("20260505073110", DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10)),
            ("202605050731", DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)),
            (
                "20260505073110.25+0800",
                DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10, hundredths: 25, utcOffset: 480)
            ),
            ("20260505073110.5-0330", DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10, utcOffset: -210)),
            ("20260505", nil), ("0", nil), ("", nil), ("20260505073110+08", nil), ("20260505073110+1560", nil), ("20260505073110Z", nil),
            ("2026050507311", nil), ("202605050731.5", nil),
        ] as [(String, DeviceTime?)])
    func times(_ text: String, _ expected: DeviceTime?) {
        #expect(HL7Field.time(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("120", .value(Digits(120))), (" 16.0 ", .value(Digits(mantissa: 160, exponent: -1))), ("0", .absent(.notMeasured)),
            ("0.0", .absent(.notMeasured)), ("", .absent(.notMeasured)), ("8388607", .absent(.notANumber)),
            ("8388608", .absent(.notAtThisResolution)), ("-5", .unreadable), ("+5", .unreadable), ("12.", .unreadable), (".5", .unreadable),
            ("1e2", .unreadable), ("---", .unreadable), ("123456789", .unreadable), ("1 2", .unreadable),
        ] as [(String, HL7Field.Number)])
    func numbers(_ text: String, _ expected: HL7Field.Number) {
        #expect(HL7Field.number(Array(text.utf8)) == expected)
    }

    @Test func escapes() {
        let separators = HL7Separators(field: 0x7C, encoding: Array("^~\\&".utf8))
        #expect(
            String(decoding: separators.text(Array("a\\F\\b\\S\\c\\T\\d\\R\\e\\E\\f\\X41\\g\\.br\\h\\".utf8)), as: UTF8.self)
                == "a|b^c&d~e\\fAgh\\")
        #expect(separators.components(Array("\"\"^x".utf8)[...]) == [[], [0x78]])
    }

    @Test func thePatient_IsInTheRecordAndNowhereElse() {
        var session = Self.session()
        let patient = "PID|1||4711^^^HOSPITAL||Doe^Jane||19600101|F"
        let visit = "PV1|1|I|ICU^^12||||0815^Smith|||||||||||V-99"
        let actions = session.handle(.received(Self.block([Self.header(), patient, visit] + Self.cuff(128, 82))))
        let found = Self.readings(actions)
        #expect(found.count == 1)
        var text = TextBuffer()
        for reading in found { ReadingLine(includesRaw: false).append(.reading(reading), device: "", to: &text) }
        var said = text.string
        for action in actions + session.handle(.committed(through: 1)) {
            switch action {
            case .report(let diagnostic): said += diagnostic.sentence
            case .identify(let identity): said += "\(identity)"
            case .write(let bytes): said += String(decoding: bytes, as: UTF8.self)
            default: break
            }
        }
        for secret in ["4711", "Doe", "Jane", "Smith", "V-99", "1960"] { #expect(!said.contains(secret), "\(secret)") }
        let raw = String(decoding: found.first?.raw.array ?? [], as: UTF8.self)
        #expect(raw.contains(patient) && !raw.contains("V-99"))
    }

    @Test func aTime_OfItsOwn_GivesTheSameIdInEveryMessage() {
        var ids: Set<UInt64> = []
        for (id, prefix, flag) in [("M1", "1", ""), ("M2", "7", "H"), ("M3", "", "N")] {
            var session = Self.session()
            let segments = Self.cuff(128, 82).map {
                $0.replacing("OBX||", with: "OBX|\(prefix)|").replacing("|||||F", with: "||\(flag)|||R")
            }
            var found = Self.readings(
                session.handle(.received(Self.block([Self.header(id, time: "20260505080\(prefix.count)00")] + segments))))
            #expect(found.count == 1)
            var ledger = ReadingLedger(device: "x", driver: "hl7-oru")
            for index in found.indices { _ = ledger.admit(&found[index], received: nil) }
            ids.formUnion(found.map(\.id.hash))
        }
        #expect(ids.count == 1)
    }

    /// A determination without a time is remembered once it is on disk: for the same monitor, but not for a recording.
    @Test func withoutATime_ItIsOne_OverARestartToo() {
        func message(_ id: String, _ sender: String = "Monitor|Ward", _ systolic: Int = 128, patient: String = "1") -> [UInt8] {
            Self.block([Self.header(id, sender: sender, time: "2026050508\(id)"), "PID|||\(patient)"] + Self.cuff(systolic, 82, time: ""))
        }
        var first = Self.session()
        let heard = first.handle(.received(message("0000")))
        #expect(Self.readings(heard).count == 1 && Self.notes(heard).isEmpty)
        #expect(Self.readings(heard).first?.clock == .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 8, minute: 0, second: 0)))
        let memory = Self.notes(first.handle(.committed(through: 1)))
        #expect(memory.count == 1)
        func count(_ bytes: [UInt8], memory: [String: [UInt8]], isRecorded: Bool = false) -> Int {
            var session = Self.session(memory: memory, isRecorded: isRecorded)
            return Self.readings(session.handle(.received(bytes))).count
        }
        #expect(count(message("0100"), memory: memory) == 0)
        #expect(count(message("0100"), memory: [:]) == 1)
        #expect(count(message("0100"), memory: memory, isRecorded: true) == 1)
        #expect(count(message("0100", "Monitor|Other"), memory: memory) == 1)
        #expect(count(message("0100", patient: "2"), memory: memory) == 1)
        #expect(count(message("0100", "Monitor|Ward", 129), memory: memory) == 1)
        #expect(count(message("0100"), memory: memory.mapValues { Array($0.dropLast(3)) }) == 1)
    }

    @Test func aMonitorWithoutAName_IsNotTakenForAnother() {
        var session = Self.session()
        let message = Self.block([Self.header(sender: "|")] + Self.cuff(128, 82, time: ""))
        let heard = session.handle(.received(message))
        #expect(Self.readings(heard).count == 1)
        #expect(Self.notes(session.handle(.committed(through: 1))).isEmpty)
        #expect(Self.readings(session.handle(.received(message))).isEmpty, "on one connection it is one monitor")
    }

    /// Messages as code letter, value, OBX-4; `|` begins another order. Expected: systolic and diastolic of the readings.
    @Test(
        arguments: [
            // Running numbers of one order.
            ("s128 1,d82 2,m97 3", ["128/82"]), ("d82 7,s128 8", ["128/82"]), ("o97 1,s128 2,p71 3,d82 4", ["128/82"]),
            ("s128 01,d82 02", ["128/82"]), ("s128 1,d82 2,s128 3,d82 4", ["128/82"]),
            // Without OBX-4, or with one for all.
            ("s128 ,d82 ", ["128/82"]), ("s128 1,d82 1", ["128/82"]), ("s128 1,d82 1,s124 2,d79 2", ["128/82", "124/79"]),
            // Two of one code in one order, numbered consecutively: ambiguous.
            ("s128 1,d82 2,s124 3,d79 4", []), ("s128 1,d82 2,s124 3", []), ("s128 1,d82 2,d79 3", []),
            // Numbers that are not consecutive are groups.
            ("s128 2,d82 1", []), ("s128 1,d82 2,o97 2", []), ("s128 1,d82 2,o97 1.2", []), ("s128 1,d82 2,o97 A", []),
            ("s128 A,d82 B", []),
            ("s128 1.1,d82 2.1", []), ("s128 1,|d82 2", []), ("s128 1,d82 1234567", []),
            // The grouper: group and place.
            ("s128 ^1^1,d82 ^1^2", ["128/82"]), ("s128 ^1^1,d82 ^1^2,s124 ^2^1,d79 ^2^2", ["128/82", "124/79"]), ("s128 ^1^1,d82 ^2^1", []),
        ] as [(String, [String])])
    func groupsAndNumbers(_ text: String, _ expected: [String]) {
        let codes: [Character: (String, String)] = [
            "s": ("150301^MDC_PRESS_CUFF_SYS^MDC", Self.unit), "d": ("150302^MDC_PRESS_CUFF_DIA^MDC", Self.unit),
            "m": ("150303^MDC_PRESS_CUFF_MEAN^MDC", Self.unit),
            "p": ("149546^MDC_PULS_RATE_NON_INV^MDC", "264864^MDC_DIM_BEAT_PER_MIN^MDC"),
            "o": ("150456^MDC_PULS_OXIM_SAT_O2^MDC", ""),
        ]
        var segments = [Self.header(), "OBR|1"]
        for word in text.split(separator: ",") {
            if word.hasPrefix("|") { segments.append("OBR|2") }
            let parts = word.drop { $0 == "|" }.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            let (code, unit) = codes[parts[0].first ?? "?"] ?? ("", "")
            segments.append(Self.value(code, String(parts[0].dropFirst()), sub: parts[1], unit: unit))
        }
        var session = Self.session()
        let actions = session.handle(.received(Self.block(segments)))
        let found = Self.readings(actions).compactMap(\.bloodPressure)
        #expect(found.map { "\($0.systolic.digits.mantissa)/\($0.diastolic.digits.mantissa)" } == expected)
        let isRefused = actions.contains { if case .report(.ignored) = $0 { true } else { false } }
        #expect(isRefused == expected.isEmpty)
    }

    /// The numbers depend on the rest of the message; determination and id stay the same.
    @Test func aRunningNumber_IsNoPartOfTheRecord() {
        var raws: Set<[UInt8]> = []
        for first in [1, 4] {
            var session = Self.session()
            let segments = [
                Self.value("150301^MDC_PRESS_CUFF_SYS^MDC", "128", sub: "\(first)"),
                Self.value("150302^MDC_PRESS_CUFF_DIA^MDC", "82", sub: "\(first + 1)"),
            ]
            raws.formUnion(Self.readings(session.handle(.received(Self.block([Self.header()] + segments)))).map { $0.raw.array })
        }
        #expect(raws.count == 1)
    }

    @Test func aBareMessage_EndsBySilence_AndAtTheEndOfTheLineOnlyWhereItIsWhole() {
        let bytes = ([Self.header()] + Self.cuff(128, 82)).flatMap { Array("\($0)\r".utf8) }
        var session = Self.session()
        let heard = session.handle(.received(bytes))
        #expect(Self.readings(heard).isEmpty && heard.contains { if case .arm(.silence, _) = $0 { true } else { false } })
        #expect(Self.readings(session.handle(.timerFired(.silence))).count == 1)
        let written = Self.writes(session.handle(.committed(through: 1)))
        #expect(written == ["MSH|^~\\&|CUFF||||\(Self.time)||ACK^R01|1|P|2.6\rMSA|AA|M1\r"])

        var closed = Self.session()
        #expect(Self.readings(closed.handle(.received(bytes)) + closed.handle(.closed)).isEmpty, "a mean or a pulse may have been lost")
        var whole = Self.session()
        let more = [
            Self.value("150303^MDC_PRESS_CUFF_MEAN^MDC", "97", sub: "1.1.9.150303"),
            Self.value("149546^MDC_PULS_RATE_NON_INV^MDC", "71", sub: "1.1.9.149546", unit: "264864^MDC_DIM_BEAT_PER_MIN^MDC"),
        ].flatMap { Array("\($0)\r".utf8) }
        let found = Self.readings(whole.handle(.received(bytes + more)) + whole.handle(.closed))
        #expect(found.map(\.bloodPressure) == [.mmHg(128, 82, mean: 97, pulse: 71)])
    }

    @Test func aValueThatWasCutShort_IsNotRead() {
        let text = ([Self.header()] + Self.cuff(128, 82)).joined(separator: "\r")
        for length in 0..<text.utf8.count {
            var session = Self.session()
            _ = session.handle(.received(Array(text.utf8.prefix(length))))
            for reading in Self.readings(session.handle(.timerFired(.silence))) {
                #expect(reading.bloodPressure == .mmHg(128, 82), "cut after \(length) bytes")
            }
        }
    }

    @Test(arguments: ["comen", "loinc", "mindray", "bare"])
    func theSimulator_GivesItsRecords_AndHearsTheAnswers(_ variant: String) {
        var records = SimulatedRecord.sample(count: 4, seed: 3)
        records[2].failure = .movement
        let script = SimulatorScript(records: records, options: ["variant": variant])
        let talk = Conversation(.hl7ORU, .follow, script: script, closesAfter: .seconds(60))
        let held = [0, 1, 3].map { records[$0] }
        #expect(talk.readings.map { $0.bloodPressure?.systolic } == held.map { .mmHg($0.systolic) })
        #expect(talk.readings.map { $0.bloodPressure?.diastolic } == held.map { .mmHg($0.diastolic) })
        #expect(talk.readings.map { $0.bloodPressure?.mean } == held.map { .mmHg($0.mean) })
        #expect(talk.readings.map { $0.bloodPressure?.pulse } == held.map { variant == "mindray" ? nil : PulseRate($0.pulse) })
        #expect(talk.readings.map(\.clock.time?.wallSeconds) == held.map(\.time.wallSeconds))
        #expect(talk.cuffNotes.count { $0 == "acknowledged" } == (variant == "mindray" ? 0 : 4))
        #expect(talk.writes.count == (variant == "mindray" ? 0 : 4))
        #expect(talk.outcome == .complete)
    }
}
