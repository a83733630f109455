/// Reads the text form of a capture incrementally, in constant memory. `# key: value` lines come first, then `[SECONDS] < hex` from the
/// cuff, `[SECONDS] > hex` to it, `[SECONDS] ! event`. Later `#` lines, blank lines and `=` lines (table values) are ignored.
package struct CaptureTextReader: CaptureReader {
    /// Longest accepted line: 64 KiB APDUs (the protocol's largest) as spaced hex are 192 KiB.
    package static let maximumLine = 1 << 19

    /// The header fields so far; complete once the first item is returned.
    package private(set) var header = CaptureHeader()
    /// The number of the last line read, from 1; 0 before the first.
    package private(set) var line = 0
    private var buffer: [UInt8] = []
    private var head = 0
    /// The part of the buffer known to contain no line feed.
    private var searched = 0
    private var isInHeader = true
    /// The decoded bytes of one line; may be longer.
    private var data: [UInt8] = []
    private var arrays = ReusedBytes()

    package init() {}

    /// Adds the next bytes of the file, cut anywhere.
    package mutating func feed(_ chunk: [UInt8]) {
        if buffer.isEmpty { buffer = chunk } else { buffer.append(contentsOf: chunk) }
    }

    /// Passes the whole items to `body` until it returns `false`. Throws on a malformed line.
    package mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault) {
        // Moved out while it is read: a second reference would cost a copy.
        var bytes: [UInt8] = []
        swap(&bytes, &buffer)
        defer { swap(&bytes, &buffer) }
        while let end = bytes.span.firstOffset(of: 0x0A, from: searched) {
            let start = head
            head = end + 1
            searched = head
            guard let item = try readLine(bytes, start, end) else { continue }
            let goesOn = body(item)
            arrays.reuse(item)
            if !goesOn { return }
        }
        bytes.removeFirst(head)
        head = 0
        searched = bytes.count
        if bytes.count > Self.maximumLine {
            bytes = []
            searched = 0
            throw CaptureFault(line: line + 1, reason: "the line is longer than \(Self.maximumLine) bytes")
        }
    }

    /// Ends the file; a last line without a line feed counts.
    @discardableResult
    package mutating func finish() throws(CaptureFault) -> CaptureItem? {
        let rest = takeRest()
        return rest.isEmpty ? nil : try readLine(rest, 0, rest.count)
    }

    private mutating func takeRest() -> [UInt8] {
        let rest = Array(buffer[head...])
        buffer = []
        head = 0
        searched = 0
        return rest
    }

    private mutating func readLine(_ bytes: [UInt8], _ start: Int, _ limit: Int) throws(CaptureFault) -> CaptureItem? {
        line += 1
        let text = bytes.span
        // An editor's byte order mark.
        var index = line == 1 && bytes[start..<limit].starts(with: [0xEF, 0xBB, 0xBF]) ? start + 3 : start
        var end = limit
        while end > start, text[end - 1] == 0x0D || text[end - 1] == 0x20 { end -= 1 }
        while index < end, text[index] == 0x20 || text[index] == 0x09 { index += 1 }
        guard index < end else { return nil }
        if text[index] == 0x23 {
            readComment(bytes, index + 1, end)
            return nil
        }
        if text[index] == 0x3D { return nil }
        let time = try readTime(text, &index, end)
        guard index < end else { throw CaptureFault(line: line, reason: "a time stands alone") }
        let mark = text[index]
        index += 1
        switch mark {
        case 0x3C, 0x3E:
            isInHeader = false
            let count = try readHex(text, index, end)
            guard count > 0 else { return nil }
            let read = data
            let bytes = read.span.extracting(first: count)
            return CaptureItem(time: time, mark == 0x3C ? arrays.fromCuff(bytes) : arrays.toCuff(bytes))
        case 0x21:
            isInHeader = false
            while index < end, text[index] == 0x20 { index += 1 }
            return CaptureItem(time: time, .event(CaptureEvent(String(decoding: bytes[index..<end], as: UTF8.self))))
        default:
            throw CaptureFault(line: line, reason: "a line begins with `<`, `>`, `!` or `#`, after a time in seconds if there is one")
        }
    }

    private mutating func readComment(_ bytes: [UInt8], _ start: Int, _ end: Int) {
        guard isInHeader, header.fields.count < 64, let colon = bytes.span.firstOffset(of: 0x3A, from: start), colon < end else {
            return
        }
        let key = DeviceIdentity.text(bytes[start..<colon]).lowercased()
        guard !key.isEmpty, key.utf8.count <= 32 else { return }
        header.fields.append((key, DeviceIdentity.text(bytes[(colon + 1)..<end])))
    }

    private func readTime(_ text: Span<UInt8>, _ index: inout Int, _ end: Int) throws(CaptureFault) -> Int64? {
        let isBracketed = text[index] == 0x5B
        if isBracketed { index += 1 }
        guard index < end, text[index] &- 0x30 < 10 || text[index] == 0x2E else {
            if isBracketed { throw CaptureFault(line: line, reason: "there is no time in the brackets") }
            return nil
        }
        var whole: Int64 = 0
        var micro: Int64 = 0
        while index < end, text[index] &- 0x30 < 10 {
            guard whole < 100_000_000_000 else { throw CaptureFault(line: line, reason: "the time is too large") }
            whole = whole &* 10 &+ Int64(text[index] &- 0x30)
            index &+= 1
        }
        if index < end, text[index] == 0x2E {
            index &+= 1
            // Six decimals, as this program writes.
            var places = 0
            if index &+ 6 <= end, let six = text.joinedDigits(index, 6) { (micro, places, index) = (Int64(six), 6, index &+ 6) }
            while index < end, text[index] &- 0x30 < 10 {
                if places < 6 {
                    micro = micro &* 10 &+ Int64(text[index] &- 0x30)
                    places &+= 1
                }
                index &+= 1
            }
            while places < 6 {
                micro &*= 10
                places &+= 1
            }
        }
        if isBracketed {
            guard index < end, text[index] == 0x5D else { throw CaptureFault(line: line, reason: "the time's bracket is not closed") }
            index += 1
        }
        while index < end, text[index] == 0x20 || text[index] == 0x09 { index += 1 }
        return whole * 1_000_000 + micro
    }

    private mutating func readHex(_ text: Span<UInt8>, _ start: Int, _ end: Int) throws(CaptureFault) -> Int {
        let text = text.extracting(start..<end)
        if data.count < text.count / 2 { data = [UInt8](repeating: 0, count: max(256, text.count / 2)) }
        let read = Self.digits.withUnsafeBufferPointer { digits in
            text.withUnsafeBufferPointer { text in
                data.withUnsafeMutableBufferPointer { Self.read(text, digits, into: $0) }
            }
        }
        if let first = read.fault { throw hexFault(text, from: first) }
        return read.count
    }

    /// Decodes hexadecimal text: the number of bytes, and the offset of the first invalid character. `digits` has 256 entries and `data`
    /// half as many as `text`, so neither needs a bounds check per byte.
    @inline(__always)
    private static func read(
        _ text: UnsafeBufferPointer<UInt8>, _ digits: UnsafeBufferPointer<UInt8>, into data: UnsafeMutableBufferPointer<UInt8>
    ) -> (count: Int, fault: Int?) {
        var count = 0
        var index = 0
        while index < text.count {
            while let sixteen = text.span.spacedHex(index) {
                let room = UnsafeMutableRawBufferPointer(data)
                room.storeBytes(of: sixteen.0.littleEndian, toByteOffset: count, as: UInt64.self)
                room.storeBytes(of: sixteen.1.littleEndian, toByteOffset: count &+ 8, as: UInt64.self)
                count &+= 16
                index &+= 48
            }
            // The usual form of a byte: a blank and two digits.
            while text.count &- index >= 3, text[index] == 0x20 {
                let high = digits[Int(text[index &+ 1])]
                let low = digits[Int(text[index &+ 2])]
                guard high | low < 16 else { break }
                data[count] = high << 4 | low
                count &+= 1
                index &+= 3
            }
            guard index < text.count else { break }
            let first = index
            let high = digits[Int(text[index])]
            index &+= 1
            if high == blank { continue }
            while index < text.count, digits[Int(text[index])] == blank { index &+= 1 }
            guard high < 16, index < text.count, digits[Int(text[index])] < 16 else { return (count, first) }
            data[count] = high << 4 | digits[Int(text[index])]
            count &+= 1
            index &+= 1
        }
        return (count, nil)
    }

    private func hexFault(_ text: Span<UInt8>, from start: Int) -> CaptureFault {
        for index in start..<text.count where Self.digits[Int(text[index])] > Self.blank {
            return CaptureFault(line: line, reason: "`\(DeviceIdentity.text([text[index]]))` is not a hexadecimal digit")
        }
        return CaptureFault(line: line, reason: "the line ends within a byte")
    }

    private static let blank: UInt8 = 16
    /// 0…15 a digit, 16 a blank, more is invalid.
    private static let digits: [UInt8] = (UInt8.min...UInt8.max).map { character -> UInt8 in
        character == 0x20 || character == 0x09 ? blank : Hex.value(character) ?? 0xFF
    }
}

package enum CaptureText {
    /// Appends the header as `# key: value` lines, in order.
    package static func appendHeader(_ header: CaptureHeader, to text: inout TextBuffer) {
        for field in header.fields { text.append(string: "# \(field.key): \(field.value)\n") }
    }

    /// Appends one item as a line with its line feed.
    package static func append(_ item: CaptureItem, to text: inout TextBuffer) {
        if let time = item.time {
            text.append(decimal: time / 1_000_000)
            text.append(0x2E)
            text.append(padded: Int(time % 1_000_000), width: 6)
            text.append(0x20)
        }
        switch item.content {
        case .fromCuff(let bytes): append(0x3C, bytes, to: &text)
        case .toCuff(let bytes): append(0x3E, bytes, to: &text)
        case .event(let event):
            text.append("! ")
            text.append(string: event.text)
            text.append(0x0A)
        }
    }

    private static func append(_ mark: UInt8, _ bytes: [UInt8], to text: inout TextBuffer) {
        text.append(mark)
        for byte in bytes {
            text.append(0x20)
            text.append(TextBuffer.hexDigit(byte >> 4))
            text.append(TextBuffer.hexDigit(byte & 15))
        }
        text.append(0x0A)
    }
}
