import CuffClinical
import CuffCore

extension Store {
    /// One report per user, those without a user last, with the selected blood pressures and failures. One pass that reads only
    /// the columns a page shows: there may be a million rows.
    func reports(_ selection: ReadingSelection, like empty: Report) throws(IngestError) -> [(user: Int?, report: Report)] {
        var left = selection.last ?? .max
        var found: [(user: Int?, report: Report)] = []
        // Most rows have the user and cuff of the row before.
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
    /// The columns of a report, at the same indexes; NULL for the others saves decoding them.
    static let ofReports: String = {
        let needed: Set<ReadingColumn> = [
            .source, .systolic_mmHg, .diastolic_mmHg, .pulse_per_min, .user, .flags, .measured, .clock, .origin, .trigger, .reason, .code,
            .note, .medication, .posture, .arm,
        ]
        return allCases.map { column in
            switch column {
            // Most rows are blood pressures.
            case .type: "iif(type = 'measurement', type, NULL)"
            // Only needed without a measured time, except for whether the cuff sent a time.
            case .received: receivedWhereItMatters
            case .device_time: "iif(measured IS NULL, device_time, iif(device_time IS NULL, NULL, ''))"
            default: needed.contains(column) ? column.exact : "NULL"
            }
        }.joined(separator: ",")
    }()
}
