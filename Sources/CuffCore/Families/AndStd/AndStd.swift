/// A&D STD format: TM-2655P, TM-2657P; InBody BPBIO320, BPBIO750. Serial; results on request and unasked.
/// Host frame    `16 16 01 a1 a2 02 c1 c2 03 BCC`     SYN SYN SOH, address "00", STX, command, ETX           documented [1]
/// Acknowledge   `16 16 01 a1 a2 06`                  first six bytes end in ACK (06) or NAK (15), no BCC    observed [2]
/// Result        `16 16 01 a1 a2 02 text 03 BCC`      64 bytes in all                                        observed [1][3]
///   text = model(6) RS YYMMDDhhmm RS `RB` RS mode RS Exx RS Ssss RS Mmmm RS Dddd RS Pppp RS Inn RS Lnnn RS
///   S systolic, M mean, D diastolic, P pulse: three characters, blanks on the left; I inflation code, L largest amplitude
/// InBody        the same offsets, but unused fields *and the RS inside them* are overwritten with `0`; M000 = absent [3]
/// TM-2657P      newer text adds tagged fields i (irregular beats), m (moved), r (re-measurements), t (seconds)  [4];
///               what it pushes is called RA instead of RB, has 138 bytes and p, c, l, d, h, s, w, f, e, b too    recorded [5]
/// Pulse table   head RS `RP` RS `N` nn RS, then nn times `ppp,aaa` RS: cuff pressure and amplitude           observed [1]
/// BCC           xor of SOH…ETX; verified on one recorded 64-byte answer [1]
/// Published readers send `RP` and `ST` with a BCC that contradicts the rule and are understood, so a cuff may not check
/// commands; ours are computed. One reader zero-pads writes to 16 bytes; ours does not (guess: no cuff needs it).
/// [1] BaobabHealthTrust/vitals_kiosk, lib/tm2655.rb   [2] public Kotlin classes (package ru.viscur.dh.apps.paramedicdevice)
/// whose origin is not established   [3] cof9300/flutter-mtad-v1_test, measurement_listener.dart and inbody_parser.dart; a
/// public Python BLE reader of a BPBIO320 whose origin is not established   [4] a public Python reader of a TM-2657 whose
/// origin is not established   [5] another such reader, with one pushed frame and a correct BCC
extension CuffDriver {
    /// The driver `and-std`.
    public static let andStd = CuffDriver(
        id: "and-std",
        models: ["A&D TM-2655P", "A&D TM-2657P", "InBody BPBIO320", "InBody BPBIO750"],
        summary: "A&D STD format: last result on request, and unasked after a measurement",
        grade: .a,
        testedOn: .recordedElsewhere("BaobabHealthTrust/vitals_kiosk, lib/tm2655.rb: one logged answer of a TM-2655P"),
        claims: [.shared(vendor: 0x0403, product: 0x6001), .shared(vendor: 0x067B, product: 0x2303)],
        line: LineSettings(rate: 9600),
        otherLines: [LineSettings(rate: 2400)],
        framing: "SYN SYN SOH … STX text ETX BCC", check: "xor of SOH…ETX",
        capabilities: [.storedReadings, .push, .measure, .stop],
        unverified: [
            "the inflation code (I) and the amplitude's unit (L)",
            "RP, RC and RE on models other than those their readers name",
        ],
        notes: [
            "Factory speed is 2400 in two sources and 9600 in two; it is a menu setting, so set --line if nothing comes.",
            "Only the last result is stored. `--option variant=inbody` starts with RC instead of ST.",
            "`--option pulse-table=yes` also asks for the oscillations of the last measurement (RP).",
        ],
        sources: [
            "BaobabHealthTrust/vitals_kiosk, lib/tm2655.rb",
            "public Kotlin readers of a TM-2655P (package ru.viscur.dh.apps.paramedicdevice) whose origin is not established",
            "BaobabHealthTrust/app_vitals vitalsserver.c",
            "cof9300/flutter-mtad-v1_test: measurement_listener.dart, inbody_parser.dart, inbody_health_check.dart",
            "a public Python BLE reader of a BPBIO320 whose origin is not established, with one recorded answer",
            "two public Python readers of a TM-2657 whose origin is not established, one with a recorded push",
        ],
        options: [
            "variant": "inbody: start a measurement with RC",
            "address": "two characters instead of 00",
            "pulse-table": "yes: fetch the oscillations after the result",
        ],
        startCommands: [[0x02, 0x53, 0x54, 0x03], [0x02, 0x52, 0x43, 0x03]],
        makeSession: { AndStdSession($0) },
        makeSimulator: { AndStdSimulator($0) },
        findFrames: { FrameReader.find(AndStdFrame(), in: $0) },
        redaction: .andStd)
}

