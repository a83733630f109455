import CuffCore

/// Variability of successive values. There are no agreed normal values for it.
package struct Variability: Sendable, Hashable {
    package let count: Int
    /// The exact mean; `nil` only if it does not fit.
    package let mean: Fraction?
    /// The sample standard deviation (n - 1).
    package let standardDeviation: Double
    /// The standard deviation in percent of the mean.
    package let coefficientOfVariation: Double
    /// The average real variability: the mean absolute difference of neighbours; `nil` only if it does not fit.
    package let averageReal: Fraction?
    package let least: Fraction, greatest: Fraction

    /// `values` in the order of time; `nil` for fewer than two.
    package init?(_ values: [Fraction]) {
        guard values.count > 1, let least = values.min(), let greatest = values.max() else { return nil }
        count = values.count
        (self.least, self.greatest) = (least, greatest)
        let number = Fraction(Int64(values.count))
        mean = Self.sum(values)?.divided(by: number)
        let center = mean?.value ?? values.reduce(0) { $0 + $1.value } / Double(count)
        let spread = values.reduce(0.0) { $0 + ($1.value - center) * ($1.value - center) }
        standardDeviation = (spread / Double(count - 1)).squareRoot()
        coefficientOfVariation = center == 0 ? 0 : 100 * standardDeviation / center
        let steps = zip(values, values.dropFirst()).map { $1.subtracting($0)?.magnitude }
        averageReal = Self.sum(steps.compactMap { $0 })?.divided(by: Fraction(Int64(values.count - 1)))
    }

    static func sum(_ values: [Fraction]) -> Fraction? {
        var total: Fraction? = Fraction(0)
        for value in values { total = total?.adding(value) }
        return total
    }
}

extension Variability {
    /// `{"sd":1.9089,"cv_percent":1.4153,"arv":{"exact":"33/10","avg":3.3},"max_minus_min":{…}}`.
    func append(to text: inout TextBuffer) {
        text.append(string: "{\"sd\":\(Self.fourPlaces(standardDeviation)),\"cv_percent\":\(Self.fourPlaces(coefficientOfVariation))")
        for (name, number) in [("arv", averageReal), ("max_minus_min", greatest.subtracting(least))] {
            guard let number else { continue }
            text.append(string: ",\"\(name)\":{\"exact\":\"\(number.text)\",\"avg\":\(number.rounded(places: 2).text)}")
        }
        text.append("}")
    }

    /// `1.9089`, half up.
    static func fourPlaces(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "0" }
        return Decimals(units: Int64((value * 10_000 + 0.5).rounded(.down)), places: 4).text
    }
}
