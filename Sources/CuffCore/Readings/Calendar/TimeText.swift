extension Timestamp {
    /// Parses RFC 3339, e.g. `2026-05-05T07:33:00+02:00` or `2026-05-05T05:40:00.120Z`, with the minutes east of UTC. A blank may replace
    /// `T`. `nil` for other text, including times without a zone.
    public static func parse(_ text: Span<UInt8>) -> (time: Timestamp, offset: Int16)? {
        guard text.count >= 20, let wall = TimeText.wall(text), wall.second != nil else { return nil }
        var index = 19
        var milliseconds = 0
        if text[index] == 0x2E {
            index += 1
            var digits = 0
            while index < text.count, text[index] &- 0x30 < 10 {
                if digits < 3 { milliseconds = milliseconds * 10 + Int(text[index] - 0x30) }
                digits += 1
                index += 1
            }
            guard digits > 0 else { return nil }
            for _ in min(digits, 3)..<3 { milliseconds *= 10 }
        }
        guard index < text.count else { return nil }
        var offset = 0
        switch text[index] {
        case 0x5A, 0x7A: guard index + 1 == text.count else { return nil }
        case 0x2B, 0x2D:
            guard index + 6 == text.count, text[index + 3] == 0x3A, let hours = text.digits(index + 1, 2),
                let minutes = text.digits(index + 4, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (text[index] == 0x2D ? -1 : 1)
        default: return nil
        }
        let seconds = wall.time.wallSeconds - Int64(offset) * 60
        return (Timestamp(milliseconds: seconds * 1000 + Int64(milliseconds)), Int16(offset))
    }

    /// Parses a string.
    public static func parse(_ text: String) -> (time: Timestamp, offset: Int16)? { parse(Array(text.utf8).span) }
}

extension DeviceTime {
    /// Parses a local time without zone: `2026-05-05`, `…T07:31`, `…T07:31:10`, `…T07:31:10.50`; it may be impossible.
    public static func parse(_ bytes: Span<UInt8>) -> DeviceTime? {
        if bytes.count == 10, let day = TimeText.day(bytes) {
            var time = DeviceTime(year: day.year, month: day.month, day: day.day)
            time.precision = .day
            return time
        }
        guard let wall = TimeText.anyWall(bytes) else { return nil }
        switch bytes.count {
        case 16: return wall.time
        case 19 where wall.second != nil: return wall.time
        case 22 where wall.second != nil && bytes[19] == 0x2E:
            guard let hundredths = bytes.digits(20, 2) else { return nil }
            var time = wall.time
            time.hundredths = UInt8(hundredths)
            time.precision = .hundredth
            return time
        default: return nil
        }
    }

    /// Parses a string.
    public static func parse(_ text: String) -> DeviceTime? { parse(Array(text.utf8).span) }
}

enum TimeText {
    static func day(_ text: Span<UInt8>) -> (year: Int, month: Int, day: Int)? {
        guard text.count >= 10, text[4] == 0x2D, text[7] == 0x2D, let year = text.digits(0, 4),
            let month = text.digits(5, 2), let day = text.digits(8, 2)
        else { return nil }
        return (year, month, day)
    }

    static func wall(_ text: Span<UInt8>) -> (time: DeviceTime, second: Int?)? {
        guard let wall = anyWall(text), wall.time.isPossible else { return nil }
        return wall
    }

    static func anyWall(_ text: Span<UInt8>) -> (time: DeviceTime, second: Int?)? {
        guard text.count >= 16, let day = day(text), text[10] == 0x54 || text[10] == 0x20 || text[10] == 0x74,
            let hour = text.digits(11, 2), text[13] == 0x3A, let minute = text.digits(14, 2)
        else { return nil }
        var second: Int?
        if text.count >= 19, text[16] == 0x3A { second = text.digits(17, 2) }
        return (
            DeviceTime(year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second),
            second
        )
    }
}
