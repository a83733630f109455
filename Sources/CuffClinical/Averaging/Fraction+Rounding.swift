/// Rounding for print that never moves a number across a threshold or a limit of a class.
extension Fraction {
    /// Rounded half up to `places`, or to as many more, up to six, as keep `side` the same for the printed number. If six are not enough, the
    /// nearest number on the right side.
    package func rounded<Side: Equatable>(places: Int, keeping side: (Fraction) -> Side) -> Decimals {
        let own = side(self)
        for count in max(0, min(6, places))...6 {
            let found = rounded(places: count)
            if side(found.fraction) == own { return found }
        }
        let nearest = rounded(places: 6)
        let others = [-1, 1].map { Decimals(units: nearest.units + $0, places: 6) }
        return others.first { side($0.fraction) == own } ?? nearest
    }

    /// Rounded so that the printed number reaches a limit if, and only if, the exact number does.
    package func rounded(places: Int, near limits: [Int]) -> Decimals {
        guard !limits.isEmpty else { return rounded(places: places) }
        return rounded(places: places) { value in limits.count { value >= Fraction(Int64($0)) } }
    }

    /// A mean in mmHg for people: whole, half up; within 1 mmHg of one of the limits with one decimal, or more if a limit would seem to be
    /// reached.
    public func printed(near limits: [Int]) -> String {
        let isNear = limits.contains { subtracting(Fraction(Int64($0))).map { $0.magnitude <= Fraction(1) } ?? false }
        return isNear ? rounded(places: 1, near: limits).text : rounded(places: 0).text
    }
}
