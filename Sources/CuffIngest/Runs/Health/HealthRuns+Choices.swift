import CuffClinical
import CuffCore

extension HealthRuns {
    /// The output format of statistics; defaults to a table for a terminal, else JSON Lines.
    package static func isTable(_ format: String?, isTerminal: Bool) throws(IngestError) -> Bool {
        switch format ?? (isTerminal ? "table" : "jsonl") {
        case "table": return true
        case "jsonl": return false
        case let name:
            throw IngestError(SelectionFault.unknownFormat(name, known: ["table", "jsonl"]))
        }
    }

    package static func text(
        _ each: [PersonStatistics], isTable: Bool, width: Int? = nil
    ) -> String {
        let persons = Persons(each.map(\.person))
        var text = TextBuffer(capacity: 1 << 14)
        for (index, one) in each.enumerated() {
            guard isTable else {
                one.table.appendLines(one.collection, to: &text)
                continue
            }
            if index > 0 { text.append(0x0A) }
            if let heading = persons.neededHeading(one.person) { text.append(string: heading + "\n") }
            one.table.appendTable(one.collection, width: width, to: &text)
        }
        return text.string
    }
}

extension HeartRateLimits {
    /// Throws a usage error unless the low limit is below the high one.
    package static func checked(low: Double, high: Double) throws(IngestError) -> HeartRateLimits {
        guard let limits = HeartRateLimits(low: low, high: high) else {
            throw IngestError(SelectionFault.limitsCross)
        }
        return limits
    }
}

extension ManualEntry {
    /// Impossible values are refused unless `force`; they are stored and flagged then.
    package static func checked(
        _ pressure: BloodPressure, at time: Timestamp, user: Int?, irregular: Bool, force: Bool
    ) throws(IngestError) -> ManualEntry {
        guard pressure.isPlausible || force else { throw IngestError(SelectionFault.implausible(pressure)) }
        guard time <= Timestamp(milliseconds: HostClock.reproducibleNow().milliseconds + 60_000) else {
            throw IngestError(SelectionFault.inTheFuture)
        }
        return ManualEntry(
            pressure, at: time, user: user.map { Int32(truncatingIfNeeded: $0) }, flags: irregular ? [.irregularPulse] : [])
    }

    /// The digits as typed, e.g. `128.5`; throws a usage error for anything but a number.
    package static func digits(_ text: String) throws(IngestError) -> Digits {
        guard let digits = ReadingCursor.digits(text) else { throw IngestError(SelectionFault.notANumber(text)) }
        return digits
    }
}
