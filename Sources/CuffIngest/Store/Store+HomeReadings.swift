import CuffClinical
import CuffCore

extension Store {
    /// Passes the selected blood pressures to `body` in order of id. `withIDs: false` is faster. The reading's source is the row
    /// number of its source; `body` returns whether to continue.
    package func forEachHomeReading(
        _ selection: ReadingSelection, rule: InclusionRule, withIDs: Bool = true, _ body: (HomeReading) -> Bool
    ) throws(IngestError) {
        let columns = selection.condition == nil ? ReadingColumn.ofHomeReadings(withIDs: withIDs) : ReadingColumn.ofPoints
        // The arm is selected after the columns of points, where whole rows have the revision.
        let arm = ReadingColumn.revision
        try walkPressures(selection, columns: columns + ",arm") { cursor, time, owner in
            guard var reading = cursor.homeReading(time, of: owner, withID: withIDs, arm: arm) else { return true }
            reading.exclusion = rule.reason(reading.flags) ?? (time == nil ? cursor.timeExclusion : nil)
            return body(reading)
        }
    }
}
