/// Where and how a pressure was measured. A number means another thing in each, so each has tables of its own.
public enum PressureSetting: String, Sendable, Hashable, CaseIterable {
    case home, office
    case ambulatoryDay = "ambulatory_day"
    case ambulatoryNight = "ambulatory_night"
    case ambulatory24h = "ambulatory_24h"

    /// As people read it.
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

/// The mean from which on a guideline speaks of hypertension in one setting: either pressure at or above its number.
public struct PressureThreshold: Sendable, Hashable {
    /// mmHg.
    public var systolic: Int, diastolic: Int
    /// How well the numbers are founded.
    public var evidence: Evidence
    /// The words of the guideline, where they were read; else empty.
    public var quotation: String
    /// Where they stand, or where the numbers were read instead; empty for the guideline itself.
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

/// The classes of one guideline in one setting, the lowest first.
public struct PressureClasses: Sendable, Hashable {
    /// From where on a pressure is in a class.
    public enum Bound: Sendable, Hashable {
        case from(Int)
        /// The class has no bound of this pressure: the other one alone leads into it.
        case none

        func holds(_ value: Fraction) -> Bool {
            switch self {
            case .from(let bound): value >= Fraction(Int64(bound))
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
        /// How well they are founded, where that differs from the table.
        public var evidence: Evidence?
        /// What the name asks for beside the mean; empty where the mean is enough.
        public var condition: String

        init(_ name: String, _ systolic: Bound, _ diastolic: Bound, _ evidence: Evidence? = nil, condition: String = "") {
            (self.name, self.systolic, self.diastolic) = (name, systolic, diastolic)
            (self.evidence, self.condition) = (evidence, condition)
        }
    }

    /// One pressure high and the other not: a remark beside the class.
    public struct Isolated: Sendable, Hashable {
        /// Whether the systolic pressure is the high one.
        public var isSystolic: Bool
        /// The high pressure is at or above the first number, the other one below the second.
        public var from: Int, below: Int
        /// How well the numbers are founded.
        public var evidence: Evidence

        func holds(_ systolic: Fraction, _ diastolic: Fraction) -> Bool {
            let (high, other) = isSystolic ? (systolic, diastolic) : (diastolic, systolic)
            return high >= Fraction(Int64(from)) && other < Fraction(Int64(below))
        }
    }

    /// What lies below the first class.
    public var lowest: String
    /// The classes above it, ascending.
    public var classes: [Class]
    /// The remarks that the guideline has.
    public var isolated: [Isolated]
    /// How well the numbers are founded, but for those of a class that says otherwise.
    public var evidence: Evidence
    /// Where the numbers stand, or where they were read instead; empty for the guideline itself.
    public var source: String

    init(_ lowest: String, _ classes: [Class], isolated: [Isolated] = [], _ evidence: Evidence, at source: String = "") {
        (self.lowest, self.classes, self.isolated, self.evidence, self.source) = (lowest, classes, isolated, evidence, source)
    }

    /// The rank of a mean's class, 0 for the lowest: that of the systolic or of the diastolic pressure, whichever is higher. Both are
    /// exact.
    public func rank(_ systolic: Fraction, _ diastolic: Fraction) -> Int {
        (classes.lastIndex { $0.systolic.holds(systolic) || $0.diastolic.holds(diastolic) } ?? -1) + 1
    }

    /// The name of a rank.
    public func name(_ rank: Int) -> String { classes.indices.contains(rank - 1) ? classes[rank - 1].name : lowest }

    /// The class of a mean.
    public func name(_ systolic: Fraction, _ diastolic: Fraction) -> String { name(rank(systolic, diastolic)) }

    /// What the name of a rank asks for beside the mean.
    public func condition(_ rank: Int) -> String { classes.indices.contains(rank - 1) ? classes[rank - 1].condition : "" }

    /// How well the bounds are founded between which a rank lies.
    public func evidence(_ rank: Int) -> Evidence {
        let bounds = [rank - 1, rank].filter(classes.indices.contains)
        return Evidence.summary(bounds.map { classes[$0].evidence ?? evidence })
    }

    /// Whether the guideline calls it isolated systolic; `nil` where it has no such class here.
    public func isIsolatedSystolic(_ systolic: Fraction, _ diastolic: Fraction) -> Bool? {
        isolated.first(where: \.isSystolic)?.holds(systolic, diastolic)
    }
}

/// The tables of one guideline, for adults. Nothing is applied unless a person names it.
public struct PressureGuideline: Sendable, Hashable {
    /// The text that they are from.
    public var document: GuidelineDocument
    /// From which mean on it speaks of hypertension.
    public var thresholds: [PressureSetting: PressureThreshold]
    /// Its classes; a setting without a table has none.
    public var classes: [PressureSetting: PressureClasses]
    /// Whether at home the mean of the mornings or that of the evenings has to reach the threshold, rather than the mean of all.
    public var comparesMorningAndEvening = false

    /// As it is named on a command line, with its year.
    public var name: String { document.id }
    /// The society, or societies.
    public var title: String { document.society }
    /// The year of the document.
    public var year: Int { document.year ?? 0 }
    /// Where a reader finds the numbers.
    public var source: String { document.citation + (document.doi.isEmpty ? "" : ", doi \(document.doi)") }

    /// The guideline of that name, or of another name of its document; `nil` where there is none.
    public static func named(_ name: String) -> PressureGuideline? { all.first { $0.document.isNamed(name) } }

    /// The one whose thresholds pages and pictures draw where none is named: every number of it was read in the guideline.
    public static let usual = esc2024
}
