/// An exact mean of blood pressures: of readings, or of sessions with equal weights.
public struct PressureMean: Sendable, Hashable {
    /// The number of readings.
    public var count: Int
    /// In mmHg, and beats per minute; `nil` for none.
    public var systolic: Fraction?, diastolic: Fraction?, pulse: Fraction?

    init(_ sums: PressureSums) {
        (count, systolic, diastolic, pulse) = (sums.count, sums.systolic, sums.diastolic, sums.pulse)
    }

    init(_ sessions: SessionSums) {
        count = sessions.readings
        systolic = sessions.systolic.mean
        diastolic = sessions.diastolic.mean
        pulse = sessions.pulse.mean
    }
}

extension PressureSums {
    package var mean: PressureMean { PressureMean(self) }
}
