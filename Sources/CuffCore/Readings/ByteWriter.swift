/// Writes text unchecked into space reserved by `TextBuffer.writer(atMost:)`; the caller knows the longest text. One check per line of JSON
/// instead of one per piece, with the position in a register.
struct ByteWriter {
    private(set) var position: UnsafeMutablePointer<UInt8>

    @inline(__always)
    init(at position: UnsafeMutablePointer<UInt8>) { self.position = position }

    /// For rarely written pieces: a separate writer continues at this position, which therefore stays in a register.
    @inline(__always)
    mutating func seldom(_ write: (inout ByteWriter) -> Void) { position = Self.end(of: write, from: position) }

    @inline(never)
    private static func end(
        of write: (inout ByteWriter) -> Void, from position: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var writer = ByteWriter(at: position)
        write(&writer)
        return writer.position
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        position.pointee = byte
        position += 1
    }

    @inline(__always)
    mutating func put(_ text: StaticString) { put(text.utf8Start, text.utf8CodeUnitCount) }

    mutating func put(word: StaticName) { put(word.literal) }

    @inline(__always)
    mutating func put(_ source: UnsafePointer<UInt8>, _ count: Int) {
        UnsafeMutableRawPointer(position).copyMemory(from: source, byteCount: count)
        position += count
    }

    /// Copies `count` bytes; up to 64, by copying the 64 bytes readable at `source` with a few moves instead of a call.
    @inline(__always)
    mutating func put(frontOf source: UnsafePointer<UInt8>, _ count: Int) {
        guard count <= 64 else { return put(source, count) }
        UnsafeMutableRawPointer(position).copyMemory(from: source, byteCount: 64)
        position += count
    }

    @inline(__always)
    private mutating func put<Piece: FixedWidthInteger & BitwiseCopyable>(piece: Piece) {
        UnsafeMutableRawPointer(position).storeBytes(of: piece.littleEndian, as: Piece.self)
        position += Piece.bitWidth / 8
    }

