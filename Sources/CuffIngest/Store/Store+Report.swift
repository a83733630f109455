import CuffClinical
import CuffCore

extension Store {
    /// Puts the selected blood pressures and failed measurements on a report, in one pass and without reading what no page shows of
    /// them, because there may be a million.
    func forEachEntry(_ selection: ReadingSelection, of report: inout Report) throws(IngestError) {
        var left = selection.last ?? .max
        var places: [Int64: Int] = [:]
        var latest: (number: Int64, place: Int)?
        var filled = report
        try walk(selection, columns: ReadingColumn.ofReports) { cursor, sources in
            let time = cursor.time
            guard selection.holds(time) else { return true }
            guard left > 0 else { return false }
            left -= 1
            let number = cursor.source
            let place: Int
            if let latest, latest.number == number {
                place = latest.place
            } else {
                place = places[number] ?? filled.place(of: sources[number]?.provenance ?? Provenance(driver: "unknown"))
                places[number] = place
                latest = (number, place)
            }
            if cursor.isFailure {
                filled.add(Report.LeftOut(time: time, content: cursor.failure, reason: .notABloodPressure, source: place))
            } else if let reason = filled.rule.reason(cursor.flags) ?? (time == nil ? .timeUnknown : nil) {
                guard let content = cursor.pressure else { return true }
                filled.add(Report.LeftOut(time: time, content: content, reason: reason, source: place))
            } else if let time, let point = cursor.point(time) {
                filled.add(cursor.entry(point, source: place))
            }
            return true
        }
        report = filled
    }
}

extension ReadingColumn {
    /// What a report needs, in the same places: SQLite decodes no column that nobody names.
    static let ofReports: String = {
        let needed: Set<ReadingColumn> = [
            .source, .systolic_mmHg, .diastolic_mmHg, .pulse_per_min, .flags, .measured, .clock, .origin, .trigger, .reason, .code,
            .note, .medication, .posture, .arm,
        ]
        return allCases.map { column in
            switch column {
            // Blood pressures are the rule.
            case .type: "iif(type = 'measurement', type, NULL)"
            // Where it was measured is known, these are not looked at, but for whether the cuff told a time.
            case .received: "iif(measured IS NULL, received, NULL)"
            case .device_time: "iif(measured IS NULL, device_time, iif(device_time IS NULL, NULL, ''))"
            default: needed.contains(column) ? column.name : "NULL"
            }
        }.joined(separator: ",")
    }()
}
