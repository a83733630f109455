import CuffCore

/// A ZIP file with one member, stored as it is (PKWARE APPNOTE 6.3: local header 4.3.7, central directory 4.3.12, end 4.3.16).
///
/// Sizes and CRC precede the data, and readers that do not seek need them there. They are known only at the end; then the caller writes
/// `Completion.bytes` into the beginning.
package struct StoredZip: Sendable {
    /// The format counts in 32 bits; headers and directory need less than 64 KB of them.
    package static let most = UInt64(UInt32.max) - 65535

    /// The fields that are known only at the end.
    package struct Completion: Sendable, Hashable {
        /// Where in the file the bytes belong.
        package let offset: Int
        /// CRC-32, size in the file, size of the data: four bytes each.
        package let bytes: [UInt8]
    }

    private let path: [UInt8]
    private let modified: (time: UInt16, date: UInt16)
    private var check = CRC32()
    private var size: UInt64 = 0

    /// An empty member; `modified` is a local time.
    package init(path: String, modified: DeviceTime) {
        // The length of a path has 16 bits.
        self.path = Array(path.utf8.prefix(65535 - 46))
        // MS-DOS counts from 1980 and in steps of two seconds.
        let year = UInt16(clamping: min(max(Int(modified.year) - 1980, 0), 127))
        self.modified = (
            UInt16(modified.hour) << 11 | UInt16(modified.minute) << 5 | UInt16(modified.second) / 2,
            year << 9 | UInt16(modified.month) << 5 | UInt16(modified.day)
        )
    }

    /// Writes the header, with zeros in place of the `Completion`.
    package func begin(to text: inout TextBuffer) {
        text.append(little: UInt32(0x0403_4B50))
        appendCommon(to: &text)
        text.append(little: UInt16(0))
        for byte in path { text.append(byte) }
    }

    /// Counts data that the caller writes; returns `false` if the file would become too large for the format.
    package mutating func add(_ text: borrowing TextBuffer) -> Bool {
        size += UInt64(text.count)
        guard size <= Self.most else { return false }
        text.withBytes { check.add($0) }
        return true
    }

    /// Writes the directory, which follows the data; returns what the caller must write into the header.
    package func end(to text: inout TextBuffer) -> Completion {
        let directory = UInt32(truncatingIfNeeded: UInt64(30 + path.count) + size)
        text.append(little: UInt32(0x0201_4B50))
        // Made on Unix, so that the permissions apply: a regular file, rw-------.
        text.append(little: UInt16(3 << 8 | 20))
        appendCommon(to: &text)
        for _ in 0..<4 { text.append(little: UInt16(0)) }
        text.append(little: UInt32(0o100600) << 16)
        text.append(little: UInt32(0))
        for byte in path { text.append(byte) }
        text.append(little: UInt32(0x0605_4B50))
        for value in [0, 0, 1, 1] { text.append(little: UInt16(value)) }
        text.append(little: UInt32(46 + path.count))
        text.append(little: directory)
        text.append(little: UInt16(0))
        var bytes = TextBuffer(capacity: 12)
        appendSizes(to: &bytes)
        return Completion(offset: 14, bytes: bytes.array)
    }

    /// The fields that both headers share, from the required version to the length of the path.
    private func appendCommon(to text: inout TextBuffer) {
        text.append(little: UInt16(20))
        // Bit 11: the path is UTF-8.
        text.append(little: UInt16(1 << 11))
        text.append(little: UInt16(0))
        text.append(little: modified.time)
        text.append(little: modified.date)
        appendSizes(to: &text)
        text.append(little: UInt16(path.count))
    }

    private func appendSizes(to text: inout TextBuffer) {
        for value in [check.value, UInt32(truncatingIfNeeded: size), UInt32(truncatingIfNeeded: size)] { text.append(little: value) }
    }
}

/// The check of ZIP (APPNOTE 4.4.7): polynomial 0xEDB88320, bits reversed, complemented at both ends.
struct CRC32: Sendable {
    private var state = UInt32.max
    var value: UInt32 { ~state }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        let table = Self.table
        for byte in bytes { state = state >> 8 ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] }
    }
}

extension TextBuffer {
    /// Least significant byte first.
    fileprivate mutating func append<Value: FixedWidthInteger>(little value: Value) {
        for shift in stride(from: 0, to: Value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> Value(shift))) }
    }
}