    /// The digits of 00 to 99, repeated so that every byte value has two.
    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899\
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899\
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        505152535455
        """

    /// Two decimal digits; higher ones are dropped.
    @inline(__always)
    mutating func put(twoDigits value: UInt8) {
        put(piece: Self.pair(UInt32(value)))
    }

    /// Two digits, the first in the low byte; `value` is below 256.
    @inline(__always)
    private static func pair(_ value: UInt32) -> UInt16 {
        UnsafeRawPointer(pairs.utf8Start).loadUnaligned(fromByteOffset: 2 * Int(value & 0xFF), as: UInt16.self).littleEndian
    }

    /// Exactly `width` decimal digits with leading zeros; higher digits are dropped.
    mutating func put(padded value: Int, width: Int) {
        var rest = value
        var index = width
        while index > 0 {
            index -= 1
            position[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        position += width
    }

    /// A decimal integer of at most 20 bytes; writes at least four.
    @inline(__always)
    mutating func put(decimal value: Int64) {
        guard value >= 0 && value < 1000 else { return seldom { $0.put(longDecimal: value) } }
        // Three digits with leading zeros shifted out, without a mispredicted branch on the length.
        let small = UInt32(truncatingIfNeeded: value)
        let digits = 0x30 | small / 100 | UInt32(Self.pair(small % 100)) << 8
        let zeros: UInt32 = (small < 100 ? 1 : 0) + (small < 10 ? 1 : 0)
        UnsafeMutableRawPointer(position).storeBytes(of: (digits >> (8 * zeros)).littleEndian, as: UInt32.self)
        position += Int(3 - zeros)
    }

    @inline(never)
    private mutating func put(longDecimal value: Int64) {
        if value < 0 { put(0x2D) }
        var rest = value.magnitude
        var length = 1
        var limit: UInt64 = 10
        while length < 19 && rest >= limit {
            length += 1
            limit = limit &* 10
        }
        if length == 19 && rest >= 10_000_000_000_000_000_000 { length = 20 }
        var index = length
        while index > 0 {
            index -= 1
            position[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        position += length
    }

    /// 16 lower-case hexadecimal digits, converted in a vector.
    @inline(__always)
    mutating func put(hex value: UInt64) {
        typealias Vector = SIMD16<UInt8>
        let bytes = unsafeBitCast(value.bigEndian, to: SIMD8<UInt8>.self)
        var nibbles = Vector()
        nibbles.evenHalf = bytes &>> SIMD8<UInt8>(repeating: 4)
        nibbles.oddHalf = bytes & SIMD8<UInt8>(repeating: 15)
        let areLetters = unsafeBitCast(nibbles .> Vector(repeating: 9), to: Vector.self)
        let digits = nibbles &+ Vector(repeating: 0x30) &+ (areLetters & Vector(repeating: 0x27))
        UnsafeMutableRawPointer(position).storeBytes(of: digits, as: Vector.self)
        position += 16
    }

    mutating func put(hexOf bytes: Span<UInt8>) {
        for index in bytes.indices {
            put(TextBuffer.hexDigit(bytes[index] >> 4))
            put(TextBuffer.hexDigit(bytes[index] & 15))
        }
    }

    /// A JSON number with the digits as sent: 60.0 stays 60.0. Exponents beyond ±12 use `e`. At most 34 bytes.
    @inline(__always)
    mutating func put(_ digits: Digits) {
        if digits.exponent == 0 { put(decimal: digits.mantissa) } else { seldom { $0.put(scaled: digits) } }
    }

    @inline(never)
    private mutating func put(scaled digits: Digits) {
        if digits.exponent > 12 || digits.exponent < -12 {
            put(decimal: digits.mantissa)
            put(0x65)
            return put(decimal: Int64(digits.exponent))
        }
        if digits.exponent > 0 {
            put(decimal: digits.mantissa)
            if digits.mantissa != 0 { for _ in 0..<digits.exponent { put(0x30) } }
            return
        }
        let places = Int(-digits.exponent)
        var divisor: UInt64 = 1
        for _ in 0..<places { divisor *= 10 }
        if digits.mantissa < 0 { put(0x2D) }
        put(decimal: Int64(digits.mantissa.magnitude / divisor))
        put(0x2E)
        put(padded: Int(digits.mantissa.magnitude % divisor), width: places)
    }

    /// A derived number with at most two decimals; `e` for values as large as an 11073 FLOAT (10^127 kPa). At most 24 bytes.
    mutating func put(rounded value: Double) {
        guard value.isFinite else { return put("null") }
        var scaled = value * 100
        var exponent = -2
        while scaled.magnitude >= 1e15 {
            scaled /= 10
            exponent += 1
        }
        let hundredths = Int64(scaled.rounded())
        if exponent > -2 {
            put(decimal: hundredths)
            put(0x65)
            return put(decimal: Int64(exponent))
        }
        let magnitude = hundredths.magnitude
        if hundredths < 0 { put(0x2D) }
        put(decimal: Int64(magnitude / 100))
        let rest = Int(magnitude % 100)
        guard rest != 0 else { return }
        put(0x2E)
        if rest % 10 == 0 { put(padded: rest / 10, width: 1) } else { put(padded: rest, width: 2) }
    }

    @inline(__always)
    private mutating func put(year: Int16) {
        guard year >= 0 && year < 10000 else { return seldom { $0.put(padded: Int(year), width: 4) } }
        put(twoDigits: UInt8(truncatingIfNeeded: year / 100))
        put(twoDigits: UInt8(truncatingIfNeeded: year % 100))
    }

    /// ISO 8601 local time without zone, in the cuff's precision; hundredths only if not zero. At most 22 bytes.
    @inline(__always)
    mutating func put(_ time: DeviceTime) {
        put(year: time.year)
        put(0x2D)
        put(twoDigits: time.month)
        put(0x2D)
        put(twoDigits: time.day)
        guard time.precision != .day else { return }
        put(0x54)
        put(twoDigits: time.hour)
        put(0x3A)
        put(twoDigits: time.minute)
        guard time.precision != .minute else { return }
        put(0x3A)
        put(twoDigits: time.second)
        guard time.precision == .hundredth, time.hundredths != 0 else { return }
        put(0x2E)
        put(twoDigits: time.hundredths)
    }

    /// RFC 3339 in UTC with milliseconds, `2026-05-05T05:40:00.120Z`.
    mutating func put(utc time: Timestamp) {
        let rest = put(wall: time, offset: 0)
        put(0x2E)
        put(0x30 &+ UInt8(truncatingIfNeeded: rest / 100))
        put(twoDigits: UInt8(truncatingIfNeeded: rest % 100))
        put(0x5A)
    }

    /// RFC 3339 in whole seconds with a numeric zone, `2026-05-05T07:33:00+02:00`.
    mutating func put(local time: Timestamp, offset: Int) {
        put(wall: time, offset: offset)
        put(offset < 0 ? 0x2D : 0x2B)
        put(padded: Int(offset.magnitude) / 60, width: 2)
        put(0x3A)
        put(padded: Int(offset.magnitude) % 60, width: 2)
    }

    /// In whole seconds; returns the milliseconds, 0…999.
    @discardableResult
    private mutating func put(wall time: Timestamp, offset: Int) -> UInt32 {
        let milliseconds = time.milliseconds
        let seconds = (milliseconds >= 0 ? milliseconds : milliseconds - 999) / 1000
        put(DeviceTime(wallSeconds: seconds + Int64(offset) * 60))
        return UInt32(truncatingIfNeeded: milliseconds - seconds * 1000)
    }

    /// The printed form of a reading's id, `20260505T073110-9f0c61d2a4b7e3f0`: 32 bytes.
    @inline(__always)
    mutating func put(_ id: Reading.ID) {
        put(year: id.year)
        put(twoDigits: id.month)
        put(twoDigits: id.day)
        put(0x54)
        put(twoDigits: id.hour)
        put(twoDigits: id.minute)
        put(twoDigits: id.second)
        put(0x2D)
        put(hex: id.hash)
    }

    /// A quoted JSON string. Control and direction characters, quotes and backslashes are escaped. At most 2 bytes plus 6 per byte of text.
    mutating func put(jsonString text: String) {
        put(0x22)
        var text = text
        text.withUTF8 { put(escaping: $0) }
        put(0x22)
    }

    /// Names rarely need escapes, and are then copied whole.
    @inline(__always)
    private mutating func put(escaping text: UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress else { return }
        var odd: UInt8 = 0
        for byte in text {
            odd |= (byte < 0x20 ? 1 : 0) | (byte == 0x22 ? 1 : 0) | (byte == 0x5C ? 1 : 0) | (byte == 0x7F ? 1 : 0)
            odd |= byte == 0xC2 || byte == 0xD8 || byte == 0xE2 ? 1 : 0
        }
        if odd == 0 { return put(start, text.count) }
        // Also escapes terminal control characters, which JSON allows.
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.value >= 0x80, TerminalText.isObeyed(scalar) {
                put("\\u")
                for shift in [12, 8, 4, 0] as [UInt32] { put(TextBuffer.hexDigit(UInt8(scalar.value >> shift & 15))) }
            } else {
                for byte in String(scalar).utf8 { put(escaped: byte) }
            }
        }
    }

    mutating func put(jsonString text: ShortText) {
        put(0x22)
        for index in 0..<text.count { put(escaped: text[index]) }
        put(0x22)
    }

    @inline(__always)
    private mutating func put(escaped byte: UInt8) {
        switch byte {
        case 0x22: put("\\\"")
        case 0x5C: put("\\\\")
        case 0x0A: put("\\n")
        case 0x09: put("\\t")
        case 0..<0x20, 0x7F:
            put("\\u00")
            put(TextBuffer.hexDigit(byte >> 4))
            put(TextBuffer.hexDigit(byte & 15))
        default: put(byte)
        }
    }
}
