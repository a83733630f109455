/// The separators of a message, from its MSH.
struct HL7Separators: Sendable, Hashable {
    var field: UInt8
    /// MSH-2 as sent.
    var encoding: [UInt8]

    var component: UInt8? { encoding.first }
    var repetition: UInt8? { encoding.count > 1 ? encoding[1] : nil }
    var escape: UInt8? { encoding.count > 2 ? encoding[2] : nil }
    var subcomponent: UInt8? { encoding.count > 3 ? encoding[3] : nil }

    /// `field` with its escape sequences replaced. Unknown ones (fonts, character sets) are dropped, as HL7 requires.
    func text(_ field: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(field)
        guard let escape, bytes.contains(escape) else { return bytes }
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == escape, let end = bytes[(index + 1)...].firstIndex(of: escape) else {
                text.append(bytes[index])
                index += 1
                continue
            }
            text += replacement(bytes[(index + 1)..<end])
            index = end + 1
        }
        return text
    }

    private func replacement(_ sequence: ArraySlice<UInt8>) -> [UInt8] {
        guard let letter = sequence.first else { return [] }
        if letter == 0x58 { return Hex.bytes(String(decoding: sequence.dropFirst(), as: UTF8.self)) ?? [] }
        guard sequence.count == 1 else { return [] }
        let character: UInt8? =
            switch letter {
            case 0x46: field
            case 0x53: component
            case 0x54: subcomponent
            case 0x52: repetition
            case 0x45: escape
            default: nil
            }
        return character.map { [$0] } ?? []
    }

    /// The components of a field, unescaped; `""`, which means no value, is empty.
    func components(_ field: ArraySlice<UInt8>) -> [[UInt8]] {
        guard let component else { return [Self.value(text(field))] }
        return field.split(separator: component, omittingEmptySubsequences: false).map { Self.value(text($0)) }
    }

    private static func value(_ text: [UInt8]) -> [UInt8] { text == [0x22, 0x22] ? [] : text }
}

struct HL7Segment: Sendable {
    var bytes: ArraySlice<UInt8>
    private var fields: [ArraySlice<UInt8>]

    init(_ bytes: ArraySlice<UInt8>, _ separators: HL7Separators) {
        self.bytes = bytes
        fields = bytes.split(separator: separators.field, omittingEmptySubsequences: false)
    }

    func isNamed(_ name: StaticString) -> Bool {
        guard let first = fields.first else { return false }
        return first.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// Field `number` as in HL7 (in MSH, the separator is field 1); empty if missing.
    func field(_ number: Int) -> ArraySlice<UInt8> {
        let index = isNamed("MSH") ? number - 1 : number
        return fields.indices.contains(index) ? fields[index] : []
    }

    var count: Int { fields.count - 1 }
}

struct HL7Message: Sendable {
    enum Kind: Sendable { case observations, acknowledgement, other }

    /// 199 characters are the longest control id of any version (2.7); it is sent back.
    static let longestControlID = 199

    let separators: HL7Separators
    let segments: [HL7Segment]
    let header: HL7Segment
    /// The sender framed it as an MLLP block, so that its end is known.
    let isBlock: Bool

    /// Splits a whole frame, or a bare message ended by silence; `nil` if its header is invalid.
    init?(_ frame: [UInt8]) {
        isBlock = frame.first == HL7Frame.blockStart
        var text = frame[(isBlock ? 1 : 0)...]
        if let end = text.lastIndex(of: HL7Frame.blockEnd) { text = text[..<end] }
        guard HL7Frame.header(frame.span, at: text.startIndex) == .whole else { return nil }
        let field = frame[text.startIndex + 3]
        let encoding = text.dropFirst(4).prefix { $0 != field }
        let separators = HL7Separators(field: field, encoding: Array(encoding))
        self.separators = separators
        var parts = text.split { $0 == HL7Frame.carriageReturn || $0 == HL7Frame.lineFeed }
        // In a last segment without an end, value and unit are whole only if something follows them.
        let isOpen = !isBlock && text.last.map { $0 != HL7Frame.carriageReturn && $0 != HL7Frame.lineFeed } == true
        if isOpen, parts.count > 1, let last = parts.last, HL7Segment(last, separators).count < 7 { parts.removeLast() }
        segments = parts.map { HL7Segment($0, separators) }
        guard let first = segments.first, first.isNamed("MSH") else { return nil }
        header = first
    }

    static func isComplete(_ frame: [UInt8]) -> Bool {
        guard frame.first == HL7Frame.blockStart else { return true }
        return frame.suffix(2).contains(HL7Frame.blockEnd)
    }

    var type: [[UInt8]] { separators.components(header.field(9)) }
    /// MSH-10 as sent, with its escapes.
    var controlID: ArraySlice<UInt8> { header.field(10) }
    var version: ArraySlice<UInt8> { header.field(12).prefix { $0 != separators.component } }

    var kind: Kind {
        let type = type
        if type.first == Array("ACK".utf8) { return .acknowledgement }
        guard type.count >= 2, type[0] == Array("ORU".utf8), type[1] == Array("R01".utf8) else { return .other }
        // Two messages in one block: the values' times are ambiguous.
        return segments.dropFirst().contains { $0.isNamed("MSH") } ? .other : .observations
    }

