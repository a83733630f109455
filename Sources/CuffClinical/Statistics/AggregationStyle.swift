/// How values over time become one number, by HealthKit's names.
public enum AggregationStyle: String, Sendable, Hashable, CaseIterable {
    /// Every value counts the same.
    case discreteArithmetic = "discrete-arithmetic"
    /// The area under the straight lines between consecutive values, divided by the time they span. Values of one instant, or a single
    /// one, are averaged arithmetically.
    case discreteTemporallyWeighted = "discrete-temporally-weighted"
    /// Values add up. It makes sense for counts, not for pressures.
    case cumulative
    /// Sound levels: the level of a steady sound with the same energy, each value weighted by how long it lasted. Values without a
    /// duration are averaged with equal weights, and only if none has a duration.
    case equivalentContinuousLevel = "discrete-equivalent-continuous-level"
}
