/// Levels in decibels, and their energies relative to 0 dB. This module has no mathematics library; both functions are exact to about 15
/// digits.
enum SoundLevel {
    private static let ln2 = 0.693147180559945309417
    private static let ln10 = 2.302585092994045684018

    /// `10^(level / 10)`, for levels of at most 1000 dB either way.
    static func energy(_ level: Double) -> Double {
        let exponent = min(1000, max(-1000, level)) / 10 * (ln10 / ln2)
        let whole = exponent.rounded()
        // e^x for |x| below 0.35, by its series.
        let x = (exponent - whole) * ln2
        var (term, sum) = (1.0, 1.0)
        for place in 1...20 {
            term *= x / Double(place)
            sum += term
        }
        return sum * Double(sign: .plus, exponent: Int(whole), significand: 1)
    }

    /// `10 log10(energy)`; `nil` if the energy is not above zero.
    static func level(_ energy: Double) -> Double? {
        guard energy > 0, energy.isFinite else { return nil }
        // ln m = 2 artanh((m - 1) / (m + 1)), for m from 1 to 2.
        let z = (energy.significand - 1) / (energy.significand + 1)
        var (power, sum) = (z, 0.0)
        for place in stride(from: 1, through: 39, by: 2) {
            sum += power / Double(place)
            power *= z * z
        }
        return 10 * (2 * sum + Double(energy.exponent) * ln2) / ln10
    }
}
