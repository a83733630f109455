/// What the values of a series must be: `max>=180`.
public struct SeriesCondition: Sendable, Hashable {
    /// Which number of the series is compared. The raw value is its word.
    public enum Measure: String, Sendable, Hashable, CaseIterable {
        case min, max, avg, last, sum, count
        /// Milliseconds, of heart beats alone.
        case sdnn
    }

    /// How it is compared. The raw value is the sign, which is also SQL's.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        // Longer signs first: `>=` begins with `>`.
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case above = ">"
        case below = "<"
    }

    /// Which number of the series is compared.
    public let measure: Measure
    /// How it is compared.
    public let comparison: Comparison
    /// What it is compared with, in the unit in which the series is stored.
    public let value: Double

    /// Reads `max>=180`, blanks around the sign allowed; throws a usage error for anything else.
    public init(_ text: String) throws(IngestError) {
        guard let (word, comparison, value) = Self.parts(text), let measure = Measure(rawValue: word) else {
            throw IngestError(RequestFault.notACondition(text, measures: Measure.allCases.map(\.rawValue)))
        }
        (self.measure, self.comparison, self.value) = (measure, comparison, value)
    }

    /// The word, the sign and the number of a condition.
    static func parts(_ text: String) -> (word: String, Comparison, value: Double)? {
        for comparison in Comparison.allCases {
            guard let sign = text.firstRange(of: comparison.rawValue) else { continue }
            guard let value = Double(text[sign.upperBound...].trimmed), value.isFinite else { return nil }
            return (text[..<sign.lowerBound].trimmed, comparison, value)
        }
        return nil
    }

    /// A condition with one argument. Where a series has no such number it does not hold.
    var sql: String {
        let number =
            switch measure {
            case .sum: "(avg * count)"
            case .sdnn: "sdnn_ms"
            case .min, .max, .avg, .last, .count: "\"\(measure.rawValue)\""
            }
        return "\(number) \(comparison.rawValue) ?"
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
