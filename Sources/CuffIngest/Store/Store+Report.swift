import CuffClinical
import CuffCore

extension Store {
    /// The selected blood pressures and failed measurements on a report of each person; in one pass and without reading what no page shows
    /// of them, because there may be a million. Only if their ids are not in the order of their times, or a cuff averaged some of them, a
    /// second pass sorts them in memory.
    /// `home` receives the blood pressures also as averages by this rule see them.
    func reports(
        _ selection: ReadingSelection, like empty: Report, rule: InclusionRule? = nil, home: (HomeReading) -> Void = { _ in }
    ) throws(IngestError) -> ByPerson<Report> {
        let found = try reports(selection, like: empty, rule: rule, home: home) { $0.add($2) }
        guard found.sorted.contains(where: \.value.needsOrder) else { return found }
        var entries: [(place: Int, entry: Report.Entry)] = []
        var ordered = try reports(selection, like: empty) { entries.append(($1, $2)) }
        entries.sort { ReadingPoint.isEarlier($0.entry.point, $1.entry.point) }
        var parts: [Int: AverageParts<(place: Int, entry: Report.Entry)>] = [:]
        func add(_ one: (place: Int, entry: Report.Entry), _ isPart: Bool) {
            if isPart {
                ordered[place: one.place].add(Report.LeftOut(one.entry, reason: .partOfAverage))
            } else {
                ordered[place: one.place].add(one.entry)
            }
        }
        for one in entries {
            let point = one.entry.point
            parts[one.place, default: AverageParts()].add(one, at: point.time, source: one.entry.source, flags: point.flags, pass: add)
        }
        for place in parts.keys { parts[place]?.finish(pass: add) }
        return ordered
    }

    /// In the order of their ids; `add` receives a person's report, its place and what belongs to it.
    private func reports(
        _ selection: ReadingSelection, like empty: Report, rule: InclusionRule? = nil, home: (HomeReading) -> Void = { _ in },
        add: (inout Report, Int, Report.Entry) -> Void
    ) throws(IngestError) -> ByPerson<Report> {
        var left = selection.last ?? .max
        var found = ByPerson<Report>()
        // Most rows have the person and the cuff of the row before.
        var latest: (place: Int, number: Int64, source: Int)?
        try walk(selection, columns: ReadingColumn.ofReports) { cursor, sources, owner in
            let time = cursor.time
            guard selection.holds(time) || cursor.hasImplausibleTime else { return true }
            guard left > 0 else { return false }
            left -= 1
            if let rule, var reading = cursor.homeReading(time, of: owner, withID: false) {
                reading.exclusion = rule.reason(reading.flags) ?? (time == nil ? cursor.timeExclusion : nil)
                home(reading)
            }
            let (place, number) = (found.place(of: owner, default: empty), cursor.source)
            let known = latest.flatMap { $0.place == place && $0.number == number ? $0.source : nil }
            let source = known ?? found[place: place].place(of: sources[number]?.provenance ?? Provenance(driver: "unknown"))
            latest = (place, number, source)
            if cursor.isFailure {
                found[place: place].add(Report.LeftOut(time: time, content: cursor.failure, reason: .notABloodPressure))
            } else if let reason = empty.rule.reason(cursor.flags) ?? (time == nil ? cursor.timeExclusion : nil) {
                guard let content = cursor.pressure else { return true }
                found[place: place].add(Report.LeftOut(time: time, content: content, reason: reason))
            } else if let time, let point = cursor.point(time) {
                add(&found[place: place], place, cursor.entry(point, source: source))
            }
            return true
        }
        return found
    }
}

extension ReadingColumn {
    /// The columns of a report, at the same indexes; NULL for the others saves decoding them.
    static let ofReports: String = {
        let needed: Set<ReadingColumn> = [
            .source, .systolic_mmHg, .diastolic_mmHg, .pulse_per_min, .user, .flags, .measured, .clock, .origin, .trigger, .reason, .code,
            .note, .medication, .posture, .arm,
        ]
        return allCases.prefix { $0 != .noted }.map { column in
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
