extension Redaction {
    /// In results: the patient's id, the ids of device, cuff module and measurement, and all times. In lines: the device's id and its
    /// clock. In commands: the patient of a start, the device of a setting, and a clock that is set.
    static let uscomBPplus = stream { bytes, side, work in
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            if side == .toCuff {
                redactCommand(&bytes, start..<end, &work)
            } else if let head = UscomHead(bytes[start..<end]) {
                // A document that was cut off has no check to repair.
                let whole = end + head.length
                let next = places(of: "\n|_XML_Size", in: bytes, end..<min(whole, bytes.count)).first.map { $0 - UscomHead.mark.count }
                start = next ?? min(whole, bytes.count)
                redactDocument(&bytes, end..<start, start == whole ? head : nil, &work)
                continue
            } else {
                redactLine(&bytes, start..<end, &work)
            }
            start = end
        }
    }

    private static func redactCommand(_ bytes: inout [UInt8], _ line: Range<Int>, _ work: inout Work) {
        switch bytes[line.lowerBound] {
        case UInt8(ascii: "s"): blank(&bytes, line, field: 1, .person, &work)
        case UInt8(ascii: "o"): blank(&bytes, line, field: 4, .person, &work)
        case UInt8(ascii: "f"): blank(&bytes, min(line.lowerBound + 2, line.upperBound)..<line.upperBound, field: 0, .device, &work)
        case UInt8(ascii: "y"): shiftStamp(&bytes, line.lowerBound + 2, &work)
        default: break
        }
    }

    private static func blank(_ bytes: inout [UInt8], _ line: Range<Int>, field: Int, _ kind: Kind, _ work: inout Work) {
        let parts = bytes[line].split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: ",") || $0 == 0x0D || $0 == 0x0A }
        if parts.count > field { work.blank(&bytes, parts[field].startIndex..<parts[field].endIndex, kind) }
    }

    private static func redactLine(_ bytes: inout [UInt8], _ line: Range<Int>, _ work: inout Work) {
        if bytes[line].starts(with: Array("<Feature".utf8)) {
            for start in places(of: "id>", in: bytes, line) {
                work.blank(&bytes, start..<(bytes[start..<line.upperBound].firstIndex(of: 0x3C) ?? line.upperBound), .device)
            }
        } else if bytes[line].contains(0x3C) {
            // Of a document whose head is missing or damaged.
            redactDocument(&bytes, line, nil, &work)
        } else if bytes[line.lowerBound] == UInt8(ascii: "S") {
            let id = bytes[line].dropFirst(2).prefix { $0 != 0x20 }
            work.blank(&bytes, id.startIndex..<id.endIndex, .person)
        } else if line.count >= 14 {
            shiftStamp(&bytes, bytes[line].starts(with: Array("T ".utf8)) ? line.lowerBound + 2 : line.lowerBound, &work)
        }
    }

    /// `yyyyMMddHHmmss`; other text has no eight digits there.
    private static func shiftStamp(_ bytes: inout [UInt8], _ start: Int, _ work: inout Work) {
        work.shiftDigits(&bytes, year: start, yearDigits: 4, month: start + 4, day: start + 6)
    }

    private static func redactDocument(_ bytes: inout [UInt8], _ document: Range<Int>, _ head: UscomHead?, _ work: inout Work) {
        let wasGood = head.map { UscomCheck.of(Array(bytes[document])) == $0.check } == true
        var blanked: [Int] = []
        for (mark, kind) in [("<PatientID>", Kind.person), (" guid=\"", .device), ("device_id=\"", .device), ("nibp_id=\"", .device)] {
            for start in places(of: mark, in: bytes, document) {
                let close: UInt8 = mark.hasSuffix(">") ? 0x3C : 0x22
                let end = bytes[start..<document.upperBound].firstIndex(of: close) ?? document.upperBound
                work.blank(&bytes, start..<end, kind)
                blanked += (start..<end).filter { bytes[$0] == 0x30 || bytes[$0] == 0x41 }
            }
        }
        for mark in ["datetime=\"", "<DateTime>"] {
            for start in places(of: mark, in: bytes, document) {
                work.shiftDigits(&bytes, year: start, yearDigits: 4, month: start + 5, day: start + 8)
            }
        }
        guard let head else { return }
        // If the new check has too many digits for its place, another character is used in a blanked field.
        let limit = head.digits.count < 3 ? (head.digits.count == 1 ? 10 : 100) : 256
        let candidates: [UInt8] = Array("0123456789ABCDEF".utf8)
        for character in [nil] + candidates.map({ Optional($0) }) {
            if let character {
                guard let place = blanked.last else { return }
                bytes[place] = character
            }
            let check = Int(UscomCheck.of(Array(bytes[document])) &+ (wasGood ? 0 : 1))
            guard check < limit else { continue }
            bytes.replaceSubrange(head.digits, with: Decimal.text(check, head.digits.count).utf8)
            return
        }
    }

    private static func places(of mark: String, in bytes: [UInt8], _ range: Range<Int>) -> [Int] {
        let mark = Array(mark.utf8)
        return range.filter { start in
            start + mark.count <= range.upperBound && bytes[start] == mark[0] && bytes[start..<(start + mark.count)].elementsEqual(mark)
        }.map { $0 + mark.count }
    }
}

/// The line before a counted document, `|_XML_SizeN C_|`.
struct UscomHead {
    static let mark = Array("|_XML_Size".utf8)

    let length: Int
    let check: UInt8
    let digits: Range<Int>

    /// Ten times the longest result seen (three determinations, 120 kB).
    private static let longestDocument = 1_200_000

    /// `nil` for other lines and for an impossible length. CR and LF at the end are optional.
    init?(_ line: ArraySlice<UInt8>) {
        var line = line
        while line.last == 0x0A || line.last == 0x0D { line.removeLast() }
        guard line.starts(with: Self.mark), line.suffix(2).elementsEqual(Array("_|".utf8)) else { return nil }
        let numbers = line.dropFirst(10).dropLast(2).split(separator: 0x20)
        guard numbers.count == 2, let length = Int(String(decoding: numbers[0], as: UTF8.self)),
            let check = UInt8(String(decoding: numbers[1], as: UTF8.self)), (1...Self.longestDocument).contains(length)
        else { return nil }
        (self.length, self.check, digits) = (length, check, numbers[1].startIndex..<numbers[1].endIndex)
    }
}
