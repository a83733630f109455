import CuffClinical
import CuffCore

extension Store {
    /// The selected blood pressures as home averages see them, in the order of their ids, without keeping any. Without
    /// `withIDs` their ids are left out, which is faster. `body` gets the number of the source in the database as the
    /// reading's source, and answers whether to go on.
    public func forEachHomeReading(
        _ selection: ReadingSelection, rule: InclusionRule, withIDs: Bool = true, _ body: (HomeReading) -> Bool
    ) throws(IngestError) {
        var selection = selection
        selection.kinds = [.bloodPressure]
        var left = selection.last ?? .max
        try walk(selection, columns: ReadingColumn.ofHomeReadings(withIDs: withIDs)) { cursor, _, owner in
            let time = cursor.time
            guard selection.holds(time) || cursor.hasImplausibleTime else { return true }
            guard left > 0 else { return false }
            left -= 1
            guard var reading = cursor.homeReading(time, of: owner, withID: withIDs) else { return true }
            reading.exclusion = rule.reason(reading.flags) ?? (time == nil ? cursor.timeExclusion : nil)
            return body(reading)
        }
    }
}
