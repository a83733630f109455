// Times in the bytes of cuffs.

extension Span where Element == UInt8 {
    /// A time of which each field is a byte at its offset, the year since 2000; `nil` beyond the end.
    func time(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int? = nil) -> DeviceTime? {
        guard let year = byte(year), let month = byte(month), let day = byte(day), let hour = byte(hour), let minute = byte(minute) else {
            return nil
        }
        return DeviceTime(
            year: 2000 + Int(year), month: Int(month), day: Int(day), hour: Int(hour), minute: Int(minute),
            second: second.flatMap { byte($0) }.map { Int($0) })
    }

    /// A time of which each field is two ASCII digits at its offset, the year `yearDigits`; `nil` for other text.
    func printedTime(
        year: Int, yearDigits: Int = 4, month: Int, day: Int, hour: Int, minute: Int, second: Int? = nil
    ) -> DeviceTime? {
        guard let year = digits(year, yearDigits), let month = digits(month, 2), let day = digits(day, 2), let hour = digits(hour, 2),
            let minute = digits(minute, 2)
        else { return nil }
        let seconds = second.flatMap { digits($0, 2) }
        guard second == nil || seconds != nil else { return nil }
        return DeviceTime(
            year: yearDigits == 2 ? 2000 + year : year, month: month, day: day, hour: hour, minute: minute, second: seconds)
    }

    /// `YYMMDDhhmm` in ASCII digits; `nil` for other text.
    @inline(__always)
    func printedTime(_ offset: Int) -> DeviceTime? {
        guard let (year, month, day, hour) = digitPairs(offset), let minute = digits(offset + 8, 2) else { return nil }
        return DeviceTime(year: 2000 + year, month: month, day: day, hour: hour, minute: minute)
    }
}

extension DeviceTime {
    /// Year since 2000, month, day, hour and minute.
    var fields: [UInt8] { [UInt8(clamping: Int(year) - 2000), month, day, hour, minute] }
    /// Century, year, month, day, hour, minute and second, of two digits each.
    var pairs: [Int] { [Int(year) / 100, Int(year) % 100, Int(month), Int(day), Int(hour), Int(minute), Int(second)] }
    /// `pairs` with a digit in each half of a byte.
    var bcd: [UInt8] { pairs.map { UInt8(truncatingIfNeeded: ($0 / 10 % 10) << 4 | $0 % 10) } }
    /// `YYMMDDhhmm`.
    var printed: String { Decimal.pairs(fields.map { Int($0) }) }
}

extension DeviceClock {
    /// Month and day 0 say that the clock was never set.
    init(orUnset time: DeviceTime?) {
        self = time.map { $0.month == 0 && $0.day == 0 ? .unset : DeviceClock($0) } ?? .impossible(nil)
    }
}
