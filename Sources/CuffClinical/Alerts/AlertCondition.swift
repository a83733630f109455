import CuffCore

/// A condition on the values of one reading: `systolic >= 180 or diastolic >= 110`. One to four comparisons, joined either
/// by `or` or by `and`.
package struct AlertCondition: Sendable, Hashable {
    package enum Quantity: String, Sendable, Hashable, CaseIterable {
        case systolic, diastolic, mean, pulse
    }

    package enum Order: String, Sendable, Hashable, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"

        var isUpward: Bool { self == .atLeast || self == .above }
        var isInclusive: Bool { self == .atLeast || self == .atMost }
    }

    package struct Comparison: Sendable, Hashable {
        package var quantity: Quantity
        package var order: Order
        /// In mmHg, or beats per minute for the pulse; 1…400.
        package var limit: Double
    }

    /// In the order of the text.
    let comparisons: [Comparison]
    /// One comparison that holds is enough (`or`); otherwise all must.
    let isAny: Bool
    /// As the user wrote it, blanks trimmed.
    package let text: String

    /// Enough to describe a range of both pressures.
    static let mostComparisons = 4
    /// No cuff shows more: pressures end at 300 mmHg, pulses at 300 per minute.
    package static let limits = 1.0...400.0

    /// Why a text is not a condition, as a clause of a sentence.
    package struct Malformed: Error, Sendable, Hashable {
        package let reason: String

        /// A clause without a full stop.
        init(_ reason: String) { self.reason = reason }
    }

    package init(_ text: String) throws(Malformed) {
        let words = Self.words(text)
        guard !words.isEmpty else { throw Malformed("it is empty") }
        var comparisons: [Comparison] = []
        var joints: Set<String> = []
        var index = 0
        while true {
            guard index + 3 <= words.count else { throw Malformed("a comparison is a value, an order and a number, as in systolic >= 180") }
            comparisons.append(try Self.comparison(words[index], words[index + 1], words[index + 2]))
            index += 3
            guard index < words.count else { break }
            guard words[index] == "or" || words[index] == "and" else {
                throw Malformed("`\(words[index])` is neither `or` nor `and`")
            }
            joints.insert(words[index])
            index += 1
        }
        guard joints.count < 2 else { throw Malformed("it joins with `or` and with `and`; use one of them, and another rule for the rest") }
        guard comparisons.count <= Self.mostComparisons else { throw Malformed("it has more than \(Self.mostComparisons) comparisons") }
        self.comparisons = comparisons
        isAny = joints.contains("or")
        self.text = words.joined(separator: " ")
    }

    /// Words are separated by blanks, which are optional around an operator. The input is a line of a file, cut to the longest condition.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        func isOrder(_ character: Character) -> Bool { character == ">" || character == "<" || character == "=" }
        for character in text.prefix(AlertNotice.longestCondition) {
            if character == " " || character == "\t" {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                if let last = word.last, isOrder(last) != isOrder(character) {
                    words.append(word)
                    word = ""
                }
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func comparison(_ quantity: String, _ order: String, _ number: String) throws(Malformed) -> Comparison {
        guard let named = Quantity(rawValue: quantity) else {
            throw Malformed("`\(quantity)` is not a value; values are \(Quantity.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let compared = Order(rawValue: order) else {
            throw Malformed("`\(order)` is not an order; orders are \(Order.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let isDecimal = number.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E }
        guard isDecimal, let limit = Double(number), limits.contains(limit) else {
            throw Malformed("`\(number)` is not a number from \(Int(limits.lowerBound)) to \(Int(limits.upperBound))")
        }
        return Comparison(quantity: named, order: compared, limit: limit)
    }

    /// Whether the reading meets the condition; `nil` if that depends on a value that the reading does not have.
    package func holds(for pressure: BloodPressure) -> Bool? {
        var isUnknown = false
        for comparison in comparisons {
            guard let holds = comparison.holds(for: pressure) else {
                isUnknown = true
                continue
            }
            if holds == isAny { return isAny }
        }
        return isUnknown ? nil : !isAny
    }

    /// Whether no reading meets both.
    package func excludes(_ other: AlertCondition) -> Bool {
        // A condition is a list of alternatives: of `or` each comparison, of `and` all together.
        let alternatives = { (condition: AlertCondition) in
            condition.isAny ? condition.comparisons.map { [$0] } : [condition.comparisons]
        }
        return alternatives(self).allSatisfy { own in
            alternatives(other).allSatisfy { others in
                own.contains { first in others.contains { first.excludes($0) } }
            }
        }
    }
}

extension AlertCondition.Comparison {
    func holds(for pressure: BloodPressure) -> Bool? {
        let value: Double? =
            switch quantity {
            case .systolic: pressure.systolic.inMmHg
            case .diastolic: pressure.diastolic.inMmHg
            case .mean: pressure.mean?.inMmHg
            case .pulse: pressure.pulse?.digits.value
            }
        guard let value else { return nil }
        return switch order {
        case .atLeast: value >= limit
        case .atMost: value <= limit
        case .above: value > limit
        case .below: value < limit
        }
    }

    /// Whether no value meets both.
    func excludes(_ other: Self) -> Bool {
        guard quantity == other.quantity, order.isUpward != other.order.isUpward else { return false }
        let (up, down) = order.isUpward ? (self, other) : (other, self)
        return up.limit > down.limit || up.limit == down.limit && !(up.order.isInclusive && down.order.isInclusive)
    }
}
