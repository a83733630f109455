/// Rounding for print that never moves a number across a threshold.
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

    /// Rounded so that the printed number reaches the threshold if, and only if, the exact number does.
    package func rounded(places: Int, near threshold: Int?) -> Decimals {
        guard let threshold else { return rounded(places: places) }
        return rounded(places: places) { $0 >= Fraction(Int64(threshold)) }
    }

    /// A mean in mmHg for people: whole, half up; within 1 mmHg of a threshold with one decimal, or more if the threshold would seem to be
    /// reached.
    public func printed(near threshold: Int?) -> String {
        guard let threshold, let distance = subtracting(Fraction(Int64(threshold)))?.magnitude, distance <= Fraction(1) else {
            return rounded(places: 0).text
        }
        return rounded(places: 1, near: threshold).text
    }
}
