extension Redaction {
    /// Everything not in `HL7Kept` is blanked: patient (PID), visit (PV1), next of kin, notes, orders, operators, equipment, facilities.
    /// Times of messages, orders and observations are shifted. Lengths and separators stay. There is no check.
    static let hl7ORU = frames(HL7Frame(), blanksGaps: true, takesRest: true) { frame, _, work in
        guard let message = HL7Message(frame) else { return work.blank(&frame, frame.indices, .damaged) }
        let separators = message.separators
        var start = frame.first == HL7Frame.blockStart ? 1 : 0
        while start < frame.count {
            var end = start
            while end < frame.count, ![HL7Frame.carriageReturn, HL7Frame.lineFeed, HL7Frame.blockEnd].contains(frame[end]) { end += 1 }
            redact(&frame, start..<end, separators, &work)
            start = end + 1
        }
    }

    private static func redact(_ frame: inout [UInt8], _ segment: Range<Int>, _ separators: HL7Separators, _ work: inout Work) {
        let name = String(decoding: frame[segment].prefix(3), as: UTF8.self)
        let kept = HL7Kept.named(name)
        var start = segment.lowerBound
        // In MSH, the separator itself is field 1.
        var number = name == "MSH" ? 1 : 0
        while start <= segment.upperBound {
            var end = start
            while end < segment.upperBound, frame[end] != separators.field { end += 1 }
            let field = start..<end
            if number > (name == "MSH" ? 2 : 0), !field.isEmpty {
                redact(&frame, field, number, kept, separators, &work)
            }
            number += 1
            start = end + 1
        }
    }

    private static func redact(
        _ frame: inout [UInt8], _ field: Range<Int>, _ number: Int, _ kept: HL7Kept, _ separators: HL7Separators, _ work: inout Work
    ) {
        if kept.times.contains(number) {
            let digits = frame[field].prefix { $0 &- 0x30 < 10 }.count
            if digits >= 8 {
                let first = field.lowerBound
                work.shiftDigits(&frame, year: first, yearDigits: 4, month: first + 4, day: first + 6)
            }
            // Only a fraction and a zone may follow the time; a second component is unknown.
            let rest = frame[field].firstIndex { $0 == separators.component || $0 == separators.repetition } ?? field.upperBound
            return work.blank(&frame, rest..<field.upperBound, .unknown)
        }
        if kept.fields.contains(number) { return }
        // A short control id is a kind of message (Mindray) or a count; a long one may contain a time or serial number.
        if number == kept.controlID, field.count <= 4 { return }
        // Only a number is kept as a value; text may contain anything.
        if number == kept.value, frame[field].allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x20 || $0 == 0x2D }) { return }
        work.blank(&frame, field, .person)
    }
}

/// The fields of a segment without personal data, as numbered by HL7 2.6.
private struct HL7Kept {
    var fields: Set<Int> = []
    var times: Set<Int> = []
    var controlID: Int?
    /// An observed value, if the segment has one.
    var value: Int?

    static func named(_ segment: String) -> HL7Kept {
        switch segment {
        // Sending application, type, processing, version, sequence, acknowledgements, character set.
        case "MSH": HL7Kept(fields: [3, 9, 11, 12, 13, 15, 16, 17, 18], times: [7], controlID: 10)
        case "MSA": HL7Kept(fields: [1, 4, 5], controlID: 2)
        case "OBR": HL7Kept(fields: [1, 4, 25], times: [6, 7, 8, 14, 22])
        case "OBX": HL7Kept(fields: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12], times: [14, 19], value: 5)
        case "PID", "PV1", "NTE": HL7Kept(fields: [1])
        default: HL7Kept()
        }
    }
}
