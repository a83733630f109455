/// An APDU's fields as lines: offset, bytes, indented name and value.
///     0008  0101          message: roiv confirmed event report
struct PHDTree {
    private(set) var lines: [String] = []
    private var depth = 0
    /// More lines than the largest sensible APDU has; limits the output of a hostile one.
    static let ceiling = 4000

    mutating func field(_ bytes: Span<UInt8>, _ offset: Int, _ length: Int, _ name: String, _ value: String = "") {
        guard lines.count < Self.ceiling else { return }
        if lines.count == Self.ceiling - 1 { return lines.append("…") }
        let shown = bytes.part(offset, min(length, 8))
        var hex = Hex.text(shown, separator: "") + (length > 8 ? "…" : "")
        while hex.count < 18 { hex += " " }
        let place = Hex.text([UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset)], separator: "")
        lines.append("\(place)  \(hex)  \(String(repeating: "  ", count: depth))\(name)\(value.isEmpty ? "" : ": \(value)")")
    }

    mutating func note(_ text: String) {
        guard lines.count < Self.ceiling else { return }
        lines.append("                          \(String(repeating: "  ", count: depth))\(text)")
    }

    mutating func nested(_ body: (inout PHDTree) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    mutating func malformed(_ bytes: Span<UInt8>, _ offset: Int, _ what: String) {
        field(bytes, offset, min(8, max(0, bytes.count - offset)), "malformed", what)
    }

    @discardableResult
    mutating func word(_ bytes: Span<UInt8>, _ offset: inout Int, _ name: String, _ value: (UInt16) -> String = { "\($0)" }) -> UInt16? {
        number(bytes.bigEndian16(offset), bytes, &offset, name, value)
    }

    @discardableResult
    mutating func long(_ bytes: Span<UInt8>, _ offset: inout Int, _ name: String, _ value: (UInt32) -> String = { "\($0)" }) -> UInt32? {
        number(bytes.bigEndian32(offset), bytes, &offset, name, value)
    }

    private mutating func number<Number: FixedWidthInteger>(
        _ number: Number?, _ bytes: Span<UInt8>, _ offset: inout Int, _ name: String, _ value: (Number) -> String
    ) -> Number? {
        guard let number else {
            malformed(bytes, offset, "\(name) is missing")
            return nil
        }
        field(bytes, offset, Number.bitWidth / 8, name, value(number))
        offset += Number.bitWidth / 8
        return number
    }

    /// A SEQUENCE OF: writes its head and returns its end.
    mutating func list(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ name: String) -> (count: Int, end: Int)? {
        let start = offset
        guard let list = PHDList.open(bytes, &offset, end) else {
            malformed(bytes, start, "\(name): the list is longer than what holds it")
            return nil
        }
        field(bytes, start, 4, name, "\(list.count) item\(list.count == 1 ? "" : "s"), \(list.end - offset) bytes")
        return list
    }

    static func hex16(_ word: UInt16) -> String { "0x" + Hex.text([UInt8(word >> 8), UInt8(word & 255)], separator: "") }
    static func hex32(_ word: UInt32) -> String { hex16(UInt16(word >> 16)) + hex16(UInt16(word & 0xFFFF)).dropFirst(2) }

    static func text(_ number: PHDNumber) -> String {
        switch number {
        case .digits(let digits): digits.text
        case .absent(let absence): absence.word?.description ?? "absent"
        }
    }

    static func text(_ clock: DeviceClock) -> String {
        switch clock {
        case .absent: "none"
        case .unset: "not set"
        case .impossible: "no possible time"
        case .time(let time), .derived(let time):
            TextBuffer.text { $0.append(time) } + (time.utcOffset.map { " (UTC\($0 < 0 ? "-" : "+")\($0.magnitude) min)" } ?? "")
        }
    }

    static func term(_ partition: UInt16, _ term: UInt16) -> String {
        "\(partition)::\(term)" + (Nomenclature.name(partition: partition, term: term).map { " \($0)" } ?? "")
    }

    static func unit(_ unit: UInt16) -> String { "\(unit)" + (Nomenclature.unit(unit).map { " \($0)" } ?? "") }
}
