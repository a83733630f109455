import CuffCore

/// What one column of a picture shows of one quantity: the range of its values and their average.
struct PlotRange: Sendable, Hashable {
    var low, high, average: Double
    var count: Int

    init?(_ statistics: QuantityStatistics) {
        guard let low = statistics.minimum?.value, let high = statistics.maximum?.value, let average = statistics.average()
        else { return nil }
        (self.low, self.high, self.average, count) = (low, high, average, statistics.count)
    }

    mutating func merge(_ other: PlotRange) {
        low = min(low, other.low)
        high = max(high, other.high)
        average = (average * Double(count) + other.average * Double(other.count)) / Double(count + other.count)
        count += other.count
    }
}

/// The pressures a picture draws as reference: from these averages on, guidelines speak of hypertension. They are lines
/// in a picture; nothing is diagnosed.
public struct ReferenceLines: Sendable, Hashable {
    /// The systolic pressure of the line, in mmHg.
    public var systolic: Double
    /// The diastolic pressure of the line, in mmHg.
    public var diastolic: Double
    /// Sets each property as given.
    public init(systolic: Double, diastolic: Double) {
        self.systolic = systolic
        self.diastolic = diastolic
    }
    /// 135/85 mmHg for averages of measurements at home (2023 guidelines of the European Society of Hypertension).
    public static let home = ReferenceLines(systolic: 135, diastolic: 85)

    /// Whether either pressure reaches its line.
    public func isReached(_ systolic: Double, _ diastolic: Double) -> Bool {
        systolic >= self.systolic || diastolic >= self.diastolic
    }
}

/// Dates as pictures write them.
enum DateWords {
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays: [StaticString] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// `5 May`.
    static func dayAndMonth(_ day: Int64) -> String {
        let date = DeviceTime(wallSeconds: day * 86400)
        return "\(date.day) \(months[Int(date.month) - 1])"
    }

    /// `Tue 5 May`.
    static func weekday(_ day: Int64) -> String {
        let weekday = Int(day + 3 - WallTime.floor(day + 3, 7) * 7)
        return "\(weekdays[weekday]) \(dayAndMonth(day))"
    }

    /// `5 May 2026`.
    static func full(_ day: Int64) -> String { "\(dayAndMonth(day)) \(DeviceTime(wallSeconds: day * 86400).year)" }

    static func month(_ day: Int64) -> String {
        let date = DeviceTime(wallSeconds: day * 86400)
        return "\(months[Int(date.month) - 1]) \(date.year)"
    }
}
