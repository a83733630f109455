extension Redaction {
    /// The patient's id in the memory and in the answer to the question for it; the dates of records, of the clock and of a time that is
    /// set. What no source explains is overwritten. Sums again.
    static let microlifeBPA100 = Redaction { items, side, work in
        // The high four bits of an answer's report are set, which no character of the serial line has.
        let areReports = items.allSatisfy { $0.count == CountedReports.size && (side == .toCuff || $0[0] >= 0xF0) }
        let payload: Payload = { areReports ? CountedReports(.lowNibble).payload(of: $0)?.indices : $0.indices }
        (side == .fromCuff ? microlifeAnswers(payload) : microlifeQuestions(payload)).rewrite(&items, side, &work)
        // Behind the valid bytes of a report is a part of the one before it.
        for index in items.indices where areReports {
            for stale in (payload(items[index])?.upperBound ?? 0)..<items[index].count { items[index][stale] = 0 }
        }
    }

    private typealias Payload = @Sendable ([UInt8]) -> Range<Int>?

    private static func microlifeAnswers(_ payload: @escaping Payload) -> Redaction {
        frames(AnyMicrolifeAnswer(), blanksGaps: true, payload: payload, redactAnswer)
    }

    private static func redactAnswer(_ frame: inout [UInt8], _ side: Side, _ work: inout Work) {
        let end = frame.count - 2
        switch frame.count {
        case 9: return
        case 33: work.blank(&frame, 1..<23, .person)
        case 87:
            work.shiftDigits(&frame, year: 5, yearDigits: 4, month: 1, day: 3)
            work.blank(&frame, 15..<end, .unknown)
        default:
            work.blank(&frame, 9..<33, .person)
            for start in stride(from: 33, to: end, by: 32) {
                work.shiftDigits(&frame, year: start, month: start + 2, day: start + 4)
                work.blank(&frame, (start + 12)..<(start + 16), .unknown)
            }
        }
        frame.replaceSubrange(end..., with: Hex.upper(Checksum.sum8(frame.span, 1..<end)))
    }

    /// `12 16 18 27`, and behind it 80 characters that begin MMDDYYYY, with their sum in two lower-case digits.
    private static func microlifeQuestions(_ payload: @escaping Payload) -> Redaction { stream(payload: payload, redactQuestions) }

    private static func redactQuestions(_ bytes: inout [UInt8], _ side: Side, _ work: inout Work) {
        for start in bytes.indices where MicrolifeCommand(Array(bytes[start...].prefix(4))) == .setClock {
            let (text, end) = (start + 4, start + 84)
            guard end + 2 <= bytes.count else { continue }
            work.shiftDigits(&bytes, year: text + 4, yearDigits: 4, month: text, day: text + 2)
            let sum = Hex.upper(Checksum.sum8(bytes.span, text..<end)).map { $0 >= 0x41 ? $0 + 0x20 : $0 }
            bytes.replaceSubrange(end..<(end + 2), with: sum)
        }
    }
}

/// An answer to any question, for a stream of which the questions are not known: the one whose length and sum fit.
private struct AnyMicrolifeAnswer: FrameFormat {
    static let maximumLength = MicrolifeAnswer.maximumLength
    static let startByte: UInt8? = MicrolifeAnswer.startByte

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        var isIncomplete = false
        for question in [MicrolifeCommand.cycles, .patientID, .clock, .slots] {
            switch MicrolifeAnswer(question: question).verdict(on: bytes) {
            case .frame(let length): return .frame(length: length)
            case .needMore: isIncomplete = true
            case .reject: break
            }
        }
        return isIncomplete ? .needMore : .reject(.badCheck)
    }
}
