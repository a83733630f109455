/// Where and how a pressure was measured. Each setting has its own thresholds and classes.
public enum PressureSetting: String, Sendable, Hashable, CaseIterable {
    case home, office
    case ambulatoryDay = "ambulatory_day"
    case ambulatoryNight = "ambulatory_night"
    case ambulatory24h = "ambulatory_24h"

    /// The text for people.
    public var words: StaticString {
        switch self {
        case .home: "at home"
        case .office: "office"
        case .ambulatoryDay: "ambulatory, day"
        case .ambulatoryNight: "ambulatory, night"
        case .ambulatory24h: "ambulatory, 24 hours"
        }
    }
}

/// A guideline's threshold of hypertension in one setting: either pressure at or above its number.
public struct PressureThreshold: Sendable, Hashable {
    /// mmHg.
    public var systolic: Int, diastolic: Int
    /// The grade of the numbers.
    public var evidence: Evidence
    /// The words of the guideline, if they were read; otherwise empty.
    public var quotation: String
    /// The place in the guideline, or where the numbers were read instead; may be empty.
    public var source: String

    init(_ systolic: Int, _ diastolic: Int, _ evidence: Evidence, _ quotation: String = "", at source: String = "") {
        (self.systolic, self.diastolic, self.evidence) = (systolic, diastolic, evidence)
        (self.quotation, self.source) = (quotation, source)
    }

    /// Which of the two pressures reaches its number; compared exactly.
    public func reached(_ systolic: Fraction, _ diastolic: Fraction) -> (systolic: Bool, diastolic: Bool) {
        (systolic >= Fraction(Int64(self.systolic)), diastolic >= Fraction(Int64(self.diastolic)))
    }
}
