/// The classes of one guideline in one setting, the lowest first.
package struct PressureClasses: Sendable, Hashable {
    package struct Class: Sendable, Hashable {
        package var name: String
        /// The lower bounds; `nil`: the class depends on the other pressure alone.
        package var systolic: Int?, diastolic: Int?
        /// The grade of the bounds, if it differs from the table's.
        package var evidence: Evidence?
        /// What the class requires in addition to the mean; may be empty.
        package var condition: String

        init(_ name: String, _ systolic: Int?, _ diastolic: Int?, _ evidence: Evidence? = nil, condition: String = "") {
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
        func reaches(_ value: Fraction, _ bound: Int?) -> Bool { bound.map { value >= Fraction(Int64($0)) } ?? false }
        return (classes.lastIndex { reaches(systolic, $0.systolic) || reaches(diastolic, $0.diastolic) } ?? -1) + 1
    }

    package func name(_ rank: Int) -> String { classes.indices.contains(rank - 1) ? classes[rank - 1].name : lowest }

    /// What a rank requires in addition to the mean.
    package func condition(_ rank: Int) -> String { classes.indices.contains(rank - 1) ? classes[rank - 1].condition : "" }

    /// The grade of the bounds of a rank.
    package func evidence(_ rank: Int) -> Evidence {
        let bounds = [rank - 1, rank].filter(classes.indices.contains)
        return Evidence.summary(bounds.map { classes[$0].evidence ?? evidence })
    }
}
