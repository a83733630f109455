/// What a guideline says of a mean, for an adult; nothing of it is said without being asked for.
public struct Judgement: Sendable, Hashable {
    /// One mean that is compared.
    public struct Mean: Sendable, Hashable {
        /// The part of the day; `nil` for all readings.
        public var window: DayWindow?
        /// Exact, in mmHg.
        public var systolic: Fraction, diastolic: Fraction
        /// Which of the pressures reaches the threshold; both `false` where there is none.
        public fileprivate(set) var systolicReached = false, diastolicReached = false

        /// Sets each property as given.
        public init(_ window: DayWindow?, systolic: Fraction, diastolic: Fraction) {
            (self.window, self.systolic, self.diastolic) = (window, systolic, diastolic)
        }
    }

    /// The guideline whose tables are used.
    public var guideline: PressureGuideline
    /// How the readings were made.
    public var setting: PressureSetting
    /// The threshold of the setting, where the guideline has one.
    public var threshold: PressureThreshold?
    /// The means that were compared, each by itself.
    public var means: [Mean]
    /// The class: of several means the highest; `nil` where the guideline has no table for the setting.
    public var className: String?
    /// How well the bounds of the class are founded.
    public var classEvidence: Evidence?
    /// What the name of the class asks for beside the mean; empty where the mean is enough.
    public var condition = ""
    /// Remarks of the guideline that hold for every mean of the highest class.
    public var isolated: [PressureClasses.Isolated] = []
    /// Whether it is isolated systolic; `nil` where the guideline has no such class here.
    public var isIsolatedSystolic: Bool?

    /// Compares exact means; the caller has made sure that they are of more than one reading.
    public init(_ guideline: PressureGuideline, _ setting: PressureSetting, _ means: [Mean]) {
        self.guideline = guideline
        self.setting = setting
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

    /// Compares one exact mean.
    public init(_ guideline: PressureGuideline, _ setting: PressureSetting, systolic: Fraction, diastolic: Fraction) {
        self.init(guideline, setting, [Mean(nil, systolic: systolic, diastolic: diastolic)])
    }

    /// Which of the pressures reaches the threshold, in any of the means; `nil` where there is none.
    public var reached: (systolic: Bool, diastolic: Bool)? {
        threshold.map { _ in (means.contains(where: \.systolicReached), means.contains(where: \.diastolicReached)) }
    }
}
