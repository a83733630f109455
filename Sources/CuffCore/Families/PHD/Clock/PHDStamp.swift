/// A time stamp as sent; it also identifies observations of one measurement.
/// AbsoluteTime   8 BCD bytes: century, year, month, day, hour, minute, second, 1/100 s; local, no zone; all zero = none
/// BaseOffset     u32 seconds since 1900-01-01, u16 1/65536 s, i16 minutes: local = base + offset. Seen on no cuff yet
/// Relative       u32, normally 125 µs a tick; FFFFFFFF = none; good for differences only
/// HighResolution u64 µs; good for differences only
struct PHDStamp: Sendable, Hashable {
    enum Kind: UInt8, Sendable { case none, absolute, baseOffset, relative, highResolution }
    var kind: Kind
    var bits: UInt64

    static let none = PHDStamp(kind: .none, bits: 0)

    init(kind: Kind, bits: UInt64) {
        self.kind = kind
        self.bits = bits
    }

    /// The stamp at `offset`; all zero, i.e. none, beyond the end.
    @inline(__always)
    init(_ kind: Kind, _ bytes: Span<UInt8>, _ offset: Int) {
        self.kind = kind
        bits =
            switch kind {
            case .none: 0
            case .relative: UInt64(bytes.bigEndian32(offset) ?? 0)
            case .absolute, .baseOffset, .highResolution: bytes.bigEndian64(offset) ?? 0
            }
    }

    /// A calendar stamp plus ticks of 125 µs; `.none` if there is no time.
    init(_ stamp: PHDStamp, plus ticks: UInt64) {
        self = .none
        guard case .time(var time) = stamp.clock else { return }
        // 80 ticks are a hundredth of a second; the product of two 32-bit factors is below 2^58 of these.
        let hundredths = time.wallSeconds * 100 + Int64(time.hundredths) + Int64(ticks / 80)
        let offset = time.utcOffset
        time = DeviceTime(wallSeconds: hundredths / 100)
        guard hundredths >= 0, hundredths < 253_402_300_800 * 100, time.isPossible else { return }
        time.hundredths = UInt8(hundredths % 100)
        time.utcOffset = offset
        let bytes = stamp.kind == .baseOffset ? Self.bytes(baseOffset: time) : Self.bytes(absolute: time)
        guard let bytes, let bits = bytes.span.bigEndian64(0) else { return }
        (kind, self.bits) = (stamp.kind, bits)
    }

    /// Whether equal stamps mean the same moment.
    @inline(__always)
    var isMatchable: Bool {
        switch kind {
        case .none: false
        case .absolute, .baseOffset: clock.time != nil
        case .relative: bits != 0xFFFF_FFFF
        case .highResolution: true
        }
    }

    /// Of two stamps of one observation, a calendar time is preferred to a count, and that to a calendar clock that is not set.
    func isPreferred(to other: PHDStamp) -> Bool { rank > other.rank }

    private var rank: Int {
        switch kind {
        case .none: 0
        case .relative, .highResolution: isMatchable ? 3 : 1
        case .absolute, .baseOffset: isMatchable ? 4 : 2
        }
    }

    /// Whether two measurements cannot share it: it has seconds, so the clock runs, and a measurement takes longer than one. A stamp on the
    /// whole minute may come from a cuff without seconds; hundredths alone are garbage in some [D].
    var tellsSeconds: Bool {
        switch kind {
        case .none: false
        case .absolute: bits & 0xFF00 != 0 && clock.time != nil
        case .baseOffset: (bits >> 32) % 60 != 0
        case .relative, .highResolution: isMatchable && bits != 0
        }
    }

    var isOfCalendar: Bool {
        switch kind {
        case .none, .absolute, .baseOffset: true
        case .relative, .highResolution: false
        }
    }

    /// The agent's clock: relative times have no calendar time.
    @inline(__always)
    var clock: DeviceClock {
        switch kind {
        case .none, .relative, .highResolution: .absent
        case .absolute: Self.absolute(bits)
        case .baseOffset: Self.baseOffset(bits)
        }
    }

    /// Ticks of a relative clock, permanent in the record, so they can serve as its number.
    @inline(__always)
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
        // A nibble above 9 has its highest bit and one of the next two.
        guard bits >> 3 & (bits >> 2 | bits >> 1) & 0x1111_1111_1111_1111 == 0 else { return .impossible(nil) }
        // In each byte, the sixteens become tens.
        let pairs = bits &- (bits >> 4 & 0x0F0F_0F0F_0F0F_0F0F) &* 6
        func pair(_ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: pairs >> shift) }
        return DeviceClock(
            DeviceTime(
                year: Int16(pair(56)) * 100 + Int16(pair(48)), month: pair(40), day: pair(32), hour: pair(24), minute: pair(16),
                second: pair(8), hundredths: pair(0)))
    }

    static func baseOffset(_ bits: UInt64) -> DeviceClock {
        let seconds = Int64(bits >> 32)
        if seconds == 0 { return .unset }
        let offset = Int(Int16(bitPattern: UInt16(truncatingIfNeeded: bits)))
        // RFC 3339 has no longer offsets.
        guard offset.magnitude < 24 * 60 else { return .impossible(nil) }
        var time = DeviceTime(wallSeconds: seconds - secondsFrom1900To1970 + Int64(offset) * 60)
        time.hundredths = UInt8(((bits >> 16 & 0xFFFF) * 100) >> 16)
        time.precision = .hundredth
        time.utcOffset = Int16(offset)
        return DeviceClock(time)
    }

    static let secondsFrom1900To1970: Int64 = 2_208_988_800

    static func bytes(absolute time: DeviceTime) -> [UInt8] {
        time.bcd + [(time.hundredths / 10 % 10) << 4 | time.hundredths % 10]
    }

    /// BaseOffsetTime as eight bytes; `nil` if the time has no zone or is outside 1900…2036.
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
