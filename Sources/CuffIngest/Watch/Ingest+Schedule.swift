import CuffCore

/// What `cuff schedule` is asked.
public enum ScheduleRequest: Sendable, Hashable {
    case get
    case off
    case set(minutes: Int, MonitoringPlan.Window?)
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

    private var isOff: Bool { (cycle ?? 0) == 0 && keeper == nil }

    /// Lines for a person.
    public var text: String {
        var lines: [String] = []
        if let cycle, cycle > 0 { lines.append("the cuff measures by itself every \(Self.span(cycle))") }
        if let keeper {
            let window = keeper.plan.window.map { " from \(Self.clock($0.from)) to \(Self.clock($0.to))" } ?? ""
            lines.append("`cuff watch` measures every \(Self.span(keeper.plan.interval))\(window); \(keeper.measuredCount) so far")
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

    private static func clock(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }
}

extension ScheduleRequest {
    /// As it is written: `get`, `off`, or `set` with minutes and a window.
    public init(_ action: String, every: Duration?, from: String?, to: String?) throws(IngestError) {
        switch action {
        case "get", "off":
            guard every == nil, from == nil, to == nil else {
                throw IngestError(.usage, "`\(action)` takes no times", hint: "write e.g. cuff schedule DEVICE set --every 15m")
            }
            self = action == "get" ? .get : .off
        case "set":
            guard let every else { throw IngestError(.usage, "`set` needs an interval", hint: "add e.g. --every 15m") }
            let seconds = every.components.seconds
            guard seconds % 60 == 0, seconds >= 60 else {
                throw IngestError(.usage, "a schedule counts whole minutes", hint: "write e.g. --every 15m")
            }
            var window: MonitoringPlan.Window?
            if from != nil || to != nil {
                guard let from = from.flatMap(Self.clock), let to = to.flatMap(Self.clock),
                    let read = MonitoringPlan.Window(from: from, to: to)
                else {
                    throw IngestError(
                        .usage, "`--from`/`--to` is not a valid time range", why: "both must be times of day, and different",
                        hint: "write e.g. --from 08:00 --to 22:00")
                }
                window = read
            }
            self = .set(minutes: Int(clamping: seconds / 60), window)
        default:
            throw IngestError(
                .usage, "unknown action `\(action)`", why: "actions are get, set, off", hint: "write e.g. cuff schedule DEVICE get")
        }
    }

    /// Minutes after midnight of `08:00` or `8:00`; `24:00` is the end of a day.
    static func clock(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<60).contains(minute),
            (0..<24).contains(hour) || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
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
            throw IngestError(
                .usage, "\(driver.id) cuffs cannot measure automatically",
                why: "they have no automatic cycles and cannot be started remotely",
                hint: "start each measurement on the cuff; `cuff watch` stores the results")
        }
        guard let memory = options.memory else {
            throw IngestError(.usage, "no folder to store a schedule in", hint: "set HOME or XDG_STATE_HOME")
        }
        let folder = ScheduleFolder(memory, drivers: options.drivers)
        let key = ScheduleFolder.key(place, device: options.device)
        var report = ScheduleReport(driver: driver, cycle: nil, keeper: nil, report: IngestReport())
        switch request {
        case .get:
            if hasOwn { (report.cycle, report.report) = try ask(place, driver, .get, read, options) }
            report.keeper = folder.load(key)?.keeper
        case .off:
            _ = folder.remove(key)
            if hasOwn { (report.cycle, report.report) = try ask(place, driver, .off, read, options) }
        case .set(let minutes, let window):
            if hasOwn, driver.cycles.contains(minutes), window == nil || driver.capabilities.contains(.scheduleWindow) {
                (report.cycle, report.report) = try ask(place, driver, .every(minutes), read, options)
                if report.report.status == .done { _ = folder.remove(key) }
                return report
            }
            let plan = try hosted(minutes, window, driver)
            guard !ScheduleFolder.isBorrowed(key) else {
                throw IngestError(
                    .usage, "cannot tell which cuff is on \(key)",
                    why: "the next cuff that is plugged in may get that name, and would be inflated by this schedule",
                    hint: "name the device by usb:VVVV:PPPP:SERIAL or port:…, as `cuff list` shows it, or give it a name with --device")
            }
            // Two that inflate the same cuff would be one too many.
            if hasOwn {
                (report.cycle, report.report) = try ask(place, driver, .off, read, options)
                guard report.report.status == .done else { return report }
            }
            let keeper = ScheduleKeeper(plan, from: HostClock.now().seconds)
            try folder.save(HostSchedule(key: key, driver: driver.id, zone: zone, keeper: keeper))
            report.keeper = keeper
            if key.hasPrefix("port:") {
                report.warning =
                    "the adapter has no serial number: the schedule is for whatever \(driver.id) cuff is at \(key); "
                    + "`cuff schedule … off` before another person's cuff is plugged in there"
            }
        }
        return report
    }

    private static func hosted(
        _ minutes: Int, _ window: MonitoringPlan.Window?, _ driver: CuffDriver
    ) throws(IngestError) -> MonitoringPlan {
        let own = driver.cycles.isEmpty ? "" : "; its own cycles are \(driver.cycles.map(String.init).joined(separator: ", ")) minutes"
        guard driver.capabilities.contains(.measure) else {
            throw IngestError(
                .usage, "\(driver.id) cuffs cannot measure every \(minutes) minutes", why: "they cannot be started remotely" + own)
        }
        guard let plan = MonitoringPlan(every: minutes, window: window) else {
            throw IngestError(
                .usage, "invalid interval of \(minutes) minutes",
                why: "an arm needs \(MonitoringPlan.intervals.lowerBound) minutes between inflations, and a day is the longest" + own,
                hint: "write e.g. --every 15m")
        }
        return plan
    }

    private static func ask(
        _ place: DevicePlace, _ driver: CuffDriver, _ command: ScheduleCommand, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> (Int?, IngestReport) {
        var (read, options) = (read, options)
        read.command = .schedule(command)
        read.follows = false
        // What a module says of its cycle is no reading.
        options.sinks = []
        options.moreSinks = [NoSink()]
        let report = try self.read(place.address, driver: place.driver, read, options: options)
        return (report.cycle, report)
    }
}

/// Where nothing is kept, because nothing is expected.
private final class NoSink: Sink {
    let label = "none"
    func write(_ batch: Batch) throws(IngestError) -> Int { 0 }
}
