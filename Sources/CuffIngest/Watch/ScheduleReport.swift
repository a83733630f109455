import CuffCore

/// Who measures automatically, and when.
public struct ScheduleReport: Sendable {
    package var driver: CuffDriver
    /// Minutes between the cuff's own automatic measurements; 0: off; `nil`: it has none, or was not asked.
    public internal(set) var cycle: Int?
    /// The plan that a watch keeps for the cuff; `nil` if it keeps none.
    package var plan: MonitoringPlan? { keeper?.plan }
    /// The state of the schedule that `cuff watch` executes.
    package var keeper: ScheduleKeeper?
    package var report: IngestReport
    /// What a person must know before relying on it.
    public internal(set) var warning: String?

    /// Zone of the schedule's times.
    var zone = ZoneTable.utc

    package var text: String {
        var lines: [String] = []
        if let cycle, cycle > 0 { lines.append("the cuff measures automatically every \(Self.span(cycle))") }
        if let keeper {
            let window = keeper.plan.window.map { " from \(Self.clock($0.from)) to \(Self.clock($0.to))" } ?? ""
            let night =
                keeper.plan.night.map {
                    ", by night (\(Self.clock($0.window.from)) to \(Self.clock($0.window.to))) every \(Self.span($0.interval))"
                } ?? ""
            let end = keeper.plan.until.map { ", until \(Self.moment($0, in: zone))" } ?? ""
            let times = window + night + end
            lines.append(
                "`cuff watch` measures every \(Self.span(keeper.plan.interval))\(times)\(times.isEmpty ? "" : " (\(zone.name))"); "
                    + "\(keeper.measuredCount) so far")
        }
        if lines.isEmpty { lines.append("no automatic measurements") }
        return lines.map { $0 + "\n" }.joined()
    }

    package var json: String {
        let plan = keeper?.plan
        let by: JSONOutput = keeper != nil ? "watch" : (cycle ?? 0) > 0 ? "cuff" : .null
        let interval = plan.map { $0.interval } ?? cycle.flatMap { $0 > 0 ? $0 : nil }
        func clock(_ minutes: Int?) -> JSONOutput? { minutes.map { .text(Self.clock($0)) } }
        return JSONOutput.line(
            "schedule", ("driver", .text(driver.id.description)), ("by", by), ("every_min", interval.map { .number($0) }),
            ("from", clock(plan?.window?.from)), ("to", clock(plan?.window?.to)), ("night_from", clock(plan?.night?.window.from)),
            ("night_to", clock(plan?.night?.window.to)), ("night_every_min", plan?.night.map { .number($0.interval) }),
            ("until", plan?.until.map { .text(Timestamp(seconds: $0).text(in: zone)) }),
            ("zone", plan.flatMap { $0.window == nil && $0.night == nil && $0.until == nil ? nil : .text(zone.name) }),
            ("measured", keeper.map { .number($0.measuredCount) }))
    }

    private static func span(_ minutes: Int) -> String {
        minutes % 60 == 0 ? "\(minutes / 60) h" : minutes > 60 ? "\(minutes / 60) h \(minutes % 60) min" : "\(minutes) min"
    }

    /// `2026-05-05 07:31`
    static func moment(_ instant: Int64, in zone: ZoneTable) -> String {
        String(Timestamp(seconds: instant).text(in: zone).prefix(16)).replacing("T", with: " ")
    }

    private static func clock(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }
}
