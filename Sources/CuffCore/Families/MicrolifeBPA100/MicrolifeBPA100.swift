/// Microlife BPA-100, BP A6 PC, BP3GX1-5X, Aponorm relatives: the whole memory in one answer; patient id; clock.
///
/// Host      `12 16 18 c`     c: 22 cycles, 24 patient id, 26 clock, 27 set clock, 28 slots        observed [1][2][3][4]
/// Answer    `06 text h h`    h: sum of the text mod 256, two upper-case hex digits                verified on two recordings [1]
/// Cycles    text = count (4 hex) `0001` id (24, hex of ASCII, padded with 9), then 32 characters a record; 35 + 32 n bytes
///   record  0 yyMMddHHmm   10 hint of retries or irregularity   12 unknown   16 eight hex digits of a 32-bit word:
///           bits 0-9 systolic, 10-19 diastolic, 20-29 pulse   24 the same copied                                [1][2]
///           a clock that was never set writes 1500000000                                                       [1]
/// Id        33 bytes: 22 hex of the id, `,05.00` (firmware), CR LF                                 recorded [1]
/// Clock     87 bytes: the text begins MMDDYYYYHHMMSS [2]; [3] takes a two-digit year at the same place, which the
///           eight characters behind contradict: years are believed when they begin with 20
/// Slots     `12 16 18 28`, number of user slots and the present one as two hex digits   answer recorded [1]; meaning observed [4]
/// Set clock `12 16 18 27`, a lone `06`, then 40 bytes as hex (MM DD YY YY HH MM SS in BCD, zeros behind) and the sum of
///           the characters, in pieces of at most seven: [2] alone, lower-case sum as it sends it. What the cuff answers
///           to that is unknown, so the clock is read afterwards: guess.
///
/// A record whose two copies of the word differ is not read, and the memory is asked for again. `readMemory` asks for the clock first, once: it shows how
/// far the record times are off; then for the slot: a cuff with more than one keeps the records of its user there. A cuff
/// that answers neither is asked for its records all the same.
///
/// [1] phako/BPM at 9f1e927, Cycle Data Specification.odt, analyze.py   [2] joergmlpts/blood-pressure-monitor at b5248a0,
/// bpm_usb.py   [3] frankyn/BPADataDownloader at 884497c, bpa_protocol.js
/// [4] Quintessential-SFT/HealthHID lib/devices/MicrolifeBPM.ts
extension CuffDriver {
    /// The driver `microlife-bpa100`.
    public static let microlifeBPA100 = CuffDriver(
        id: "microlife-bpa100",
        models: ["Microlife BPA-100", "Microlife BP A6 PC", "Microlife BP3GX1-5X", "Aponorm (Microlife)"],
        summary: "Microlife cuffs with a Cypress serial bridge: whole memory, patient id, clock",
        grade: .a,
        testedOn: .recordedElsewhere("phako/BPM, Cycle Data Specification.odt"),
        claims: [.shared(vendor: 0x04B4, product: 0x5500)],
        line: LineSettings(rate: 19200),
        framing: "06, text of a length that follows from the question, hex sum", check: "hexadecimal sum of the text",
        capabilities: [.storedReadings, .readClock, .setClock, .information], namesSelectedUser: true,
        unverified: [
            "setting the clock (one reader); the answer to it",
            "the hint characters of a record, and the four behind them",
            "that the answer to 28 is the number of slots and the present one (one reader); command 3E",
        ],
        notes: [
            "04b4:5500 is Cypress's own id for its HID-to-serial bridge, so assign the driver; cypress_m8 makes it a ttyUSB.",
            "cypress_m8 refuses more than 4800 bit/s on some parts; the rate does not reach the cuff, so this is harmless.",
            "The patient id is told by `cuff info` and stays in no reading.",
        ],
        sources: [
            "phako/BPM (MIT; recordings)", "joergmlpts/blood-pressure-monitor (MIT)", "frankyn/BPADataDownloader (Apache-2.0)",
            "Quintessential-SFT/HealthHID (MicrolifeBPM.ts)",
        ],
        simulatorOptions: [
            "slots": "number of user slots and the present one, e.g. 21; the records are that user's (11)",
            "clock": "unset: its records carry no time",
        ],
        makeSession: { _ in MicrolifeBPA100Session() },
        makeSimulator: { MicrolifeBPA100Simulator($0) },
        findFrames: { MicrolifeAnswer.find(in: $0) }, repair: MicrolifeAnswer.repaired,
        decodeRecord: { record, _ in MicrolifeBPA100Session.reading(record.span) },
        redaction: .microlifeBPA100)
}

