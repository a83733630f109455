/// Rounding for print that never moves a number to the other side of a border.
extension Fraction {
    /// Rounded half up to `places`, or to as many more, up to six, as are needed for `side` to be the same of what is printed. Where six
    /// are too few, the next number on the right side.
    public func rounded<Side: Equatable>(places: Int, keeping side: (Fraction) -> Side) -> Decimals {
        let own = side(self)
        for count in max(0, min(6, places))...6 {
            let found = rounded(places: count)
            if side(found.fraction) == own { return found }
        }
        let nearest = rounded(places: 6)
        let others = [-1, 1].map { Decimals(units: nearest.units + $0, places: 6) }
        return others.first { side($0.fraction) == own } ?? nearest
    }

    /// The same with a threshold that is reached or not; `nil` for none.
    public func rounded(places: Int, near threshold: Int?) -> Decimals {
        guard let threshold else { return rounded(places: places) }
        return rounded(places: places) { $0 >= Fraction(Int64(threshold)) }
    }

    /// As people read a mean in mmHg: one decimal within 1 mmHg of a threshold, else whole, half up; more decimals where the threshold
    /// would seem to be reached. It is for print only.
    public func printed(near threshold: Int?) -> String {
        guard let threshold, let distance = subtracting(Fraction(Int64(threshold)))?.magnitude, distance <= Fraction(1) else {
            return rounded(places: 0).text
        }
        return rounded(places: 1, near: threshold).text
    }
}

extension Decimals {
    /// The same number.
    var fraction: Fraction {
        var scale: Int128 = 1
        for _ in 0..<min(18, places) { scale *= 10 }
        return Fraction(Int128(units), over: scale) ?? Fraction(units)
    }

    /// A value in whole numbers, half up, or with as many decimals, up to four, as keep it on its side of a threshold.
    static func whole(_ value: Double, near threshold: Double) -> String {
        guard value.magnitude < 1e9 else { return "–" }
        for (places, scale) in [(0, 1.0), (1, 10), (2, 100), (3, 1000), (4, 10_000)] {
            let units = (value * scale + 0.5).rounded(.down)
            if (units / scale >= threshold) == (value >= threshold) { return Decimals(units: Int64(units), places: places).text }
        }
        return Decimals(units: Int64((value * 10_000).rounded(.down)), places: 4).text
    }
}
