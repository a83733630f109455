/// Datascope Accutorr 3 and 4. Serial; one line of values on request. FRAMING ONLY: lines are recognised and counted, and no reading
/// is taken from them, because the order of the pressures is uncertain.
/// Host    `P` values, `C` prompt, `L` limits                                                          documented [1]
/// Answer  `P:` and nine fields with commas between, CR LF: SaO2, pulse, systolic, mean, diastolic, status 0, 1, 2, minutes since
///         the measurement; blanks on the left, `--` no value                                          documented [1]
/// Example `P:--,85,120, 45, 80,000,010,000, 5`                                                        documented [1]
/// The manual's own example contradicts its order: 45 as mean would lie below 80 as diastolic. Only a recorded line
/// beside the display's numbers can show which is wrong.
/// There is no check. The line speed is in no source: 9600 is this program's default, not a fact.
/// [1] Datascope Accutorr 3/4 manual, manualslib.de 1387918, page 131
extension CuffDriver {
    /// The driver `accutorr-3`.
    public static let accutorr3 = CuffDriver(
        id: "accutorr-3",
        models: ["Datascope Accutorr 3", "Datascope Accutorr 4"],
        summary: "framing only: recognises the lines of values, and takes no reading from them",
        grade: .c, testedOn: .documented,
        framing: "P: nine fields, CR LF", check: nil,
        capabilities: [],
        unverified: [
            "the order of systolic, mean and diastolic: the manual's example has a mean below its diastolic", "the line speed",
            "what the three status fields say",
        ],
        notes: [
            "Framing only: no reading is taken until one line was recorded beside what the display showed. A recording with these numbers "
                + "is what is missing; CONTRIBUTING.md says how to send one.",
            "Nothing is sent: another program has to ask (`P`).",
        ],
        sources: ["Datascope Accutorr 3/4 manual (manualslib.de 1387918), page 131"],
        makeSession: { _ in Accutorr3Session() },
        makeSimulator: { _ in AnsweringSimulator.accutorr3 },
        findFrames: { FrameReader.find(Accutorr3Line(), in: $0) },
        redaction: .nothing)
}

struct Accutorr3Line: FrameFormat {
    /// `P:`, nine fields of at most four characters, eight commas, CR LF; some longer ones fit too.
    static let maximumLength = 64
    static let startByte: UInt8? = 0x50
    static let fields = 9
    static let example = Array("P:--,85,120, 45, 80,000,010,000, 5\r\n".utf8)

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x50 else { return .reject(.notAStart) }
        guard let colon = bytes.byte(1) else { return .needMore }
        guard colon == 0x3A else { return .reject(.notAStart) }
        var (commas, width, index) = (0, 0, 2)
        while let byte = bytes.byte(index), index < Self.maximumLength {
            switch byte {
            case 0x2C where width > 0: (commas, width) = (commas + 1, 0)
            case 0x30...0x39, 0x20, 0x2D: width += 1
            case 0x0D where width > 0 && commas == Self.fields - 1:
                guard let last = bytes.byte(index + 1) else { return .needMore }
                return last == 0x0A ? .frame(length: index + 2) : .reject(.badCharacter)
            case 0x0D: return .reject(.badLength)
            default: return .reject(.badCharacter)
            }
            index += 1
        }
        return index < Self.maximumLength ? .needMore : .reject(.tooLong)
    }
}

/// Counts lines; writes and emits nothing.
struct Accutorr3Session: FramedSession {
    var reader = FrameReader(Accutorr3Line())
    var isFinished = false
    var capabilities: Capabilities { [] }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if reader.frames > 0 {
            let lines = "\(reader.frames) line\(reader.frames == 1 ? "" : "s") of values"
            actions.note("\(lines); framing only, no readings")
        }
        finish(.complete, into: &actions)
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {}
}
