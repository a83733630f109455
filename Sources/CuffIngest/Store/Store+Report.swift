import CuffClinical
import CuffCore

extension Store {
    /// The selected blood pressures and failed measurements on a report of each person, by user, those without one last; in one pass
    /// and without reading what no page shows of them, because there may be a million.
    func reports(_ selection: ReadingSelection, like empty: Report) throws(IngestError) -> [(user: Int?, report: Report)] {
        var left = selection.last ?? .max
        var found: [(user: Int?, report: Report)] = []
        // Nearly every row is of the person and the cuff of the one before.
        var latest: (user: Int?, number: Int64, index: Int, source: Int)?
        try walk(selection, columns: ReadingColumn.ofReports) { cursor, sources in
            let time = cursor.time
            guard selection.holds(time) || cursor.hasImplausibleTime else { return true }
            guard left > 0 else { return false }
            left -= 1
            let (user, number) = (cursor.user, cursor.source)
            let (index, source): (Int, Int)
            if let latest, latest.user == user, latest.number == number {
                (index, source) = (latest.index, latest.source)
            } else {
                if !found.contains(where: { $0.user == user }) { found.append((user, empty)) }
                index = found.firstIndex { $0.user == user } ?? 0
                source = found[index].report.place(of: sources[number]?.provenance ?? Provenance(driver: "unknown"))
                latest = (user, number, index, source)
            }
            if cursor.isFailure {
                found[index].report.add(
                    Report.LeftOut(time: time, content: cursor.failure, reason: .notABloodPressure, source: source))
            } else if let reason = empty.rule.reason(cursor.flags) ?? (time == nil ? cursor.timeExclusion : nil) {
                guard let content = cursor.pressure else { return true }
                found[index].report.add(Report.LeftOut(time: time, content: content, reason: reason, source: source))
            } else if let time, let point = cursor.point(time) {
                found[index].report.add(cursor.entry(point, source: source))
            }
            return true
        }
        return found.sorted { ($0.user ?? .max) < ($1.user ?? .max) }
    }
}

extension ReadingColumn {
    /// What a report needs, in the same places: SQLite decodes no column that nobody names.
    static let ofReports: String = {
        let needed: Set<ReadingColumn> = [
            .source, .systolic_mmHg, .diastolic_mmHg, .pulse_per_min, .user, .flags, .measured, .clock, .origin, .trigger, .reason, .code,
            .note, .medication, .posture, .arm,
        ]
        return allCases.map { column in
            switch column {
            // Blood pressures are the rule.
            case .type: "iif(type = 'measurement', type, NULL)"
            // Where it was measured is known, these are not looked at, but for whether the cuff told a time.
            case .received: receivedWhereItMatters
            case .device_time: "iif(measured IS NULL, device_time, iif(device_time IS NULL, NULL, ''))"
            default: needed.contains(column) ? column.exact : "NULL"
            }
        }.joined(separator: ",")
    }()
}
