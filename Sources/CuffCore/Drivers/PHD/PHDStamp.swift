/// A time stamp in the form an agent sent it, which is also what tells observations of one measurement together.
///
/// AbsoluteTime   8 BCD bytes: century, year, month, day, hour, minute, second, 1/100 s; local, no zone; all zero = none
/// BaseOffset     u32 seconds since 1900-01-01, u16 1/65536 s, i16 minutes: local = base + offset. Seen on no cuff yet
/// Relative       u32, normally 125 µs a tick; FFFFFFFF = none; good for differences only
/// HighResolution u64 µs; good for differences only
struct PHDStamp: Sendable, Hashable {
    enum Kind: UInt8, Sendable { case none, absolute, baseOffset, relative, highResolution }
    var kind: Kind
    /// The bytes, big-endian.
    var bits: UInt64

    static let none = PHDStamp(kind: .none, bits: 0)

    /// Whether the same stamp elsewhere means the same moment.
    @inline(__always)
    var isMatchable: Bool {
        switch kind {
        case .none: false
        case .absolute, .baseOffset: bits != 0
        case .relative: bits != 0xFFFF_FFFF
        case .highResolution: true
        }
    }

    /// What the agent's clock said: relative times have no place on a calendar.
    var clock: DeviceClock {
        switch kind {
        case .none, .relative, .highResolution: .absent
        case .absolute: Self.absolute(bits)
        case .baseOffset: Self.baseOffset(bits)
        }
    }

    /// Ticks of a relative clock: they stay with the record, so they number it where nothing else does.
    var ticks: UInt32? {
        switch kind {
        case .relative where bits != 0xFFFF_FFFF: UInt32(truncatingIfNeeded: bits)
        case .highResolution: UInt32(truncatingIfNeeded: bits)
        default: nil
        }
    }

    @inline(__always)
    static func absolute(_ bits: UInt64) -> DeviceClock {
        if bits == 0 { return .unset }
        // All sixteen nibbles at once: adding six to a digit carries into the next nibble only above nine.
        let carries = ((bits &+ 0x0666_6666_6666_6666) ^ bits) & 0x1111_1111_1111_1110
        guard carries == 0, bits >> 60 < 10 else { return .impossible(nil) }
        @inline(__always)
        func pair(_ shift: UInt64) -> Int { Int(bits >> (shift &+ 4) & 15) &* 10 &+ Int(bits >> shift & 15) }
        return DeviceClock(
            DeviceTime(
                year: pair(56) &* 100 &+ pair(48), month: pair(40), day: pair(32), hour: pair(24), minute: pair(16),
                second: pair(8), hundredths: pair(0)))
    }

    static func baseOffset(_ bits: UInt64) -> DeviceClock {
        let seconds = Int64(bits >> 32)
        if seconds == 0 { return .unset }
        let offset = Int(Int16(bitPattern: UInt16(truncatingIfNeeded: bits)))
        guard offset.magnitude <= 24 * 60 else { return .impossible(nil) }
        var time = DeviceTime(wallSeconds: seconds - secondsFrom1900To1970 + Int64(offset) * 60)
        time.hundredths = UInt8(((bits >> 16 & 0xFFFF) * 100) >> 16)
        time.precision = .hundredth
        time.utcOffset = Int16(offset)
        return DeviceClock(time)
    }

    static let secondsFrom1900To1970: Int64 = 2_208_988_800

    /// AbsoluteTime as eight bytes.
    static func bytes(absolute time: DeviceTime) -> [UInt8] {
        func bcd(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: (value / 10 % 10) << 4 | value % 10) }
        let year = Int(time.year)
        return [
            bcd(year / 100), bcd(year % 100), bcd(Int(time.month)), bcd(Int(time.day)), bcd(Int(time.hour)),
            bcd(Int(time.minute)), bcd(Int(time.second)), bcd(Int(time.hundredths)),
        ]
    }

    /// BaseOffsetTime as eight bytes; `nil` where the time has no zone or lies outside 1900…2036.
    static func bytes(baseOffset time: DeviceTime) -> [UInt8]? {
        guard let offset = time.utcOffset else { return nil }
        let seconds = time.wallSeconds - Int64(offset) * 60 + secondsFrom1900To1970
        guard let word = UInt32(exactly: seconds) else { return nil }
        var writer = PHDWriter()
        writer.append32(word)
        writer.append16(UInt16(Int(time.hundredths) * 65536 / 100))
        writer.append16(UInt16(bitPattern: offset))
        return writer.bytes
    }
}
