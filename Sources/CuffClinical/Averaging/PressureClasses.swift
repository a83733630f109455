/// The classes of one guideline in one setting, the lowest first.
package struct PressureClasses: Sendable, Hashable {
    /// The lower bound of a pressure in a class.
    package enum Bound: Sendable, Hashable {
        case from(Int)
        /// The class depends on the other pressure alone.
        case none

        func holds(_ value: Fraction) -> Bool {
            switch self {
            case .from(let bound): value >= Fraction(Int64(bound))
            case .none: false
            }
        }
    }

    package struct Class: Sendable, Hashable {
        package var name: String
        package var systolic: Bound, diastolic: Bound
        /// The grade of the bounds, if it differs from the table's.
        package var evidence: Evidence?
        /// What the class requires in addition to the mean; may be empty.
        package var condition: String

        init(_ name: String, _ systolic: Bound, _ diastolic: Bound, _ evidence: Evidence? = nil, condition: String = "") {
            (self.name, self.systolic, self.diastolic) = (name, systolic, diastolic)
            (self.evidence, self.condition) = (evidence, condition)
        }
    }

    /// One pressure high and the other not: a remark in addition to the class.
    package struct Isolated: Sendable, Hashable {
        package var isSystolic: Bool
        /// The high pressure is at or above the first number, the other one below the second.
        package var from: Int, below: Int
        package var evidence: Evidence

        func holds(_ systolic: Fraction, _ diastolic: Fraction) -> Bool {
            let (high, other) = isSystolic ? (systolic, diastolic) : (diastolic, systolic)
            return high >= Fraction(Int64(from)) && other < Fraction(Int64(below))
        }
    }

    /// The name of the range below the first class.
    package var lowest: String
    /// The classes above it, ascending.
    package var classes: [Class]
    package var isolated: [Isolated]
    /// The grade of the numbers, unless a class has its own.
    package var evidence: Evidence
    /// The place in the guideline, or where the numbers were read instead; may be empty.
    package var source: String

    init(_ lowest: String, _ classes: [Class], isolated: [Isolated] = [], _ evidence: Evidence, at source: String = "") {
        (self.lowest, self.classes, self.isolated, self.evidence, self.source) = (lowest, classes, isolated, evidence, source)
    }

    /// The rank of a mean's class, 0 for the lowest: that of the systolic or of the diastolic pressure, whichever is higher. Both are
    /// exact.
    func rank(_ systolic: Fraction, _ diastolic: Fraction) -> Int {
        (classes.lastIndex { $0.systolic.holds(systolic) || $0.diastolic.holds(diastolic) } ?? -1) + 1
    }

    package func name(_ rank: Int) -> String { classes.indices.contains(rank - 1) ? classes[rank - 1].name : lowest }

    package func name(_ systolic: Fraction, _ diastolic: Fraction) -> String { name(rank(systolic, diastolic)) }

    /// What a rank requires in addition to the mean.
    package func condition(_ rank: Int) -> String { classes.indices.contains(rank - 1) ? classes[rank - 1].condition : "" }

    /// The grade of the bounds of a rank.
    package func evidence(_ rank: Int) -> Evidence {
        let bounds = [rank - 1, rank].filter(classes.indices.contains)
        return Evidence.summary(bounds.map { classes[$0].evidence ?? evidence })
    }

    /// Whether the guideline calls it isolated systolic; `nil` if it has no such class here.
    func isIsolatedSystolic(_ systolic: Fraction, _ diastolic: Fraction) -> Bool? {
        isolated.first(where: \.isSystolic)?.holds(systolic, diastolic)
    }
}
