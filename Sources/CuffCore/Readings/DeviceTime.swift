/// What a cuff's clock said: a local date and time without zone, which may be wrong. It is not an instant.
public struct DeviceTime: Sendable, Hashable {
    public enum Precision: UInt8, Sendable, Hashable { case day, minute, second, hundredth }

    public var year: Int16
    public var month, day, hour, minute, second, hundredths: UInt8
    public var precision: Precision
    /// Minutes east of UTC where the cuff says so (IEEE 11073 base-offset time); most cuffs know no zone.
    public var utcOffset: Int16?

    public init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int? = nil, hundredths: Int? = nil,
        utcOffset: Int? = nil
    ) {
        self.year = Int16(truncatingIfNeeded: year)
        self.month = UInt8(truncatingIfNeeded: month)
        self.day = UInt8(truncatingIfNeeded: day)
        self.hour = UInt8(truncatingIfNeeded: hour)
        self.minute = UInt8(truncatingIfNeeded: minute)
        self.second = UInt8(truncatingIfNeeded: second ?? 0)
        self.hundredths = UInt8(truncatingIfNeeded: hundredths ?? 0)
        self.precision = hundredths != nil ? .hundredth : second != nil ? .second : .minute
        self.utcOffset = utcOffset.map { Int16(truncatingIfNeeded: $0) }
    }

    /// A time to the hundredth, from fields that are small already.
    @inline(__always)
    init(year: Int16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8, hundredths: UInt8) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.hundredths = hundredths
        precision = .hundredth
        utcOffset = nil
    }

    /// Whether the fields name a moment that a calendar has. 24:00 and leap seconds do not count.
    @inline(__always)
    public var isPossible: Bool {
        month >= 1 && month <= 12 && day >= 1 && (day <= 28 || Int(day) <= Self.days(inMonth: Int(month), of: Int(year)))
            && hour < 24 && minute < 60 && second < 60 && hundredths < 100 && year > 0
    }

    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Seconds from 1970-01-01T00:00:00 on this wall clock, as if it were UTC; for differences and sorting.
    public var wallSeconds: Int64 {
        Self.daysSince1970(year: Int(year), month: Int(month), day: Int(day)) * 86400
            + Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)
    }

    /// Days of the proleptic Gregorian calendar since 1970-01-01.
    public static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    /// The wall clock that shows `seconds` after 1970-01-01T00:00:00.
    public init(wallSeconds: Int64, precision: Precision = .second) {
        let days = wallSeconds >= 0 ? wallSeconds / 86400 : (wallSeconds - 86399) / 86400
        let rest = Int(wallSeconds - days * 86400)
        let z = Int(days) + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let mp = (5 * dayOfYear + 2) / 153
        let month = mp < 10 ? mp + 3 : mp - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month, day: dayOfYear - (153 * mp + 2) / 5 + 1,
            hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60)
        self.precision = precision
    }
}

/// The state of a cuff's clock as one record shows it.
public enum DeviceClock: Sendable, Hashable {
    /// The record carries no time at all.
    case absent
    /// The record has a place for the time, and the cuff says it was never set.
    case unset
    /// The record names a time that no calendar has. The fields are kept as sent where they are numbers.
    case impossible(DeviceTime?)
    case time(DeviceTime)

    /// A time, judged: `impossible` when no calendar has it.
    public init(_ time: DeviceTime) { self = time.isPossible ? .time(time) : .impossible(time) }

    public var time: DeviceTime? { if case .time(let time) = self { time } else { nil } }
}
