/// A condition on the values of a series: `max>=180`.
public struct SeriesCondition: Sendable, Hashable {
    /// The number that is compared. The raw value is its name.
    public enum Measure: String, Sendable, Hashable, CaseIterable {
        case min, max, avg, last, sum, count
        /// In milliseconds, of heartbeats only.
        case sdnn
        /// In seconds, from the start to the end of the series.
        case duration
        /// When the series ends, in seconds since 1970.
        case end
    }

    /// The comparison. The raw value is the operator, also in SQL.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        // Longer operators first: `>=` starts with `>`.
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case above = ">"
        case below = "<"
    }

    /// The number that is compared.
    public let measure: Measure
    /// The comparison.
    public let comparison: Comparison
    /// The right-hand side, in the unit of the stored series.
    public let value: Double

    /// Parses `max>=180`, with optional blanks around the operator.
    /// - Throws: An `IngestError` of status `usage` for anything else.
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

    /// Has one parameter. False for a series without such a number.
    var sql: String {
        let number =
            switch measure {
            case .sum: "(avg * count)"
            case .sdnn: "sdnn_ms"
            case .duration: "((julianday(\"end\") - julianday(start)) * 86400)"
            case .end: "((julianday(\"end\") - 2440587.5) * 86400)"
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
