/// A decimal number with a fixed number of places, as it is printed.
package struct Decimals: Sendable, Hashable {
    /// The number times 10 to the power of `places`.
    package let units: Int64
    package let places: Int

    /// Sets each property as given; `places` are not negative.
    package init(units: Int64, places: Int) {
        self.units = units
        self.places = max(0, places)
    }

    /// `134.5`, `-0.25`, `85`.
    package var text: String {
        guard places > 0 else { return "\(units)" }
        let digits = "\(units.magnitude)"
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (units < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }

    /// Without zeros at the end: `133` for 133.0.
    package var shortText: String {
        var (units, places) = (units, places)
        while places > 0, units % 10 == 0 { (units, places) = (units / 10, places - 1) }
        return Decimals(units: units, places: places).text
    }

    var fraction: Fraction {
        var scale: Int128 = 1
        for _ in 0..<min(18, places) { scale *= 10 }
        return Fraction(Int128(units), over: scale) ?? Fraction(units)
    }

    /// Whole, half up, or with as many decimals, up to four, as keep the value on its side of a threshold.
    static func whole(_ value: Double, near threshold: Double) -> String {
        guard value.magnitude < 1e9 else { return "–" }
        for (places, scale) in [(0, 1.0), (1, 10), (2, 100), (3, 1000), (4, 10_000)] {
            let units = (value * scale + 0.5).rounded(.down)
            if (units / scale >= threshold) == (value >= threshold) { return Decimals(units: Int64(units), places: places).text }
        }
        return Decimals(units: Int64((value * 10_000).rounded(.down)), places: 4).text
    }
}
