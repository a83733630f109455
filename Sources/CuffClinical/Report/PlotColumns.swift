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

/// The threshold of a page or a picture, which everything on it uses: from these averages on, a guideline speaks of hypertension. They
/// are lines in a picture; nothing is diagnosed.
public struct ReferenceLines: Sendable, Hashable {
    /// The systolic and the diastolic pressure of the lines, in mmHg.
    public let systolic: Double, diastolic: Double
    /// The guideline that they are from.
    public let document: GuidelineDocument
    /// How readings must have been made for them.
    public let setting: PressureSetting
    /// How well the numbers are founded.
    public let evidence: Evidence

    /// Those of a guideline; of `PressureGuideline.usual` where none is named, or where it has no threshold in this setting.
    public init(_ guideline: PressureGuideline?, _ setting: PressureSetting) {
        let usual = PressureGuideline.usual
        let own = guideline?.thresholds[setting]
        let threshold = own ?? usual.thresholds[setting] ?? PressureThreshold(135, 85, .unverified)
        (systolic, diastolic, evidence) = (Double(threshold.systolic), Double(threshold.diastolic), threshold.evidence)
        document = own == nil ? usual.document : guideline?.document ?? usual.document
        self.setting = setting
    }

    /// Those of averages of measurements at home.
    public static let home = ReferenceLines(nil, .home)

    /// `135/85`.
    var numbers: String { "\(Int(systolic))/\(Int(diastolic))" }
    /// `European Society of Cardiology, 2024, at home; read in the guideline`.
    var origin: String { "\(document.society)\(document.year.map { ", \($0)" } ?? ""), \(setting.words); \(evidence.words)" }
    /// `esc-2024: guideline's text`.
    var shortOrigin: String { "\(document.id): \(evidence.shortWords)" }

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
