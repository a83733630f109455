extension Cuff {
    /// The automatic measurements of the cuff, its own and those that a watch keeps.
    /// - Throws: As ``Cuff`` says.
    public func schedule() async throws -> ScheduleReport { try await scheduled(.get, zone: nil) }

    /// Sets automatic measurements. A cuff that can measure at these times itself is set to them; for any other that can be started, a
    /// watch (`cuff watch`, `Cuffs.readings`) with the same state folder measures. `zone` is the IANA name of the zone of the times;
    /// `nil`: this machine's.
    /// - Throws: As ``Cuff`` says; an `IngestError` of status `usage` for times that neither the cuff nor a watch can keep, an unknown
    ///   zone, a cuff whose name the next one may get, and `options` without a state folder.
    @discardableResult
    public func setSchedule(_ times: ScheduleTimes, zone: String? = nil) async throws -> ScheduleReport {
        try await scheduled(.set(times), zone: zone)
    }

    /// Ends automatic measurements, the cuff's own and those that a watch keeps.
    /// - Throws: As ``Cuff`` says.
    public func endSchedule() async throws { _ = try await scheduled(.off, zone: nil) }

    private func scheduled(_ request: ScheduleRequest, zone: String?) async throws -> ScheduleReport {
        let answer = Locked<ScheduleReport?>(nil)
        _ = try await performed { (cuff) throws(IngestError) in
            let report = try cuff.scheduling(request, zone: zone)
            answer.withLock { $0 = report }
            return report.report
        }
        guard let report = answer.withLock({ $0 }) else { throw CancellationError() }
        return report
    }

    /// Blocks until the cuff has answered, if it is asked.
    package func scheduling(_ request: ScheduleRequest, zone: String?) throws(IngestError) -> ScheduleReport {
        try Ingest.schedule(address, driver, request, read(.schedule(.get)), zone: zone, options: options)
    }
}
