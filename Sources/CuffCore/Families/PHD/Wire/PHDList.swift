/// MDER's SEQUENCE OF: u16 count, u16 length of all items. Both are checked.
enum PHDList {
    @inline(__always)
    static func open(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) -> (count: Int, end: Int)? {
        guard offset &+ 4 <= end, let head = bytes.bigEndian32(offset) else { return nil }
        offset &+= 4
        let limit = offset &+ Int(head & 0xFFFF)
        guard limit <= end else { return nil }
        return (Int(head >> 16), limit)
    }

    /// The items of a list of two words each; `nil` if count and length disagree.
    static func pairs(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) -> [(UInt16, UInt16)]? {
        guard let list = open(bytes, &offset, end), list.count * 4 == list.end - offset else { return nil }
        let words = stride(from: offset, to: list.end, by: 4).compactMap { bytes.bigEndian32($0) }
        offset = list.end
        return words.count == list.count ? words.map { (UInt16($0 >> 16), UInt16($0 & 0xFFFF)) } : nil
    }

    /// Calls `body` with id, offset and length of every attribute of a list; `nil` if counts and lengths disagree.
    static func attributes(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ body: (UInt16, Int, Int) -> Bool
    ) -> Bool {
        guard let list = open(bytes, &offset, end) else { return false }
        for _ in 0..<list.count {
            guard offset + 4 <= list.end, let id = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2),
                offset + 4 + Int(length) <= list.end
            else { return false }
            guard body(id, offset + 4, Int(length)) else { return false }
            offset += 4 + Int(length)
        }
        return offset == list.end
    }
}
