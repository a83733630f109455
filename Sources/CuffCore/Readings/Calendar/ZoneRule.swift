/// A zone's rule after its last listed change, in POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3`.   documented [1]
/// [1] IEEE Std 1003.1, Base Definitions 8.3, `TZ`; RFC 8536 section 3.3 for hours up to ±167.
struct ZoneRule {
    struct Day {
        enum Kind { case julian, ordinal, weekday(month: Int, week: Int) }
        var kind: Kind
        /// The day of the year, or of the week (0 is Sunday).
        var day: Int
        /// Seconds after midnight on the wall clock.
        var time: Int
    }
    var standard: Int32
    var summer: (offset: Int32, begins: Day, ends: Day)?

    init?(_ text: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(text))
        guard scanner.skipName(), let standard = scanner.time() else { return nil }
        self.standard = Int32(-standard)
        guard !scanner.isAtEnd else { return }
        guard scanner.skipName() else { return nil }
        var offset = self.standard + 3600
        if !scanner.isNext(0x2C) {
            guard let explicit = scanner.time() else { return nil }
            offset = Int32(-explicit)
        }
        guard scanner.take(0x2C), let begins = scanner.day(), scanner.take(0x2C), let ends = scanner.day(),
            scanner.isAtEnd
        else { return nil }
        summer = (offset, begins, ends)
    }

    func changes(of year: Int) -> [(start: Int64, offset: Int32)] {
        guard let summer else { return [] }
        let begins = (summer.begins.wallSeconds(in: year) - Int64(standard), summer.offset)
        let ends = (summer.ends.wallSeconds(in: year) - Int64(summer.offset), standard)
        return begins.0 < ends.0 ? [begins, ends] : [ends, begins]
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == bytes.count }
        func isNext(_ byte: UInt8) -> Bool { index < bytes.count && bytes[index] == byte }
        mutating func take(_ byte: UInt8) -> Bool {
            guard isNext(byte) else { return false }
            index += 1
            return true
        }

        mutating func skipName() -> Bool {
            let start = index
            if take(0x3C) {
                while index < bytes.count, bytes[index] != 0x3E { index += 1 }
                return take(0x3E)
            }
            while index < bytes.count, bytes[index] | 0x20 >= 0x61, bytes[index] | 0x20 <= 0x7A { index += 1 }
            return index - start >= 3
        }

        mutating func number() -> Int? {
            let start = index
            var value = 0
            while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39, index - start < 4 {
                value = value * 10 + Int(bytes[index] - 0x30)
                index += 1
            }
            return index > start ? value : nil
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time() -> Int? {
            let sign = take(0x2D) ? -1 : 1
            if sign == 1 { _ = take(0x2B) }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] where take(0x3A) {
                guard let part = number(), part < 60 else { return nil }
                seconds += part * unit
            }
            return sign * seconds
        }

        mutating func day() -> Day? {
            var day: Day
            if take(0x4D) {
                guard let month = number(), (1...12).contains(month), take(0x2E), let week = number(),
                    (1...5).contains(week), take(0x2E), let weekday = number(), weekday <= 6
                else { return nil }
                day = Day(kind: .weekday(month: month, week: week), day: weekday, time: 7200)
            } else if take(0x4A) {
                guard let number = number(), (1...365).contains(number) else { return nil }
                day = Day(kind: .julian, day: number, time: 7200)
            } else {
                guard let number = number(), number <= 365 else { return nil }
                day = Day(kind: .ordinal, day: number, time: 7200)
            }
            if take(0x2F) {
                guard let time = time() else { return nil }
                day.time = time
            }
            return day
        }
    }
}

extension ZoneRule.Day {
    func wallSeconds(in year: Int) -> Int64 {
        let newYear = DeviceTime.daysSince1970(year: year, month: 1, day: 1)
        let date: Int64
        switch kind {
        case .ordinal: date = newYear + Int64(day)
        case .julian:
            // February 29 is never counted.
            let isLeap = DeviceTime.days(inMonth: 2, of: year) == 29
            date = newYear + Int64(day - 1) + (isLeap && day >= 60 ? 1 : 0)
        case .weekday(let month, let week):
            let first = DeviceTime.daysSince1970(year: year, month: month, day: 1)
            let firstWeekday = Int((first + 4) - ((first + 4) / 7) * 7)
            var dayOfMonth = 1 + (day - firstWeekday + 7) % 7 + (week - 1) * 7
            if dayOfMonth > DeviceTime.days(inMonth: month, of: year) { dayOfMonth -= 7 }
            date = first + Int64(dayOfMonth - 1)
        }
        return date * 86400 + Int64(time)
    }
}
