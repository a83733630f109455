import CuffCore

/// A number of a rule that a recording or an average does not reach.
package struct Shortfall: Sendable, Hashable {
    package var number: RuleNumber
    /// How many there are, and how many the rule asks for.
    package var found: Int, least: Int

    /// What is counted, as JSON has it: of a recording `percent`, `hours`, `all`, `day` or `night`.
    package var measure: String {
        switch number {
        case .leastReadings: "readings"
        case .leastReadingsMeasured: "readings_measured"
        case .leastDays: "days"
        case .leastDaysMeasured: "days_measured"
        case .leastPercent: "percent"
        case .leastHours: "hours"
        case .leastDay: "day"
        case .leastNight, .preferredNight: "night"
        case .typicalReadings: "all"
        default: number.rawValue
        }
    }

    /// Those numbers that are set and not reached.
    static func each(_ numbers: [(RuleNumber, found: Int, least: Int?)]) -> [Shortfall] {
        numbers.compactMap { number, found, least in
            least.flatMap { found < $0 ? Shortfall(number: number, found: found, least: $0) : nil }
        }
    }

    /// `[{"of":"days","found":2,"least":3,"evidence":"guideline"},…]`.
    static func append(_ all: [Shortfall], least: String = "least", _ evidence: (RuleNumber) -> Evidence?, to text: inout TextBuffer) {
        text.append(list: all) { one, text in
            text.append(string: "{\"of\":\"\(one.measure)\",\"found\":\(one.found),\"\(least)\":\(one.least)")
            if let evidence = evidence(one.number) { text.append(key: "evidence", evidence.rawValue) }
            text.append("}")
        }
    }
}
