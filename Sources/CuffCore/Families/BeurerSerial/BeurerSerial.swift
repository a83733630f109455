/// Beurer BM58 and BM65, the older ones with a serial bridge inside (Andon KD-001 class): the stored readings of one user.
/// Host      Cuff                                             all: documented by four readers, [1]…[4]
/// `AA`      `55`                                             every ≈2 s until it answers
/// `A4`      32 bytes of text                                 the model
/// `A2`      1 byte                                           number of records
/// `A3 n`    9 bytes, or `A9` if there is no such record      n from 1
/// Record    `AC s d p M D h m Y`                             s = systolic - 25, d = diastolic - 25, p pulse, Y = year - 2000
/// The HID model has flags in the top bits of month, day and year. The serial readers decode none,
/// so month has 4 bits, day 5, year 7, and the rest is ignored: guess.
/// Answers have no framing and no check: the length follows from the *sent* request. A lost byte
/// is recovered only by a time-out and a new `AA`; an impossible record (date, or systolic below
/// diastolic) is requested again, and accepted if it comes twice. Unsolicited bytes are skipped.
/// A doubled byte shifts the rest of an answer, and one byte remains: so an answer counts only when the next
/// one begins as it must, or silence follows the last; otherwise its question is asked again.
/// [1] DaveDavenport/BPM   [2] McKael/gobm65   [3] curzon01/bm58   [4] atbrask/BM65DataDownloader
extension CuffDriver {
    /// The driver `beurer-serial`.
    public static let beurerSerial = CuffDriver(
        id: "beurer-serial",
        models: ["Beurer BM58 (PL2303)", "Beurer BM65 (PL2303)", "Andon KD-001 class"],
        summary: "Beurer BM58, BM65 with a serial bridge: stored readings of the user shown on the cuff",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x067B, product: 0x2303)],
        line: LineSettings(rate: 4800),
        framing: "none: the length of an answer follows from the question", check: nil,
        capabilities: [.storedReadings, .information],
        unverified: [
            "what the top bits of month, day and year mean (flags on the HID relative)",
            "the content of the 32 bytes of description",
        ],
        notes: [
            "The user is chosen on the cuff; the records do not say whose they are.",
            "Bytes of the cuff alone say nothing: a recording needs both sides.",
        ],
        preparation: "connect it, switch it on, choose the user, and press MEM until the display shows PC mode",
        sources: [
            "DaveDavenport/BPM, McKael/gobm65, curzon01/bm58, atbrask/BM65DataDownloader (four readers that agree)",
            "beep-projects/bpconnect (its serial path is untested)",
        ],
        options: ["verify": "yes: ask for every record twice and believe equal answers only"],
        simulatorOptions: ["asleep": "questions it sleeps through before it answers (0)"],
        makeSession: { BeurerSerialSession($0) },
        makeSimulator: { BeurerSerialSimulator($0) },
        decodeRecord: { record, _ in BeurerSerialSession.reading(record.span) },
        redaction: .beurerSerial)
}

enum BeurerSerialQuestion: Equatable, Sendable {
    case wake, describe, count
    case record(UInt8)

    init?(_ bytes: [UInt8]) {
        switch bytes {
        case [0xAA]: self = .wake
        case [0xA4]: self = .describe
        case [0xA2]: self = .count
        default:
            guard bytes.count == 2, bytes[0] == 0xA3 else { return nil }
            self = .record(bytes[1])
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .wake: [0xAA]
        case .describe: [0xA4]
        case .count: [0xA2]
        case .record(let number): [0xA3, number]
        }
    }

    func length(first: UInt8) -> Int? {
        switch self {
        case .wake: first == 0x55 ? 1 : nil
        case .describe: 32
        case .count: 1
        case .record: first == 0xAC ? 9 : first == 0xA9 ? 1 : nil
        }
    }
}
