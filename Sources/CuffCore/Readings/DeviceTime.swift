/// What a cuff's clock said: a local date and time without zone, which may be wrong. It is not an instant.
public struct DeviceTime: Sendable, Hashable {
    /// The finest field that the cuff sent. Finer fields are 0 and are not printed.
    public enum Precision: UInt8, Sendable, Hashable { case day, minute, second, hundredth }

    /// The full year, e.g. 2026; families that send two digits add 2000.
    public var year: Int16
    /// Month 1…12, day 1…31, hour 0…23, minute and second 0…59, hundredths 0…99 where the time is possible; otherwise as sent.
    public var month, day, hour, minute, second, hundredths: UInt8
    /// The finest field that counts.
    public var precision: Precision
    /// Minutes east of UTC where the cuff says so (IEEE 11073 base-offset time); most cuffs know no zone.
    public var utcOffset: Int16?

    /// Fields are cut to their width and not checked (`isPossible`). The finest field given sets the precision.
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

    /// The days of a month of the Gregorian calendar, 28…31; 31 for a month that does not exist.
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
    ///
    /// Years begin in March here, so that the leap day is a year's last, and months and years are linear functions of the day,
    /// rounded down (C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms", 2022).
    /// A division by a constant is a multiplication, and cheapest in 32 bits: every line of a live cuff has such a time.
    public init(wallSeconds: Int64, precision: Precision = .second) {
        let days = wallSeconds >= 0 ? wallSeconds / 86400 : (wallSeconds - 86399) / 86400
        let rest = UInt32(truncatingIfNeeded: wallSeconds - days * 86400)
        // Days since 0000-03-01; 400 years of the calendar have 146,097.
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let inEra = 4 * UInt32(truncatingIfNeeded: z - era * 146_097) + 3
        let century = inEra / 146_097
        // A year and its rest in one multiplication: 2939745 is 2^32 / 1461, rounded up.
        let scaled = 2_939_745 * UInt64(inEra % 146_097 | 3)
        let dayOfYear = UInt32(truncatingIfNeeded: scaled) / 2_939_745 / 4
        let ofMonth = 2141 * dayOfYear + 197_913
        let month = ofMonth >> 16
        let isNextYear = dayOfYear >= 306
        self.init(
            year: Int(era) * 400 + Int(100 * century) + Int(scaled >> 32) + (isNextYear ? 1 : 0),
            month: Int(isNextYear ? month - 12 : month), day: Int((ofMonth & 0xFFFF) / 2141 + 1),
            hour: Int(rest / 3600), minute: Int(rest / 60 % 60), second: Int(rest % 60))
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
    /// The record carries ticks of a counting clock; the time follows from what the cuff's counting clock and its calendar
    /// clock showed together. It may differ by a tick when it is worked out again, so no id begins with it.
    case derived(DeviceTime)

    /// A time, judged: `impossible` when no calendar has it.
    @inline(__always)
    public init(_ time: DeviceTime) { self = time.isPossible ? .time(time) : .impossible(time) }

    /// The time where the clock shows a possible one, or one was derived; `nil` in the other cases.
    public var time: DeviceTime? {
        switch self {
        case .time(let time), .derived(let time): time
        case .absent, .unset, .impossible: nil
        }
    }
}
