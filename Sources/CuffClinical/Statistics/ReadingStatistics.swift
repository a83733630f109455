import CuffCore

/// Statistics of the blood pressures of one bucket, of one source or of all.
package struct ReadingStatistics: Sendable, Hashable {
    package private(set) var count = 0
    /// Systolic pressures in mmHg.
    package private(set) var systolic = QuantityStatistics()
    /// Diastolic pressures in mmHg.
    package private(set) var diastolic = QuantityStatistics()
    /// Mean pressures in mmHg, if the cuff sent them; never computed here.
    package private(set) var mean = QuantityStatistics()
    /// Beats per minute, if the cuff sent them.
    package private(set) var pulse = QuantityStatistics()
    /// Readings of measurements that a person started.
    package private(set) var manualCount = 0
    /// Readings of measurements that the cuff or a schedule started.
    package private(set) var automaticCount = 0
    /// Readings with the flag `irregular_pulse`.
    package private(set) var irregularCount = 0

    package mutating func add(_ point: ReadingPoint) {
        count += 1
        systolic.add(DatedValue(point.systolic, at: point.time, from: point.id))
        diastolic.add(DatedValue(point.diastolic, at: point.time, from: point.id))
        if let value = point.mean { mean.add(DatedValue(value, at: point.time, from: point.id)) }
        if let value = point.pulse { pulse.add(DatedValue(value, at: point.time, from: point.id)) }
        switch point.trigger {
        case .manual: manualCount += 1
        case .automatic: automaticCount += 1
        case .unknown: break
        }
        if point.flags.contains(.irregularPulse) { irregularCount += 1 }
    }

    package mutating func merge(_ other: ReadingStatistics) {
        count += other.count
        systolic.merge(other.systolic)
        diastolic.merge(other.diastolic)
        mean.merge(other.mean)
        pulse.merge(other.pulse)
        manualCount += other.manualCount
        automaticCount += other.automaticCount
        irregularCount += other.irregularCount
    }
}
