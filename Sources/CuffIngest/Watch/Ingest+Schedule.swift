import CuffCore

extension Ingest {
    /// Shows, sets or ends automatic measurements. A cuff with a suitable cycle of its own is set to it; for others that can be
    /// started, `cuff watch` executes the schedule, and nothing is sent to the cuff here.
    static func schedule(
        _ address: DeviceAddress, _ driver: CuffDriver, _ request: ScheduleRequest, _ read: ReadOptions, zone: String?,
        options: IngestOptions
    ) throws(IngestError) -> ScheduleReport {
        let hasOwn = driver.capabilities.contains(.schedule)
        guard hasOwn || driver.capabilities.contains(.measure) else {
            throw IngestError(ScheduleFault.notByItself(driver: driver.id.description))
        }
        guard let memory = options.memory else {
            throw IngestError(ScheduleFault.noFolder)
        }
        let folder = ScheduleFolder(memory, drivers: options.drivers)
        let key = ScheduleFolder.key(address, device: options.device)
        let report = try schedule(address, request, read, zone, driver, folder, key, options)
        // What the cuff itself said is what a watch waits for.
        if let cycle = report.cycle, report.report.status == .done { try folder.note(cycle: cycle, of: key, driver.id) }
        return report
    }

    private static func schedule(
        _ address: DeviceAddress, _ request: ScheduleRequest, _ read: ReadOptions, _ zone: String?, _ driver: CuffDriver,
        _ folder: ScheduleFolder, _ key: String, _ options: IngestOptions
    ) throws(IngestError) -> ScheduleReport {
        let hasOwn = driver.capabilities.contains(.schedule)
        var report = ScheduleReport(driver: driver, cycle: nil, keeper: nil, report: IngestReport())
        switch request {
        case .get:
            if hasOwn { (report.cycle, report.report) = try ask(address, driver, .get, read, options) }
            let kept = folder.load(key)
            report.keeper = kept?.keeper
            report.zone = try HostZone.named(kept?.zone)
        case .off:
            _ = folder.remove(key)
            if hasOwn { (report.cycle, report.report) = try ask(address, driver, .off, read, options) }
        case .set(let times):
            let isPlain = times.night == nil && times.length == nil
            if hasOwn, isPlain, driver.cycles.contains(times.minutes),
                times.window == nil || driver.capabilities.contains(.scheduleWindow)
            {
                (report.cycle, report.report) = try ask(address, driver, .every(times.minutes), read, options)
                if report.report.status == .done { _ = folder.remove(key) }
                return report
            }
            let now = HostClock.now().seconds
            let plan = try hosted(times, driver, from: now)
            if ScheduleFolder.isBorrowed(key) { throw IngestError(ScheduleFault.unknownCuff(device: "\(key)")) }
            // Only one of the two may inflate the cuff.
            if hasOwn {
                (report.cycle, report.report) = try ask(address, driver, .off, read, options)
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

    private static func hosted(
        _ times: ScheduleTimes, _ driver: CuffDriver, from now: Int64
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
        _ address: DeviceAddress, _ driver: CuffDriver, _ command: ScheduleCommand, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> (Int?, IngestReport) {
        var read = read
        read.command = .schedule(command)
        read.follows = false
        let report = try self.read(address, driver: driver.id.description, read, options: options)
        return (report.cycle, report)
    }
}
