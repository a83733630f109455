extension ZoneTable {
    /// The last year for which a rule is expanded; later instants keep its last offset.
    static let lastYear = 2199

    /// A zone from its POSIX rule alone, e.g. `EST5EDT,M3.2.0,M11.1.0`, applied from 1970. `nil` for an invalid rule.
    public init?(rule text: String, name: String? = nil) {
        guard let rule = ZoneRule(text.utf8) else { return nil }
        self.init(
            name: name ?? text, first: rule.standard,
            changes: (1970...Self.lastYear).flatMap { rule.changes(of: $0) })
    }

    /// A zone from the bytes of a zone file (`/usr/share/zoneinfo/Europe/Berlin`, `/etc/localtime`); `nil` when they are
    /// not one. Only the 64-bit part of version 2 and later is read; its footer is written out to `lastYear`.
    /// Header  `TZif` version(1) 0×15 isutcnt isstdcnt leapcnt timecnt typecnt charcnt, each 32 bits, big-endian
    /// Data    timecnt × time(4 or 8), timecnt × type(1), typecnt × [offset(4) isdst(1) name(1)], names, leap seconds,
    ///         isstdcnt × 1, isutcnt × 1; the second part is followed by LF rule LF                    documented [1]
    /// [1] RFC 8536 section 3
    public init?(tzif bytes: [UInt8], name: String) {
        // The largest zone file of the 2024 data base has under 4 kB; the format has no limit.
        guard bytes.count <= 65536, let old = Header(bytes.span, at: 0), old.version >= 2 else { return nil }
        let second = Header.length + old.dataLength(timeSize: 4)
        guard let header = Header(bytes.span, at: second) else { return nil }
        let times = second + Header.length
        let types = times + header.times * 8
        let infos = types + header.times
        let footer = times + header.dataLength(timeSize: 8)
        guard header.types > 0, footer <= bytes.count else { return nil }

        func offset(ofType type: Int) -> Int32? {
            guard type < header.types else { return nil }
            return Int32(truncatingIfNeeded: Self.big(bytes.span, infos + 6 * type, 4))
        }
        guard let first = offset(ofType: 0) else { return nil }
        var changes: [(start: Int64, offset: Int32)] = []
        for index in 0..<header.times {
            guard let offset = offset(ofType: Int(bytes[types + index])) else { return nil }
            changes.append((Self.big(bytes.span, times + 8 * index, 8), offset))
        }
        let rule = bytes[footer...].split(separator: 0x0A).first.flatMap { ZoneRule($0) }
        if let rule {
            let last = changes.last?.start ?? 0
            let year = max(1970, Int(DeviceTime(wallSeconds: last).year))
            if year <= Self.lastYear {
                for change in (year...Self.lastYear).flatMap({ rule.changes(of: $0) }) where change.start > last {
                    changes.append(change)
                }
            }
        }
        self.init(name: name, first: first, changes: changes)
    }

    private static func big(_ bytes: Span<UInt8>, _ start: Int, _ size: Int) -> Int64 {
        var value: UInt64 = 0
        for index in start..<min(start + size, bytes.count) { value = value << 8 | UInt64(bytes[index]) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }

    private struct Header {
        static let length = 44
        var version: Int
        var isUTC, isStandard, leaps, times, types, characters: Int

        init?(_ bytes: Span<UInt8>, at start: Int) {
            guard start >= 0, start + Self.length <= bytes.count, bytes[start] == 0x54, bytes[start + 1] == 0x5A,
                bytes[start + 2] == 0x69, bytes[start + 3] == 0x66
            else { return nil }
            version = bytes[start + 4] >= 0x32 ? Int(bytes[start + 4] - 0x30) : 1
            var counts: [Int] = []
            for index in 0..<6 {
                let count = ZoneTable.big(bytes, start + 20 + 4 * index, 4)
                guard count >= 0, count <= 65536 else { return nil }
                counts.append(Int(count))
            }
            (isUTC, isStandard, leaps) = (counts[0], counts[1], counts[2])
            (times, types, characters) = (counts[3], counts[4], counts[5])
        }

        func dataLength(timeSize: Int) -> Int {
            times * timeSize + times + types * 6 + characters + leaps * (timeSize + 4) + isStandard + isUTC
        }
    }
}
