import CuffCore

/// The directory at the end of a ZIP file (PKWARE APPNOTE 6.3: end 4.3.16, ZIP64 4.3.14 and 4.3.15, directory 4.3.12).
package struct ZipDirectory: Sendable {
    package struct Member: Sendable, Hashable {
        package var path: String
        /// 0 stored, 8 deflated.
        package var method: UInt16
        /// Bit 0: encrypted.
        package var flags: UInt16
        /// CRC-32 of the data.
        package var check: UInt32
        /// In the file.
        package var compressedSize: UInt64
        /// Of the data.
        package var size: UInt64
        /// The offset of the local header.
        package var offset: UInt64
    }

    /// An end with the longest comment, and a ZIP64 locator before it.
    package static let longestEnd = 22 + 65535 + 20
    /// A directory of 100,000 members.
    package static let longestDirectory: UInt64 = 16 << 20

    /// Where the directory is, or the ZIP64 record with its position.
    package struct Place: Sendable, Hashable {
        /// From the beginning of the file.
        package var offset: UInt64
        /// In bytes.
        package var size: UInt64
        /// Whether this is the ZIP64 end record, of 56 bytes.
        package var isZIP64: Bool
    }

    private static func number(_ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> UInt64? {
        guard offset >= 0, offset + length <= bytes.count else { return nil }
        var value: UInt64 = 0
        for index in 0..<length { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        return value
    }

    /// Finds the directory in the last bytes of a file; `nil` if this is not a ZIP file.
    package static func place(inEnd bytes: Span<UInt8>) -> Place? {
        var index = bytes.count - 22
        while index >= 0 {
            if bytes.matches("PK\u{5}\u{6}", at: index), let comment = number(bytes, index + 20, 2),
                index + 22 + Int(comment) == bytes.count
            {
                guard let size = number(bytes, index + 12, 4), let offset = number(bytes, index + 16, 4) else { return nil }
                if index >= 20, bytes.matches("PK\u{6}\u{7}", at: index - 20), let record = number(bytes, index - 12, 8) {
                    return Place(offset: record, size: 56, isZIP64: true)
                }
                return Place(offset: offset, size: size, isZIP64: false)
            }
            index -= 1
        }
        return nil
    }

    /// The directory of a ZIP64 end record.
    package static func place(inRecord bytes: Span<UInt8>) -> Place? {
        guard bytes.matches("PK\u{6}\u{6}"), let size = number(bytes, 40, 8), let offset = number(bytes, 48, 8) else { return nil }
        return Place(offset: offset, size: size, isZIP64: false)
    }

    /// The members of a directory; `nil` if it is damaged.
    package static func members(_ bytes: Span<UInt8>) -> [Member]? {
        var members: [Member] = []
        var index = 0
        while index < bytes.count {
            guard bytes.matches("PK\u{1}\u{2}", at: index), let flags = number(bytes, index + 8, 2),
                let method = number(bytes, index + 10, 2),
                let check = number(bytes, index + 16, 4), let packed = number(bytes, index + 20, 4),
                let size = number(bytes, index + 24, 4),
                let name = number(bytes, index + 28, 2), let extra = number(bytes, index + 30, 2),
                let comment = number(bytes, index + 32, 2),
                let offset = number(bytes, index + 42, 4), index + 46 + Int(name) + Int(extra) <= bytes.count
            else { return nil }
            var member = Member(
                path: String(decoding: bytes.part(index + 46, Int(name)), as: UTF8.self), method: UInt16(method), flags: UInt16(flags),
                check: UInt32(check), compressedSize: packed, size: size, offset: offset)
            index += 46 + Int(name)
            widen(&member, bytes.extracting(index..<(index + Int(extra))))
            members.append(member)
            index += Int(extra) + Int(comment)
        }
        return members
    }

    /// Sizes beyond 32 bits are in an extra field, each only if the member has all ones (4.5.3).
    private static func widen(_ member: inout Member, _ extra: Span<UInt8>) {
        var index = 0
        while let id = number(extra, index, 2), let length = number(extra, index + 2, 2) {
            if id == 1 {
                var place = index + 4
                func next() -> UInt64? {
                    defer { place += 8 }
                    return number(extra, place, 8)
                }
                if member.size == 0xFFFF_FFFF { member.size = next() ?? member.size }
                if member.compressedSize == 0xFFFF_FFFF { member.compressedSize = next() ?? member.compressedSize }
                if member.offset == 0xFFFF_FFFF { member.offset = next() ?? member.offset }
            }
            index += 4 + Int(length)
        }
    }

    /// The length of the local header, from its first 30 bytes; `nil` if they are not a local header.
    package static func headerLength(_ bytes: Span<UInt8>) -> Int? {
        guard bytes.matches("PK\u{3}\u{4}"), let name = number(bytes, 26, 2), let extra = number(bytes, 28, 2) else { return nil }
        return 30 + Int(name) + Int(extra)
    }
}

/// Decompresses one member, and checks its size and CRC-32.
package struct ZipMemberReader: Sendable {
    private let member: ZipDirectory.Member
    private var inflate: Inflate?
    private var check = CRC32()
    private var size: UInt64 = 0

    /// Throws if the member is encrypted, or compressed by another method than DEFLATE.
    package init(_ member: ZipDirectory.Member) throws(ImportFault) {
        guard member.flags & 1 == 0 else { throw .unsupported(layout: member.path, missing: "it is encrypted") }
        guard member.method == 0 || member.method == 8 else {
            throw .unsupported(layout: member.path, missing: "its compression (method \(member.method)) is not known")
        }
        self.member = member
        inflate = member.method == 8 ? Inflate() : nil
    }

    /// Takes the next bytes of the file, the last with `isEnd`, and passes data on.
    package mutating func read(
        _ bytes: Span<UInt8>, isEnd: Bool, _ take: (Span<UInt8>) throws(ImportFault) -> Void
    ) throws(ImportFault) {
        var (check, size) = (check, size)
        let (limit, path) = (member.size, member.path)
        func count(_ data: Span<UInt8>) throws(ImportFault) {
            size += UInt64(data.count)
            // Protects against archive bombs.
            guard size <= limit else { throw .damaged("\(path) is larger than the archive says") }
            data.withUnsafeBytes { check.add($0) }
            try take(data)
        }
        var inflate = self.inflate
        self.inflate = nil
        if inflate != nil { try inflate?.read(bytes, isEnd: isEnd, count) } else { try count(bytes) }
        self.inflate = inflate
        (self.check, self.size) = (check, size)
        guard isEnd else { return }
        guard inflate?.isFinished ?? true, size == member.size, check.value == member.check else {
            throw .damaged("\(member.path) does not match its check")
        }
    }
}
