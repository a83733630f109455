/// A time with an offset, ISO 8601 as `cuff` writes `measured`: `2026-05-05T07:33+02:00`, `…:20+02:00`, `…:20.120Z`.
public struct Instant: Sendable, Equatable {
    /// Since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64
    /// With seconds and offset, which FHIR requires if there is an hour.
    public let text: String
    /// Minutes east of UTC.
    public let offset: Int
    /// `Z`, or the offset as it was written.
    public let zone: String

    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
            guard rest.count >= count else { return nil }
            var value = 0
            for byte in rest.prefix(count) {
                guard 0x30...0x39 ~= byte else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            rest = rest.dropFirst(count)
            return range ~= value ? value : nil
        }
        func accept(_ character: Unicode.Scalar) -> Bool {
            guard let byte = rest.first, byte == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4, 1...9999), accept("-"), let month = number(2, 1...12), accept("-"),
            let day = number(2, 1...Self.days(year, month)), accept("T"), let hour = number(2, 0...23), accept(":"),
            let minute = number(2, 0...59)
        else { return nil }
        var head = String(text.prefix(16))
        var second = 0
        var fraction = 0
        if accept(":") {
            guard let value = number(2, 0...59) else { return nil }
            second = value
            head = String(text.prefix(19))
            if accept(".") {
                let digits = rest.prefix { 0x30...0x39 ~= $0 }
                guard 1...9 ~= digits.count else { return nil }
                head += "." + String(decoding: digits, as: UTF8.self)
                rest = rest.dropFirst(digits.count)
                for index in 0..<3 { fraction = fraction * 10 + (index < digits.count ? Int(digits[digits.startIndex + index]) - 0x30 : 0) }
            }
        } else {
            head += ":00"
        }
        let zone = String(decoding: rest, as: UTF8.self)
        var offset = 0
        if !accept("Z") {
            let isWest = rest.first == UInt8(ascii: "-")
            guard accept("+") || accept("-"), let hours = number(2, 0...14), accept(":"), let minutes = number(2, 0...59) else {
                return nil
            }
            offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        let minutes = Self.daysSince1970(year, month, day) * 1440 + hour * 60 + minute - offset
        milliseconds = (Int64(minutes) * 60 + Int64(second)) * 1000 + Int64(fraction)
        self.text = head + zone
        self.offset = offset
        self.zone = zone
    }

    private static func days(_ year: Int, _ month: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Years starting in March, so that the leap day is the last day.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let years = month <= 2 ? year - 1 : year
        let months = (month + 9) % 12
        let days = years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day - 1
        return days - 719_468
    }
}
