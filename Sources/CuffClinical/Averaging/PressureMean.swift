/// An exact mean of blood pressures: of readings, or of sessions each of which counts as much as any other.
public struct PressureMean: Sendable, Hashable {
    /// How many readings it is of.
    public var count: Int
    /// In mmHg, and beats per minute; `nil` for none.
    public var systolic: Fraction?, diastolic: Fraction?, pulse: Fraction?

    /// The mean of readings.
    init(_ sums: PressureSums) {
        (count, systolic, diastolic, pulse) = (sums.count, sums.systolic, sums.diastolic, sums.pulse)
    }

    /// The mean of sessions.
    init(_ sessions: SessionSums) {
        count = sessions.readings
        systolic = sessions.systolic.mean
        diastolic = sessions.diastolic.mean
        pulse = sessions.pulse.mean
    }
}

extension PressureSums {
    /// Their mean.
    public var mean: PressureMean { PressureMean(self) }
}

/// Sums of the means of sessions. Exact as long as the numbers of readings in a session are few, which a rule that takes so many of
/// each sees to; beyond that there is no mean rather than a wrong one.
struct SessionSums: Sendable {
    struct Part: Sendable {
        var sessions: Int64 = 0
        var sum: Fraction? = Fraction(0)

        mutating func add(_ mean: Fraction?) {
            guard let mean else { return }
            sessions += 1
            sum = sum?.adding(mean)
        }

        mutating func add(_ other: Part) {
            sessions += other.sessions
            sum = sum.flatMap { own in other.sum.flatMap(own.adding) }
        }

        var mean: Fraction? { sessions == 0 ? nil : sum?.divided(by: Fraction(sessions)) }
    }

    private(set) var readings = 0
    private(set) var systolic = Part(), diastolic = Part(), pulse = Part()

    /// Adds the readings of one session that count.
    mutating func add(_ session: PressureSums) {
        guard session.count > 0 else { return }
        readings += session.count
        systolic.add(session.systolic)
        diastolic.add(session.diastolic)
        pulse.add(session.pulse)
    }

    /// Adds all sessions of other sums.
    mutating func add(_ other: SessionSums) {
        readings += other.readings
        systolic.add(other.systolic)
        diastolic.add(other.diastolic)
        pulse.add(other.pulse)
    }
}
