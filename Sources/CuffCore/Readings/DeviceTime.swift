/// The time of a cuff's clock: local, without zone, possibly wrong; not an instant.
public struct DeviceTime: Sendable, Hashable {
    /// The finest field sent; finer ones are 0 and not printed.
    public enum Precision: UInt8, Sendable, Hashable { case day, minute, second, hundredth }

    /// The full year, e.g. 2026; families that send two digits add 2000.
    public var year: Int16
    /// Month 1…12, day 1…31, hour 0…23, minute and second 0…59, hundredths 0…99 if the time is possible; otherwise as sent.
    public var month, day, hour, minute, second, hundredths: UInt8
    /// The finest valid field.
    public var precision: Precision
    /// Minutes east of UTC, if sent (IEEE 11073 base-offset time).
    public var utcOffset: Int16?

    /// Fields are truncated to their width and not checked (`isPossible`). The finest field given sets the precision.
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

    /// A time in hundredths of a second, from fields of the final width.
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

    /// Whether the calendar has this time; 24:00 and leap seconds are excluded.
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

    /// Whether a clock that was just set to this time and now shows `clock` has taken it: within two minutes, because some clocks have no
    /// seconds. `elapsed` seconds have passed since.
    func isShown(by clock: DeviceTime, elapsed: Int64 = 0) -> Bool { abs(clock.wallSeconds - wallSeconds - elapsed) <= 120 }

    /// Seconds since 1970-01-01T00:00:00 on this wall clock, as if it were UTC; for differences and sorting.
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

    /// The wall clock that shows `seconds` after 1970-01-01T00:00:00. With years from March, months and years are linear functions of the
    /// day, rounded down (C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms", 2022).
    @inline(__always)
    public init(wallSeconds: Int64, precision: Precision = .second) {
        let days = wallSeconds >= 0 ? wallSeconds / 86400 : (wallSeconds - 86399) / 86400
        let rest = UInt32(truncatingIfNeeded: wallSeconds - days * 86400)
        // Days since 0000-03-01; 400 years have 146,097.
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let inEra = 4 * UInt32(truncatingIfNeeded: z - era * 146_097) + 3
        let century = inEra / 146_097
        // Year and remainder in one multiplication: 2939745 is 2^32 / 1461, rounded up.
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

/// The state of a cuff's clock in one record.
public enum DeviceClock: Sendable, Hashable {
    /// The record has no time field.
    case absent
    /// The time field says that the clock was never set.
    case unset
    /// A time that does not exist, as sent if numeric.
    case impossible(DeviceTime?)
    case time(DeviceTime)
    /// Derived from a counting clock and its relation to the calendar clock. May differ by a tick when derived again, so ids do not use it.
    case derived(DeviceTime)

    /// `time` or, if it does not exist, `impossible`.
    @inline(__always)
    public init(_ time: DeviceTime) { self = time.isPossible ? .time(time) : .impossible(time) }

    /// The possible or derived time, if any.
    public var time: DeviceTime? {
        switch self {
        case .time(let time), .derived(let time): time
        case .absent, .unset, .impossible: nil
        }
    }
}
