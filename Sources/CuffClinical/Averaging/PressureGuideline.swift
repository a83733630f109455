/// Where and how a pressure was measured. A number means another thing in each, so each has tables of its own.
public enum PressureSetting: String, Sendable, Hashable, CaseIterable {
    case home, office
    case ambulatoryDay = "ambulatory_day"
    case ambulatoryNight = "ambulatory_night"
    case ambulatory24h = "ambulatory_24h"
}

/// The mean from which on a guideline speaks of hypertension in one setting: either pressure at or above its number.
public struct PressureThreshold: Sendable, Hashable {
    /// mmHg.
    public var systolic: Int, diastolic: Int
    /// How well the numbers are founded.
    public var evidence: Evidence

    init(_ systolic: Int, _ diastolic: Int, _ evidence: Evidence) {
        (self.systolic, self.diastolic, self.evidence) = (systolic, diastolic, evidence)
    }

    /// Which of the two pressures reaches its number; compared exactly.
    public func reached(_ systolic: Fraction, _ diastolic: Fraction) -> (systolic: Bool, diastolic: Bool) {
        (systolic >= Fraction(Int64(self.systolic)), diastolic >= Fraction(Int64(self.diastolic)))
    }
}

/// The classes of one guideline in one setting, the lowest first.
public struct PressureClasses: Sendable, Hashable {
    /// From where on a pressure is in a class.
    public enum Bound: Sendable, Hashable {
        case from(Int)
        case above(Int)
        /// The class has no bound of this pressure: the other one alone leads into it.
        case none

        func holds(_ value: Fraction) -> Bool {
            switch self {
            case .from(let bound): value >= Fraction(Int64(bound))
            case .above(let bound): Fraction(Int64(bound)) < value
            case .none: false
            }
        }
    }

    /// One class.
    public struct Class: Sendable, Hashable {
        /// As the guideline calls it.
        public var name: String
        /// Its lower bounds.
        public var systolic: Bound, diastolic: Bound

        init(_ name: String, _ systolic: Bound, _ diastolic: Bound) {
            (self.name, self.systolic, self.diastolic) = (name, systolic, diastolic)
        }
    }

    /// What lies below the first class.
    public var lowest: String
    /// The classes above it, ascending.
    public var classes: [Class]
    /// Systolic from the first number on with a diastolic pressure below the second: isolated systolic hypertension.
    public var isolatedSystolic: (from: Int, below: Int)?
    /// How well the numbers are founded.
    public var evidence: Evidence

    init(_ lowest: String, _ classes: [Class], isolatedSystolic: (from: Int, below: Int)? = nil, _ evidence: Evidence) {
        self.lowest = lowest
        self.classes = classes
        self.isolatedSystolic = isolatedSystolic
        self.evidence = evidence
    }

    /// The class of a mean: that of the systolic or of the diastolic pressure, whichever is higher. Both are exact.
    public func name(_ systolic: Fraction, _ diastolic: Fraction) -> String {
        classes.last { $0.systolic.holds(systolic) || $0.diastolic.holds(diastolic) }?.name ?? lowest
    }

    /// Whether the guideline calls it isolated systolic; `nil` where it has no such class here.
    public func isIsolatedSystolic(_ systolic: Fraction, _ diastolic: Fraction) -> Bool? {
        isolatedSystolic.map { systolic >= Fraction(Int64($0.from)) && diastolic < Fraction(Int64($0.below)) }
    }

    /// Equal in every number and name.
    public static func == (a: PressureClasses, b: PressureClasses) -> Bool {
        a.lowest == b.lowest && a.classes == b.classes && a.evidence == b.evidence && a.isolatedSystolic?.from == b.isolatedSystolic?.from
            && a.isolatedSystolic?.below == b.isolatedSystolic?.below
    }

    /// Feeds what makes it different.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(lowest)
        hasher.combine(classes)
    }
}

/// The tables of one guideline, for adults. Nothing is applied unless a person names it.
public struct PressureGuideline: Sendable, Hashable {
    /// As it is named on a command line, with its year.
    public var name: String
    /// The society, or societies.
    public var title: String
    /// The year of the document.
    public var year: Int
    /// From which mean on it speaks of hypertension.
    public var thresholds: [PressureSetting: PressureThreshold]
    /// Its classes; a setting without a table has none.
    public var classes: [PressureSetting: PressureClasses]
    /// Where a reader finds the numbers.
    public var source: String

    /// The guideline of that name; `nil` where there is none.
    public static func named(_ name: String) -> PressureGuideline? { all.first { $0.name == name } }
}
