/// A mean compared with a guideline, for an adult. It is printed only on request.
package struct Judgement: Sendable, Hashable {
    package struct Mean: Sendable, Hashable {
        /// The part of the day; `nil` for all readings.
        package var window: DayWindow?
        /// Exact, in mmHg.
        package var systolic: Fraction, diastolic: Fraction
        /// Which of the pressures reaches the threshold; both `false` without a threshold.
        package fileprivate(set) var systolicReached = false, diastolicReached = false

        init(_ window: DayWindow?, systolic: Fraction, diastolic: Fraction) {
            (self.window, self.systolic, self.diastolic) = (window, systolic, diastolic)
        }
    }

    package var guideline: PressureGuideline
    /// The threshold of the setting, where the guideline has one.
    package var threshold: PressureThreshold?
    /// The means that were compared, each separately.
    package var means: [Mean]
    /// The class, of several means the highest; `nil` if the guideline has no table for the setting.
    package var className: String?
    package var classEvidence: Evidence?
    /// What the class requires in addition to the mean; may be empty.
    package var condition = ""
    /// Remarks of the guideline that apply to every mean of the highest class.
    package var isolated: [PressureClasses.Isolated] = []
    /// Whether it is isolated systolic; `nil` if the guideline has no such class here.
    package var isIsolatedSystolic: Bool?

    /// Compares exact means; the caller ensures that they are of more than one reading.
    init(_ guideline: PressureGuideline, _ setting: PressureSetting, _ means: [Mean]) {
        self.guideline = guideline
        let threshold = guideline.thresholds[setting]
        self.threshold = threshold
        self.means = means.map { mean in
            var mean = mean
            if let reached = threshold?.reached(mean.systolic, mean.diastolic) {
                (mean.systolicReached, mean.diastolicReached) = reached
            }
            return mean
        }
        guard let table = guideline.classes[setting], let rank = means.map({ table.rank($0.systolic, $0.diastolic) }).max() else { return }
        let highest = means.filter { table.rank($0.systolic, $0.diastolic) == rank }
        className = table.name(rank)
        classEvidence = table.evidence(rank)
        condition = table.condition(rank)
        isolated = table.isolated.filter { remark in highest.allSatisfy { remark.holds($0.systolic, $0.diastolic) } }
        if table.isolated.contains(where: \.isSystolic) { isIsolatedSystolic = isolated.contains(where: \.isSystolic) }
    }

    package init(_ guideline: PressureGuideline, _ setting: PressureSetting, systolic: Fraction, diastolic: Fraction) {
        self.init(guideline, setting, [Mean(nil, systolic: systolic, diastolic: diastolic)])
    }

    /// Which of the pressures reaches the threshold in any of the means; `nil` without a threshold.
    package var reached: (systolic: Bool, diastolic: Bool)? {
        threshold.map { _ in (means.contains(where: \.systolicReached), means.contains(where: \.diastolicReached)) }
    }
}
