/// Frames an agent's byte stream: APDUs, and the PHDC preambles of USB.
///   off 0  u16 choice  E200…E700     off 2  u16 length of what follows     off 4  body
/// There is no checksum and no start byte, so strictness depends on the association. Outside one, only headers with consistent inner
/// lengths count; everything else is noise. Within one, an impossible header becomes a frame (one byte for an unknown choice, four for an
/// impossible length), because the session must answer it with ABRT; the search resumes right behind it.
struct PHDFrame: FrameFormat {
    /// 63 KiB, the largest APDU of the protocol towards a manager [C: universAAL Manager.java, Antidote].
    static let maximumLength = 64512
    static let largestBody: UInt16 = 64508
    static let preamble: StaticString = "PhdcQoSSignature"

    var isAssociated = false

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard let head = bytes.bigEndian32(0), head & 0xFF_0000 == 0, head >= 0xE200_0000, head < 0xE800_0000 else {
            return verdict(onOther: bytes)
        }
        let length = UInt16(truncatingIfNeeded: head)
        return isAssociated ? strictVerdict(bytes, length) : huntingVerdict(bytes, length)
    }

    /// Bytes that are not an APDU header, or only its beginning.
    private func verdict(onOther bytes: Span<UInt8>) -> FrameVerdict {
        if bytes[0] == 0x50 { return preambleVerdict(bytes) }
        guard bytes[0] >= 0xE2, bytes[0] <= 0xE7, bytes.count < 2 || bytes[1] == 0 else { return stray }
        return .needMore
    }

    private var stray: FrameVerdict { isAssociated ? .frame(length: 1) : .reject(.notAStart) }

    @inline(__always)
    private func strictVerdict(_ bytes: Span<UInt8>, _ length: UInt16) -> FrameVerdict {
        let isShortKind = bytes[0] >= 0xE4 && bytes[0] <= 0xE6
        // RLRQ, RLRE and ABRT have two bytes; a few more still identify them.
        if length > Self.largestBody || isShortKind && length > 16 { return .frame(length: 4) }
        let end = 4 &+ Int(length)
        guard bytes.count >= end else { return .needMore }
        return .frame(length: Self.isFollowed(bytes, end) ? end : Self.intruder(bytes, end) ?? end)
    }

    /// An APDU begins at `end`, or the stream ends there.
    @inline(__always)
    private static func isFollowed(_ bytes: Span<UInt8>, _ end: Int) -> Bool {
        guard let first = bytes.byte(end), let second = bytes.byte(end &+ 1) else { return true }
        return first >= 0xE2 && first <= 0xE7 && second == 0 || first == 0x50
    }

    /// The start of another APDU within these bytes that ends beyond them: an APDU that lost bytes was filled up with the next one's.
    /// Without a checksum nothing else shows it, so it is searched for if no APDU follows the last byte. The shorter frame contradicts its
    /// header, which the session answers with ABRT; the other one is whole. Only this verdict may depend on later bytes: an answer cannot
    /// wait for them. [P]
    @inline(never)
    private static func intruder(_ bytes: Span<UInt8>, _ end: Int) -> Int? {
        for start in 4..<end {
            guard let first = bytes.byte(start), first >= 0xE2, first <= 0xE7, bytes.byte(start + 1) == 0,
                let length = bytes.bigEndian16(start + 2), length <= largestBody, start + 4 + Int(length) > end
            else { continue }
            switch first {
            case 0xE2: if bytes.bigEndian16(start + 10).map({ $0 == length &- 8 }) ?? false { return start }
            case 0xE7: if bytes.bigEndian16(start + 4).map({ $0 == length &- 2 }) ?? false { return start }
            case 0xE3: continue
            default: if length == 2 { return start }
            }
        }
        return nil
    }

    private func huntingVerdict(_ bytes: Span<UInt8>, _ length: UInt16) -> FrameVerdict {
        let isPlausible: Bool?
        switch bytes[0] {
        case 0xE2:
            guard length >= 8, length <= Self.largestBody else { return .reject(.badLength) }
            isPlausible = bytes.bigEndian16(10).map { $0 == length - 8 }
        case 0xE3:
            guard length >= 6, length <= 512 else { return .reject(.badLength) }
            isPlausible = bytes.bigEndian16(4).map { $0 <= 8 }
        case 0xE7:
            guard length >= 8, length <= Self.largestBody else { return .reject(.badLength) }
            guard let inner = bytes.bigEndian16(4) else { return .needMore }
            guard inner == length - 2 else { return .reject(.badLength) }
            isPlausible = bytes.bigEndian16(10).map { $0 == length - 8 }
        default:
            guard length == 2 else { return .reject(.badLength) }
            isPlausible = bytes.count >= 6 ? true : nil
        }
        guard let isPlausible else { return .needMore }
        guard isPlausible else { return .reject(.badLength) }
        return bytes.count >= 4 + Int(length) ? .frame(length: 4 + Int(length)) : .needMore
    }

    private func preambleVerdict(_ bytes: Span<UInt8>) -> FrameVerdict {
        let length = Self.preamble.utf8CodeUnitCount
        for index in 0..<min(length, bytes.count) where bytes[index] != Self.preamble.utf8Start[index] { return stray }
        guard bytes.count >= length + 4 else { return .needMore }
        guard bytes[length] >= 1, bytes[length + 1] == 1 else { return stray }
        let whole = length + 4 + Int(bytes[length + 3])
        return bytes.count >= whole ? .frame(length: whole) : .needMore
    }
}
