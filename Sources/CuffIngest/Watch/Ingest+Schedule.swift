import CuffCore

/// What `cuff schedule` is asked.
public enum ScheduleRequest: Sendable, Hashable {
    case get
    case off
    case set(Times)

    /// When to measure.
    public struct Times: Sendable, Hashable {
        /// Minutes between measurements.
        public var minutes: Int
        /// A part of the day; `nil`: all of it.
        public var window: MonitoringPlan.Window?
        /// A part of the day with another interval.
        public var night: (MonitoringPlan.Window, minutes: Int)? {
            get { nightWindow.flatMap { window in nightMinutes.map { (window, $0) } } }
            set { (nightWindow, nightMinutes) = (newValue?.0, newValue?.minutes) }
        }
        private var nightWindow: MonitoringPlan.Window?
        private var nightMinutes: Int?
        /// Until when from now on; `nil`: for ever.
        public var length: Duration?

        /// Every so many minutes, all day, for ever.
        public init(minutes: Int) { self.minutes = minutes }
    }
}

/// Who measures automatically, and when.
public struct ScheduleReport: Sendable {
    /// The driver of the cuff.
    public var driver: CuffDriver
    /// Minutes between the cuff's own automatic measurements; 0: off; `nil`: it has none, or was not asked.
    public var cycle: Int?
    /// The plan that `cuff watch` keeps, with how far it has come.
    public var keeper: ScheduleKeeper?
    /// How the conversation with the cuff ended.
    public var report: IngestReport
    /// What a person must know before relying on it.
    public var warning: String?

    /// The zone of the plan, for its end.
    var zone = ZoneTable.utc

    private var isOff: Bool { (cycle ?? 0) == 0 && keeper == nil }

