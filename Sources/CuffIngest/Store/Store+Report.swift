import CuffClinical
import CuffCore

extension Store {
    /// Puts the selected blood pressures on a report, without reading what no page shows of them.
    func forEachEntry(_ selection: ReadingSelection, of report: inout Report) throws(IngestError) {
        var selection = selection
        selection.kinds = [.bloodPressure]
        var left = selection.last ?? .max
        var places: [Int64: Int] = [:]
        var filled = report
        try walk(selection, columns: ReadingColumn.ofReports) { cursor, sources in
            let time = cursor.time
            guard selection.holds(time) else { return true }
            guard left > 0 else { return false }
            left -= 1
            let number = cursor.source
            let place = places[number] ?? filled.place(of: sources[number]?.provenance ?? Provenance(driver: "unknown"))
            places[number] = place
            if let reason = filled.rule.reason(cursor.flags) ?? (time == nil ? .timeUnknown : nil) {
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
            .source, .systolic_mmHg, .diastolic_mmHg, .pulse_per_min, .flags, .device_time, .measured, .clock, .received, .origin, .trigger,
            .note, .medication, .posture, .arm,
        ]
        return allCases.map { needed.contains($0) ? $0.name : "NULL" }.joined(separator: ",")
    }()
}
