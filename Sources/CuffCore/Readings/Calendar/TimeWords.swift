/// Times of the command line: `2026-05-05`, `2026-05-05T07:30`, RFC 3339 with or without seconds, `7d`, `36h`, `today`, `yesterday`, `monday`, `now`, `21:00`
/// (today), `yesterday 21:00`, `@1777959180` (seconds since 1970).
package enum TimeWords {
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// A date or day name means its beginning; `7d` the same time of day seven days ago. `nil` for other text.
    package static func instant(_ text: String, now: Timestamp, zone: ZoneTable) -> Timestamp? {
        if let exact = Timestamp.parse(text) { return exact.time }
        // As `stats --by hour` prints it: an offset without seconds.
        if text.dropFirst(16).first.map({ "Zz+-".contains($0) }) ?? false,
            let exact = Timestamp.parse("\(text.prefix(16)):00\(text.dropFirst(16))")
        {
            return exact.time
        }
        if text.first == "@" {
            // Within 9,999 years, so that every calendar has the time.
            guard let seconds = Int64(text.dropFirst()), (0...253_402_300_799).contains(seconds) else { return nil }
            return Timestamp(seconds: seconds)
        }
        if let local = DeviceTime.parse(text) {
            guard local.isPossible else { return nil }
            return local.precision == .day ? day(local.wallSeconds, zone) : at(local.wallSeconds, zone)
        }
        // Users may type a blank for `T`.
        let wall = zone.wall(at: now.seconds)
        let today = WallTime.floor(wall, 86400)
        let word = text.lowercased()
        if word == "now" { return now }
        if let number = dayNumber(word, today) { return day(number * 86400, zone) }
        let parts = word.split(separator: " ").map(String.init)
        if let minute = parts.last.flatMap(minuteOfDay), minute < 1440, parts.count <= 2 {
            return dayNumber(parts.count == 2 ? parts[0] : "today", today).map { at($0 * 86400 + Int64(minute) * 60, zone) }
        }
        guard let unit = word.last, let count = Int64(word.dropLast()), count >= 0, count < 100_000 else { return nil }
        switch unit {
        case "d": return at(wall - count * 86400, zone)
        case "w": return at(wall - count * 7 * 86400, zone)
        case "h": return Timestamp(seconds: now.seconds - count * 3600)
        default: return nil
        }
    }

    /// Days since 1970 of a word; a day of the week is the last one, today included.
    private static func dayNumber(_ word: String, _ today: Int64) -> Int64? {
        if word == "today" { return today }
        if word == "yesterday" { return today - 1 }
        guard let weekday = weekdays.firstIndex(of: word) else {
            return DeviceTime.parse(word).flatMap { $0.precision == .day && $0.isPossible ? WallTime.floor($0.wallSeconds, 86400) : nil }
        }
        return today - Int64(Int(today + 3 - WallTime.floor(today + 3, 7) * 7) - weekday + 7) % 7
    }

    private static func at(_ wall: Int64, _ zone: ZoneTable) -> Timestamp { Timestamp(seconds: zone.instant(ofWall: wall)) }
    private static func day(_ wall: Int64, _ zone: ZoneTable) -> Timestamp { Timestamp(seconds: zone.firstInstant(fromWall: wall)) }

    /// Minutes after midnight of `08:00` or `8:00`; 24:00 is the end of the day.
    package static func minuteOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0...24).contains(hour), (0..<60).contains(minute), hour < 24 || minute == 0
        else { return nil }
        return hour * 60 + minute
    }
}

extension Reading.ID: CustomStringConvertible {
    /// The printed form, `20260505T073110-9f0c61d2a4b7e3f0`; zeros if the id has no time.
    public var description: String { TextBuffer.text { $0.append(self) } }

    /// Parses the printed form.
    public static func parse(_ text: Span<UInt8>) -> Reading.ID? {
        guard text.count == 32, text[8] == 0x54, text[15] == 0x2D else { return nil }
        var hash: UInt64 = 0
        for index in 16..<32 {
            let byte = text[index]
            switch byte {
            case 0x30...0x39: hash = hash << 4 | UInt64(byte - 0x30)
            case 0x61...0x66: hash = hash << 4 | UInt64(byte - 0x57)
            default: return nil
            }
        }
        guard let year = text.digits(0, 4), let month = text.digits(4, 2), let day = text.digits(6, 2),
            let hour = text.digits(9, 2), let minute = text.digits(11, 2), let second = text.digits(13, 2)
        else { return nil }
        var id = Reading.ID(wallSeconds: nil, hash: hash)
        if year == 0 { return id }
        let time = DeviceTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard time.isPossible else { return nil }
        id.begin(time)
        return id
    }

    /// Parses a string; `nil` for anything but the 32 characters of an id.
    public static func parse(_ text: String) -> Reading.ID? { parse(Array(text.utf8).span) }
}
