/// GE (Critikon) Dinamap PRO 1000, native binary mode. Serial; a stream of fifty blocks a second. FRAMING ONLY: the blocks
/// are checked and counted, but give no readings, because the meaning of their parameters is not public.
/// Block  18 bytes                                                                        recorded: 1152 blocks [1]
///   0        sequence, 0…199
///   1        bits 1–2 QRS counter, 3–4 breath counter, 5 warning alarm, 6 crisis alarm               observed [1]
///   2…6      four 10-bit samples of one channel, most significant bit first; 7…11 of another         observed [1]
///   12…14    parameter bytes; fifty blocks make a page of 150 with rotating content, including NIBP, undocumented
///   15       CRC-8, polynomial 85 (reflected A1), init 0, over bytes 1…14    recovered by search; holds on all 1152
///   16, 17   complements of 15 and 0
/// The line speed is in no source: 9600 is this program's default, not a fact.
/// [1] Zeriam/dinamap-reader dinamap_data.txt (GPL-2.0)
extension CuffDriver {
    /// The driver `dinamap-native`.
    public static let dinamapNative = CuffDriver(
        id: "dinamap-native",
        models: ["GE Dinamap PRO 1000 (native binary mode)"],
        summary: "framing only: counts blocks and gaps, and takes no reading from them",
        grade: .b,
        testedOn: .recordedElsewhere("Zeriam/dinamap-reader, dinamap_data.txt: 1152 blocks"),
        framing: "18-byte blocks with sequence and complements", check: "CRC-8, polynomial 85, and two complements",
        capabilities: [],
        unverified: ["the parameter bytes, in which the blood pressure is", "the line speed"],
        notes: [
            "Framing only: the content is not public. Use the monitor's ASCII host protocol (dinamap-ascii) for readings.",
            "`cuff capture anonymise` clears the parameter bytes, so an anonymised recording shows the framing and nothing else.",
        ],
        sources: ["Zeriam/dinamap-reader (GPL-2.0), a recording of 1152 blocks"],
        makeSession: { _ in DinamapNativeSession() },
        makeSimulator: { DinamapNativeSimulator($0) },
        findFrames: { FrameReader.find(DinamapNativeFrame(), in: $0) },
        redaction: .dinamapNative)
}

struct DinamapNativeFrame: FrameFormat {
    static let maximumLength = 18
    /// Sequence numbers are 0 to one less.
    static let sequences: UInt8 = 200

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] < Self.sequences else { return .reject(.notAStart) }
        guard bytes.count >= Self.maximumLength else { return .needMore }
        guard bytes[17] == ~bytes[0] else { return .reject(.notAStart) }
        guard bytes[16] == ~bytes[15], bytes[15] == Checksum.crc8Dinamap(bytes, 1..<15) else { return .reject(.badCheck) }
        return .frame(length: Self.maximumLength)
    }

    static func encode(sequence: UInt8, _ content: [UInt8]) -> [UInt8] {
        let check = Checksum.crc8Dinamap(content.span, 0..<content.count)
        return [sequence] + content + [check, ~check, ~sequence]
    }
}

struct DinamapNativeSession: FramedSession {
    var reader = FrameReader(DinamapNativeFrame())
    var isFinished = false
    var capabilities: Capabilities { [] }
    private var last: UInt8?
    private(set) var gaps = 0
    private(set) var missing = 0

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if reader.frames > 0 {
            let lost = "\(gaps) gaps (\(missing) blocks missing, counted modulo 200)"
            actions.note("\(reader.frames) blocks, \(lost); framing only, no readings")
        }
        finish(.complete, into: &actions)
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let sequence = reader.buffer.span[range.lowerBound]
        defer { last = sequence }
        let count = Int(DinamapNativeFrame.sequences)
        guard let last, case let step = (Int(sequence) - Int(last) + count) % count, step != 1 else { return }
        let lost = (step + count - 1) % count
        gaps += 1
        missing += lost
        actions.note("\(lost) blocks are missing between \(last) and \(sequence)")
    }
}