enum AndStdCommand: String {
    case start = "ST", startInBody = "RC", stop = "SP", result = "RB", pulseTable = "RP", check = "RE"
}

struct AndStdFrame: FrameFormat {
    /// The longest documented text is a pulse table of 99 pairs: 24 + 7 + 99 × 8 + 3.
    static let maximumLength = 1024
    static let startByte: UInt8? = 0x16
    static let syn: UInt8 = 0x16
    static let soh: UInt8 = 0x01
    static let stx: UInt8 = 0x02
    static let etx: UInt8 = 0x03
    static let ack: UInt8 = 0x06
    static let nak: UInt8 = 0x15
    static let rs: UInt8 = 0x1E

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == Self.syn else { return .reject(.notAStart) }
        // The usual length: with its check, the exclusive or of the whole frame is zero.
        if let text = bytes.textOf64(6..<62, allowing: Self.rs), text.isText, text.xor == 0, bytes[1] == Self.syn,
            bytes[2] == Self.soh, bytes[5] == Self.stx, bytes[62] == Self.etx
        {
            return .frame(length: 64)
        }
        guard bytes.count >= 6 else {
            if bytes.count > 1 && bytes[1] != Self.syn || bytes.count > 2 && bytes[2] != Self.soh {
                return .reject(.notAStart)
            }
            return .needMore
        }
        guard bytes[1] == Self.syn, bytes[2] == Self.soh else { return .reject(.notAStart) }
        if bytes[5] == Self.ack || bytes[5] == Self.nak { return .frame(length: 6) }
        guard bytes[5] == Self.stx else { return .reject(.notAStart) }
        let limit = min(bytes.count, Self.maximumLength - 1)
        let text = bytes.textRun(6..<limit, allowing: Self.rs)
        guard text.end < limit else { return limit < bytes.count ? .reject(.tooLong) : .needMore }
        guard bytes[text.end] == Self.etx else { return .reject(.badCharacter) }
        guard let check = bytes.byte(text.end + 1) else { return .needMore }
        let computed = Self.soh ^ bytes[3] ^ bytes[4] ^ Self.stx ^ text.xor ^ Self.etx
        return check == computed ? .frame(length: text.end + 2) : .reject(.badCheck)
    }

    static func encode(_ command: AndStdCommand, address: [UInt8]) -> [UInt8] {
        text(Array(command.rawValue.utf8), address: address)
    }

    static func text(_ text: [UInt8], address: [UInt8]) -> [UInt8] {
        let body = [soh] + address + [stx] + text + [etx]
        return [syn, syn] + body + [body.xor8]
    }
}

struct AndStdSession: FramedSession, MeasuringSession {
    private enum Mode { case listening, reading, measuring, tabulating }