    /// Longer texts are not patient numbers.
    private static let longestPatientNumber = 64

    /// The patient's number in the record bytes of a reading: the first of PID-3, else of PID-2, never a name.
    static func patient(ofRecord record: [UInt8]) -> String? {
        let lines = record.split(separator: HL7Frame.carriageReturn)
        guard let head = lines.first, head.count > 4, head.starts(with: "MSH".utf8) else { return nil }
        let separators = HL7Separators(field: head[head.startIndex + 3], encoding: Array(head.dropFirst(4)))
        guard let segment = lines.dropFirst().map({ HL7Segment($0, separators) }).first(where: { $0.isNamed("PID") }) else { return nil }
        for number in [3, 2] {
            let first = segment.field(number).prefix { $0 != separators.repetition }
            let text = separators.components(first).first.map { DeviceIdentity.text($0.prefix(longestPatientNumber)) } ?? ""
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Whether the sender wants no answer (MSH-15 and MSH-16 of the enhanced mode: NE, never).
    var wantsNoAnswer: Bool { [15, 16].allSatisfy { header.field($0).elementsEqual("NE".utf8) } }

    /// A message of Mindray's Patient Data Share: its control id is a kind, and its codes are short numbers without a system.
    var isMindray: Bool {
        guard version.elementsEqual("2.3.1".utf8), ["106", "204", "503"].contains(where: { controlID.elementsEqual($0.utf8) })
        else { return false }
        let codes = segments.filter { $0.isNamed("OBX") }.map { separators.components($0.field(3)) }
        // Without codes, a running number may coincide with one of the kinds.
        guard !codes.isEmpty else { return header.field(7).isEmpty }
        return codes.allSatisfy { code in
            let number = code.first ?? []
            return (1...4).contains(number.count) && number.allSatisfy { $0 &- 0x30 < 10 } && (code.count < 3 || code[2].isEmpty)
        }
    }
}

enum HL7Field {
    /// `YYYYMMDDHHMM[SS[.S…]][+ZZZZ]`; `nil` for other text, including a date alone. The calendar is not checked.
    static func time(_ text: [UInt8]) -> DeviceTime? {
        let digits = text.prefix { $0 &- 0x30 < 10 }
        guard digits.count == 12 || digits.count == 14 else { return nil }
        let span = text.span
        guard let year = span.digits(0, 4), let month = span.digits(4, 2), let day = span.digits(6, 2),
            let hour = span.digits(8, 2), let minute = span.digits(10, 2)
        else { return nil }
        let second = digits.count == 14 ? span.digits(12, 2) : nil
        var rest = text[digits.count...]
        var hundredths: Int?
        if rest.first == 0x2E {
            let fraction = rest.dropFirst().prefix { $0 &- 0x30 < 10 }
            guard second != nil, (1...4).contains(fraction.count) else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
            // One digit is tenths, which are not kept.
            if fraction.count >= 2 { hundredths = Array(fraction).span.digits(0, 2) }
        }
        var utcOffset: Int?
        if !rest.isEmpty {
            guard let minutes = zone(rest) else { return nil }
            utcOffset = minutes
        }
        return DeviceTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, hundredths: hundredths,
            utcOffset: utcOffset)
    }

    /// `+ZZZZ` in minutes east of UTC. Zones reach from -12:00 to +14:00.
    private static func zone(_ text: ArraySlice<UInt8>) -> Int? {
        let digits = Array(text.dropFirst())
        guard let sign = text.first, sign == 0x2B || sign == 0x2D, digits.count == 4, let hours = digits.span.digits(0, 2),
            let minutes = digits.span.digits(2, 2), hours <= 14, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (sign == 0x2D ? -1 : 1)
    }

    enum Number: Sendable, Hashable {
        case value(Digits)
        case absent(Absence)
        /// Not a number that a monitor sends: text, a sign, a range.
        case unreadable
    }

    /// Digits before and after the point; longer numbers are not pressures in any unit.
    private static let longestNumber = 7

    static func number(_ text: [UInt8]) -> Number {
        let blanks: (UInt8) -> Bool = { $0 == 0x20 }
        let trimmed = Array(text.drop(while: blanks).reversed().drop(while: blanks).reversed())
        if trimmed.isEmpty { return .absent(.notMeasured) }
        let parts = trimmed.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        let places = parts.count > 1 ? parts[1] : []
        guard parts.count == 1 || !places.isEmpty, parts[0].count + places.count <= longestNumber,
            let mantissa = (parts[0] + places).span.digits(0, parts[0].count + places.count), !parts[0].isEmpty
        else { return .unreadable }
        let special = places.isEmpty ? Absence(float: UInt32(mantissa)) : .none
        if special != .none { return .absent(special) }
        if mantissa == 0 { return .absent(.notMeasured) }
        return .value(Digits(mantissa: Int64(mantissa), exponent: Int8(-places.count)))
    }
}
