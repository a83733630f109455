/// Sums of the means of sessions. They are exact for the few readings that a rule counts in a session; if a sum does not fit, there is no
/// mean.
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

    mutating func add(_ session: PressureSums) {
        guard session.count > 0 else { return }
        readings += session.count
        systolic.add(session.systolic)
        diastolic.add(session.diastolic)
        pulse.add(session.pulse)
    }

    mutating func add(_ other: SessionSums) {
        readings += other.readings
        systolic.add(other.systolic)
        diastolic.add(other.diastolic)
        pulse.add(other.pulse)
    }
}
