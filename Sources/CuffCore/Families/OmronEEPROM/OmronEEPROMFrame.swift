/// A frame of either direction, without its report. Host frames that read have a count and no data.
struct OmronEEPROMFrame: Sendable, Hashable {
    /// The first byte of the type. The cuff answers with the highest bit set.
    enum Kind: UInt8, Sendable { case open = 0x00, read = 0x01, end = 0x0F, opened = 0x80, data = 0x81, ended = 0x8F }

    /// A frame, or why a report holds none.
    enum Judgement: Equatable { case frame(OmronEEPROMFrame), damaged(FrameFault) }

    /// The longest block that readers ask for.
    static let longestBlock = 0x38
    /// Length, type (2), address (2), count, one byte, xor.
    static let bareLength = 8

    var kind: UInt8
    var subkind: UInt8
    var address: Int
    var count: Int
    var data: [UInt8] = []

    /// Judges a report with its number: length, then xor.
    static func judge(_ report: [UInt8]) -> Judgement {
        guard report.count > bareLength, let length = report.span.byte(1), length >= bareLength, Int(length) < report.count else {
            return .damaged(.badLength)
        }
        let bytes = report.span.extracting(1..<(1 + Int(length)))
        guard Checksum.xor8(bytes, 0..<bytes.count) == 0 else { return .damaged(.badCheck) }
        let frame = OmronEEPROMFrame(
            kind: bytes[1], subkind: bytes[2], address: Int(bytes.bigEndian16(3) ?? 0), count: Int(bytes[5]),
            data: bytes.part(6, bytes.count - bareLength))
        switch Kind(rawValue: frame.kind) {
        case .opened: return frame.data.count == frame.count ? .frame(frame) : .damaged(.badLength)
        // The byte before the xor is 0. The xor alone does not detect a zero lost from the data: a zero of the report follows it.
        case .data: return frame.data.count == frame.count && bytes[bytes.count - 2] == 0 ? .frame(frame) : .damaged(.badLength)
        default: return .frame(frame)
        }
    }

    /// The cuff's answers in a row of reports, each with its number. A report may be cut behind its frame, or filled with zeros.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var found = FoundFrames()
        var start = 0
        while start + bareLength < bytes.count {
            let length = 1 + Int(bytes[start + 1])
            guard start + length <= bytes.count, length <= reportSize,
                case .frame(let frame) = judge(bytes.span.part(start, length)), frame.kind >= 0x80, Kind(rawValue: frame.kind) != nil
            else {
                start += 1
                continue
            }
            var end = start + length
            while end < bytes.count, end < start + reportSize, bytes[end] == 0 { end += 1 }
            found.ranges.append(start..<end)
            start = end
        }
        return found
    }

    /// A report with its number.
    private static let reportSize = 65

    /// The report of this frame, as long as it has to be.
    func report(number: UInt8) -> [UInt8] {
        let length = UInt8(truncatingIfNeeded: Self.bareLength + data.count)
        let bytes = [length, kind, subkind] + [UInt8](bigEndian: [address]) + [UInt8(truncatingIfNeeded: count)] + data + [0]
        return [number] + bytes + [bytes.xor8]
    }

    static let open = OmronEEPROMFrame(kind: 0x00, subkind: 0x00, address: 0, count: 0x10)
    static let end = OmronEEPROMFrame(kind: 0x0F, subkind: 0x00, address: 0, count: 0)
    static let giveUp = OmronEEPROMFrame(kind: 0x0F, subkind: 0x0F, address: 0x0F0F, count: 0)
    static func read(_ address: Int, _ count: Int) -> OmronEEPROMFrame {
        OmronEEPROMFrame(kind: 0x01, subkind: 0x00, address: address, count: count)
    }
    /// All settings, as the one reader of the clock asks for them.
    static let settings = read(OmronEEPROMClock.settings, 0x26)

    /// Whether the cuff's `answer` belongs to this question.
    func isAnswered(by answer: OmronEEPROMFrame) -> Bool {
        guard answer.kind == kind | 0x80 else { return false }
        switch Kind(rawValue: kind) {
        case .read: return answer.subkind == subkind && answer.address == address && answer.count == count
        default: return true
        }
    }
}

/// The clock within the settings.
enum OmronEEPROMClock {
    static let settings = 0x0260
    /// Ten bytes: two unknown, month, year, hour, day, second, minute, one unknown, the sum of the first eight.
    static let block = 0x0274
    static let length = 10

    /// What the clock shows; `nil` where the bytes do not cover it, or its sum does not agree. The unknown byte before the sum,
    /// which the source writes as 0, is not part of it.
    static func time(_ data: [UInt8], at address: Int) -> DeviceTime? {
        let offset = block - address
        guard offset >= 0, offset + length <= data.count else { return nil }
        let bytes = data.span.extracting(offset..<(offset + length))
        guard Checksum.sum8(bytes, 0..<8) == bytes[9] else { return nil }
        return bytes.time(year: 3, month: 2, day: 5, hour: 4, minute: 7, second: 6).flatMap { $0.isPossible ? $0 : nil }
    }

    /// The block of a clock that shows `time`.
    static func bytes(_ time: DeviceTime) -> [UInt8] {
        let fields = [0, 0, time.month, time.fields[0], time.hour, time.day, time.second, time.minute]
        return fields + [0, fields.sum8]
    }
}
