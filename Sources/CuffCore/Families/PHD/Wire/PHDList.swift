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
