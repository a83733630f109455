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
        var isNumeric = false
        while start <= segment.upperBound {
            var end = start
            while end < segment.upperBound, frame[end] != separators.field { end += 1 }
            let field = start..<end
            if number > (name == "MSH" ? 2 : 0), !field.isEmpty {
                if number == 2 { isNumeric = frame[field].elementsEqual("NM".utf8) }
                redact(&frame, field, number, kept, isNumeric: isNumeric, separators, &work)
            }
            number += 1
            start = end + 1
        }
    }

    private static func redact(
        _ frame: inout [UInt8], _ field: Range<Int>, _ number: Int, _ kept: HL7Kept, isNumeric: Bool, _ separators: HL7Separators,
        _ work: inout Work
    ) {
        let end = frame[field].firstIndex { $0 == separators.component || $0 == separators.repetition } ?? field.upperBound
        if kept.times.contains(number) {
            let first = field.lowerBound
            let isTime = frame[field].prefix { $0 &- 0x30 < 10 }.count >= 8
            if isTime { work.shiftDigits(&frame, year: first, yearDigits: 4, month: first + 4, day: first + 6) }
            // Only a fraction and a zone may follow the time; a second component is unknown.
            return work.blank(&frame, (isTime ? end : first)..<field.upperBound, .unknown)
        }
        if kept.fields.contains(number) { return }
        func isNumber(with others: String) -> Bool { frame[field].allSatisfy { $0 &- 0x30 < 10 || others.utf8.contains($0) } }
        if number == 1, kept.isNumbered, field.count <= 4, isNumber(with: "") { return }
        // The name of an application; its number behind it is that of a device.
        if number == kept.application { return work.blank(&frame, end..<field.upperBound, .device) }
        // A short control id is a kind of message (Mindray) or a count; a long one may contain a time or serial number.
        if number == kept.controlID, field.count <= 4 { return }
        if number == kept.subID, isNumber(with: ".^&") { return }
        // Only a numeric value is kept: a date of birth and a patient's number are digits too.
        if number == kept.value, isNumeric, isNumber(with: " -.") { return }
        work.blank(&frame, field, .person)
    }
}

/// The fields of a segment without personal data, as numbered by HL7 2.6.
private struct HL7Kept {
    /// Field 1 counts the segments.
    var isNumbered = false
    var fields: Set<Int> = []
    var times: Set<Int> = []
    var application: Int?
    var controlID: Int?
    /// An observed value, if the segment has one.
    var value: Int?
    /// Numbers in groups; text may name a device.
    var subID: Int?

    static func named(_ segment: String) -> HL7Kept {
        switch segment {
        // Sending application, type, processing, version, sequence, acknowledgements, character set.
        case "MSH": HL7Kept(fields: [9, 11, 12, 13, 15, 16, 17, 18], times: [7], application: 3, controlID: 10)
        case "MSA": HL7Kept(fields: [1, 4, 5], controlID: 2)
        case "OBR": HL7Kept(isNumbered: true, fields: [4, 25], times: [6, 7, 8, 14, 22])
        case "OBX": HL7Kept(isNumbered: true, fields: [2, 3, 6, 7, 8, 9, 10, 11], times: [12, 14, 19], value: 5, subID: 4)
        case "PID", "PV1", "NTE": HL7Kept(isNumbered: true)
        default: HL7Kept()
        }
    }
}