enum MicrolifeCommand: UInt8, Sendable {
    case cycles = 0x22, patientID = 0x24, clock = 0x26, setClock = 0x27, slots = 0x28

    var bytes: [UInt8] { [0x12, 0x16, 0x18, rawValue] }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4, bytes[0] == 0x12, bytes[1] == 0x16, bytes[2] == 0x18 else { return nil }
        self.init(rawValue: bytes[3])
    }
}

/// An answer, judged by the question it follows. Bytes without a question are judged as a memory, the one answer whose
/// length is in it.
struct MicrolifeAnswer: FrameFormat {
    /// Twice the largest memory of these cuffs (200 records).
    static let recordLimit = 400
    static let maximumLength = 35 + 32 * recordLimit
    static let startByte: UInt8? = 0x06
    static let header: StaticString = "0%%%0001"
    static let record: StaticString = "##########"

    var question = MicrolifeCommand.cycles

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x06 else { return .reject(.notAStart) }
        let length: Int
        switch question {
        case .setClock: return .frame(length: 1)
        case .patientID: length = 33
        case .clock: length = 87
        case .slots:
            let head = MicrolifeCommand.slots.bytes
            for (index, byte) in head.enumerated() where bytes.byte(index + 1).map({ $0 != byte }) ?? false {
                return .reject(.badCharacter)
            }
            length = 9
        case .cycles:
            guard bytes.count >= 9 else { return bytes.fit(Self.header, at: 1) == .no ? .reject(.badCharacter) : .needMore }
            guard bytes.fit(Self.header, at: 1) == .whole, let count = bytes.hexDigits(1, 4) else { return .reject(.badCharacter) }
            guard count <= Self.recordLimit else { return .reject(.badLength) }
            // Before thousands of bytes are waited for, and summed, because of eight.
            for index in 9..<min(33, bytes.count) where Hex.value(bytes[index]) == nil { return .reject(.badCharacter) }
            length = 35 + 32 * count
        }
        guard bytes.count >= length else { return .needMore }
        guard bytes.hexDigits(length - 2, 2) == Int(Checksum.sum8(bytes, 1..<(length - 2))),
            bytes.fit("%%", at: length - 2) == .whole
        else { return .reject(.badCheck) }
        return question == .cycles && !areRecords(bytes, length) ? .reject(.badCharacter) : .frame(length: length)
    }

    /// Memories, or else the answers of fixed length that end with the firmware, a line end and the sum.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        let memories = FrameReader.find(MicrolifeAnswer(), in: bytes)
        guard memories.frames == 0 else { return memories }
        for question in [MicrolifeCommand.patientID, .clock] {
            let format = MicrolifeAnswer(question: question)
            let found = FrameReader.find(format, in: bytes) { frame in
                frame[frame.count - 10] == 0x2C && frame[frame.count - 4] == 0x0D && frame[frame.count - 3] == 0x0A
            }
            if found.frames > 0 { return found }
        }
        return memories
    }

    /// The answer with its sum and, in a memory, the second copies of changed words written again.
    @Sendable static func repaired(_ frame: [UInt8], _ original: [UInt8]) -> [UInt8]? {
        guard frame.first == startByte, frame.count > 3, frame.count == original.count else { return nil }
        var repaired = frame
        let end = frame.count - 2
        for start in stride(from: 33, to: (end - 33) % 32 == 0 ? end : 0, by: 32) {
            let word = start + 16..<start + 24
            if frame[word] != original[word] { repaired.replaceSubrange(start + 24..<start + 32, with: frame[word]) }
        }
        repaired.replaceSubrange(end..., with: Hex.upper(Checksum.sum8(repaired.span, 1..<end)))
        return repaired
    }

    /// Digits where the documented characters are digits.
    private func areRecords(_ bytes: Span<UInt8>, _ length: Int) -> Bool {
        for start in stride(from: 33, to: length - 2, by: 32) {
            guard bytes.fit(Self.record, at: start) == .whole, bytes.hexDigits(start + 16, 8) != nil,
                bytes.hexDigits(start + 24, 8) != nil
            else { return false }
        }
        return true
    }
}