    /// Lines for a person.
    public var text: String {
        var lines: [String] = []
        if let cycle, cycle > 0 { lines.append("the cuff measures by itself every \(Self.span(cycle))") }
        if let keeper {
            let window = keeper.plan.window.map { " from \(Self.clock($0.from)) to \(Self.clock($0.to))" } ?? ""
            let night =
                keeper.plan.night.map {
                    ", by night (\(Self.clock($0.window.from)) to \(Self.clock($0.window.to))) every \(Self.span($0.interval))"
                } ?? ""
            let end = keeper.plan.until.map { ", until \(Self.moment($0, in: zone))" } ?? ""
            lines.append(
                "`cuff watch` measures every \(Self.span(keeper.plan.interval))\(window)\(night)\(end); \(keeper.measuredCount) so far")
        }
        if isOff { lines.append("no automatic measurements") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// One JSON object and a line feed.
    public var json: String {
        var parts = ["{\"type\":\"schedule\",\"schema\":1,\"driver\":\"\(driver.id)\""]
        if let keeper {
            parts.append("\"by\":\"watch\",\"every_min\":\(keeper.plan.interval)")
            if let window = keeper.plan.window {
                parts.append("\"from\":\"\(Self.clock(window.from))\",\"to\":\"\(Self.clock(window.to))\"")
            }
            if let night = keeper.plan.night {
                parts.append(
                    "\"night_from\":\"\(Self.clock(night.window.from))\",\"night_to\":\"\(Self.clock(night.window.to))\""
                        + ",\"night_every_min\":\(night.interval)")
            }
            if let until = keeper.plan.until { parts.append("\"until\":\"\(Timestamp(seconds: until).text(in: zone))\"") }
            parts.append("\"measured\":\(keeper.measuredCount)")
        } else if let cycle, cycle > 0 {
            parts.append("\"by\":\"cuff\",\"every_min\":\(cycle)")
        } else {
            parts.append("\"by\":null")
        }
        return parts.joined(separator: ",") + "}\n"
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

extension Ingest {
    /// Asks for, sets or ends automatic measurements. A cuff that can measure by itself at these times is set to it; for
    /// any other that can be told to measure, `cuff watch` keeps the plan, durably, and nothing is sent to the cuff.
    public static func schedule(
        _ place: DevicePlace, _ request: ScheduleRequest, _ read: ReadOptions = ReadOptions(), zone: String? = nil,
        options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> ScheduleReport {
        let driver = try driver(place.driver, among: options.drivers)
        let hasOwn = driver.capabilities.contains(.schedule)
        guard hasOwn || driver.capabilities.contains(.measure) else {
            throw IngestError(ScheduleFault.notByItself(driver: driver.id.description))
        }
        guard let memory = options.memory else {
            throw IngestError(ScheduleFault.noFolder)
        }
        let folder = ScheduleFolder(memory, drivers: options.drivers)
        let key = ScheduleFolder.key(place, device: options.device)
        let report = try schedule(place, request, read, zone, driver, folder, key, options)
        // What the cuff itself said is what a watch waits for.
        if let cycle = report.cycle, report.report.status == .done { try folder.note(cycle: cycle, of: key, driver.id) }
        return report
    }

    private static func schedule(
        _ place: DevicePlace, _ request: ScheduleRequest, _ read: ReadOptions, _ zone: String?, _ driver: CuffDriver,
        _ folder: ScheduleFolder, _ key: String, _ options: IngestOptions
    ) throws(IngestError) -> ScheduleReport {
        let hasOwn = driver.capabilities.contains(.schedule)
        var report = ScheduleReport(driver: driver, cycle: nil, keeper: nil, report: IngestReport())
        switch request {
        case .get:
            if hasOwn { (report.cycle, report.report) = try ask(place, driver, .get, read, options) }
            let kept = folder.load(key)
            report.keeper = kept?.keeper
            report.zone = try HostZone.named(kept?.zone)
        case .off:
            _ = folder.remove(key)
            if hasOwn { (report.cycle, report.report) = try ask(place, driver, .off, read, options) }
        case .set(let times):
            let isPlain = times.night == nil && times.length == nil
            if hasOwn, isPlain, driver.cycles.contains(times.minutes),
                times.window == nil || driver.capabilities.contains(.scheduleWindow)
            {
                (report.cycle, report.report) = try ask(place, driver, .every(times.minutes), read, options)
                if report.report.status == .done { _ = folder.remove(key) }
                return report
            }
            let now = HostClock.now().seconds
            let plan = try hosted(times, driver, from: now)
            try refuseBorrowed(key)
            // Two that inflate the same cuff would be one too many.
            if hasOwn {
                (report.cycle, report.report) = try ask(place, driver, .off, read, options)
                guard report.report.status == .done else { return report }
            }
            let keeper = ScheduleKeeper(plan, from: now)
            try folder.save(HostSchedule(key: key, driver: driver.id, zone: zone, keeper: keeper))
            report.keeper = keeper
            report.zone = try HostZone.named(zone)
            if key.hasPrefix("port:") {
                report.warning =
                    "the adapter has no serial number: the schedule is for whatever \(driver.id) cuff is at \(key); "
                    + "`cuff schedule … off` before another person's cuff is plugged in there"
            }
        }
        return report
    }

    private static func refuseBorrowed(_ key: String) throws(IngestError) {
        guard ScheduleFolder.isBorrowed(key) else { return }
        throw IngestError(ScheduleFault.unknownCuff(device: "\(key)"))
    }

    private static func hosted(
        _ times: ScheduleRequest.Times, _ driver: CuffDriver, from now: Int64
    ) throws(IngestError) -> MonitoringPlan {
        guard driver.capabilities.contains(.measure) else {
            throw IngestError(ScheduleFault.notAtTheseTimes(driver: driver.id.description, own: driver.cycles))
        }
        func refused(_ minutes: Int) -> IngestError {
            IngestError(ScheduleFault.interval(minutes: minutes, own: driver.cycles))
        }
        var night: MonitoringPlan.Night?
        if let (window, minutes) = times.night {
            night = MonitoringPlan.Night(window, every: minutes)
            if night == nil { throw refused(minutes) }
        }
        let until = times.length.map { now + $0.components.seconds }
        guard let plan = MonitoringPlan(every: times.minutes, window: times.window, night: night, until: until) else {
            throw refused(times.minutes)
        }
        return plan
    }

    private static func ask(
        _ place: DevicePlace, _ driver: CuffDriver, _ command: ScheduleCommand, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> (Int?, IngestReport) {
        var read = read
        read.command = .schedule(command)
        read.follows = false
        let report = try self.read(place.address, driver: place.driver, read, options: options)
        return (report.cycle, report)
    }
}
