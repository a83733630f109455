/// What a guideline says of a mean, for an adult; nothing of it is said without being asked for.
public struct Judgement: Sendable, Hashable {
    /// The guideline whose tables are used.
    public var guideline: PressureGuideline
    /// How the readings were made.
    public var setting: PressureSetting
    /// The threshold of the setting, where the guideline has one.
    public var threshold: PressureThreshold?
    /// Which of the pressures reaches the threshold; `nil` where there is none.
    public var reached: (systolic: Bool, diastolic: Bool)?
    /// The class of the mean; `nil` where the guideline has no table for the setting.
    public var className: String?
    /// How well the table of classes is founded.
    public var classEvidence: Evidence?
    /// `nil` where the guideline has no such class here.
    public var isIsolatedSystolic: Bool?

    /// Compares exact means; the caller has made sure that they are of more than one reading.
    public init(_ guideline: PressureGuideline, _ setting: PressureSetting, systolic: Fraction, diastolic: Fraction) {
        self.guideline = guideline
        self.setting = setting
        threshold = guideline.thresholds[setting]
        reached = threshold?.reached(systolic, diastolic)
        let table = guideline.classes[setting]
        className = table?.name(systolic, diastolic)
        classEvidence = table?.evidence
        isIsolatedSystolic = table?.isIsolatedSystolic(systolic, diastolic)
    }

    /// Equal in what they say.
    public static func == (a: Judgement, b: Judgement) -> Bool {
        a.guideline == b.guideline && a.setting == b.setting && a.className == b.className && a.isIsolatedSystolic == b.isIsolatedSystolic
            && a.reached?.systolic == b.reached?.systolic && a.reached?.diastolic == b.reached?.diastolic
    }

    /// Feeds what makes it different.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(guideline.name)
        hasher.combine(setting)
        hasher.combine(className)
    }
}

extension Fraction {
    /// As people read a mean in mmHg: one decimal within 1 mmHg of a threshold, else whole, half up. It is for print only.
    public func printed(near threshold: Int?) -> String {
        guard let threshold, let distance = subtracting(Fraction(Int64(threshold)))?.magnitude, distance <= Fraction(1) else {
            return rounded(places: 0).text
        }
        return rounded(places: 1).text
    }
}