    var reader = FrameReader(AndStdFrame())
    var requests = Requests<AndStdCommand>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.andStd.capabilities }
    var hearsCommits: Bool { false }
    var isListening: Bool { mode == .listening }
    var stopCommand: [UInt8] { AndStdFrame.encode(.stop, address: address) }
    private var mode = Mode.listening
    private var origin = Reading.Origin.push
    /// The six letters of the last result, to detect another cuff on the line.
    private var model: UInt64?
    private let address: [UInt8]
    private let startCommand: AndStdCommand
    private let wantsPulseTable: Bool

    init(_ context: SessionContext) {
        let address = Array((context.options["address"] ?? "00").utf8)
        self.address = address.count == 2 ? address : [0x30, 0x30]
        startCommand = context.options["variant"] == "inbody" ? .startInBody : .start
        wantsPulseTable = context.options["pulse-table"] == "yes"
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory:
            mode = .reading
            ask(.result, attempts: 3, into: &actions)
        case .measure:
            mode = .measuring
            ask(startCommand, attempts: 1, into: &actions)
        case .stop:
            // No answer to a stop is documented.
            actions.append(.write(stopCommand))
            actions.append(.live(.aborted))
            finish(.complete, into: &actions)
        default: break
        }
    }

    private mutating func ask(_ command: AndStdCommand, attempts: Int, into actions: inout SessionActions) {
        let bytes = AndStdFrame.encode(command, address: address)
        ask(Request(command, bytes, within: .seconds(3), attempts: attempts), into: &actions)
    }

    /// A requested result comes from memory; one after a start, here an acknowledged one, is a measurement's; others were pushed.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.count >= 8, bytes[5] == AndStdFrame.stx else { return }
        let question = bytes.span
        if question.matches("RB", at: 6) {
            origin = .memory
        } else if mode != .measuring, question.matches("ST", at: 6) || question.matches("RC", at: 6) {
            origin = .measurement
        }
    }

    mutating func unanswered(_ question: AndStdCommand, into actions: inout SessionActions) {
        switch question {
        // The reading was emitted; the table is an extra that not every model has.
        case .pulseTable: finish(.complete, into: &actions)
        case .result: finish(.noAnswer("the cuff did not answer RB"), into: &actions)
        default: giveUp("the cuff did not acknowledge the start", into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        if timer == .overall { giveUp("the cuff gave no result within four minutes of its start", into: &actions) }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        if range.count == 6 {
            acknowledged(reader.buffer[range.upperBound - 1], into: &actions)
        } else if AndStdResult.isFixed(reader.buffer.span.extracting(range)) {
            identify(range, into: &actions)
            actions.emit(AndStdResult.reading(reader.buffer.span.extracting(range), origin: origin))
            resultArrived(into: &actions)
        } else if let reading = AndStdResult.taggedReading(reader.buffer.span.extracting(range), origin: origin) {
            identify(range, into: &actions)
            actions.emit(reading)
            resultArrived(into: &actions)
        } else {
            receive(other: bytes(of: range), into: &actions)
        }
    }

    private mutating func acknowledged(_ byte: UInt8, into actions: inout SessionActions) {
        guard mode == .measuring else { return }
        if byte == AndStdFrame.ack {
            requests.end(into: &actions)
            origin = .measurement
            // Longer than E24, the cuff's own limit, which its sources do not quantify: guess.
            actions.arm(.overall, .seconds(240))
            actions.append(.live(.started))
        } else {
            actions.append(.live(.failed(.init(.unknown, code: "NAK"))))
            finish(.failed("the cuff refused to start (NAK)"), into: &actions)
        }
    }

    @inline(__always)
    private mutating func resultArrived(into actions: inout SessionActions) {
        origin = .push
        // Before the start is acknowledged, a result is one that the cuff sends unasked: an earlier measurement's.
        if mode == .reading || mode == .measuring && !requests.isAwaiting { resultWasAwaited(into: &actions) }
    }

    private mutating func resultWasAwaited(into actions: inout SessionActions) {
        if mode == .measuring { actions.append(.live(.ended)) }
        actions.disarm(.overall)
        if wantsPulseTable {
            mode = .tabulating
            ask(.pulseTable, attempts: 1, into: &actions)
        } else {
            finish(.complete, into: &actions)
        }
    }

    @inline(__always)
    private mutating func identify(_ range: Range<Int>, into actions: inout SessionActions) {
        let letters = reader.buffer.span.extracting(range).littleEndian64(6).map { $0 & 0xFFFF_FFFF_FFFF }
        if letters != model { identify(letters, range, into: &actions) }
    }

    private mutating func identify(_ letters: UInt64?, _ range: Range<Int>, into actions: inout SessionActions) {
        model = letters
        let name = reader.buffer.span.extracting(range).part(6, 6)
        // InBody writes zeros for the model.
        guard name.contains(where: { $0 != 0x30 }) else { return }
        actions.append(.identify(DeviceIdentity(manufacturer: "A&D", model: DeviceIdentity.text(name))))
    }

    private mutating func receive(other frame: [UInt8], into actions: inout SessionActions) {
        let text = frame[6..<(frame.count - 2)]
        let fields = text.split(separator: AndStdFrame.rs, omittingEmptySubsequences: false).map(Array.init)
        if let start = fields.firstIndex(of: Array("RP".utf8)), start + 1 < fields.count {
            var unread = 0
            for pair in fields.dropFirst(start + 2) where !pair.isEmpty {
                let parts = pair.split(separator: 0x2C).map(Array.init)
                guard parts.count == 2, let pressure = Self.number(parts[0]), let amplitude = Self.number(parts[1])
                else {
                    unread += 1
                    continue
                }
                actions.append(.live(.oscillation(.mmHg(pressure), amplitude: UInt16(clamping: amplitude))))
            }
            if unread > 0 { actions.ignore("pairs of a pulse table that cannot be read", frame) }
            if mode == .tabulating { finish(.complete, into: &actions) }
        } else if AndStdCommand(rawValue: String(decoding: text, as: UTF8.self)) == nil {
            actions.ignore("a frame of no known kind", frame)
        }
    }

    private static func number(_ text: [UInt8]) -> Int? { text.span.paddedDigits(0, text.count) }
}
