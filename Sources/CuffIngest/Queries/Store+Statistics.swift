import CuffClinical
import CuffCore

/// The values of one type in one bucket of time.
public struct StatisticsInterval: Sendable, Hashable {
    /// `2026-05-05`, `2026-W19`, `morning`.
    public let label: String
    /// The instants of the bucket, the end excluded; `nil` for one that recurs each day.
    public let interval: Range<Timestamp>?
    /// Count, minimum, maximum, average, sum and the most recent value with its time, in the unit of the type.
    public let statistics: QuantityStatistics
    /// The one number of the bucket by the aggregation of the type: an average, a sum or a level. `nil` if it has none.
    public let result: Double?
}

extension Store {
    /// Statistics of one type for one person: of readings, and of the values of series. Ascending; only buckets with a value.
    ///
    /// Readings that are implausible, invalid, test data or of unknown time are left out. Without `owner` the readings must be one
    /// person's: a usage error otherwise. `zone` is that of the bounds of days; `nil`: this machine's.
    public func statistics(
        _ type: SampleType, by bucketing: Bucketing = .day, of owner: ReadingOwner? = nil, where condition: ReadingCondition? = nil,
        since: Timestamp? = nil, until: Timestamp? = nil, zone: ZoneTable? = nil
    ) async throws(IngestError) -> [StatisticsInterval] {
        let zone = zone ?? HostZone.local()
        var selection = ReadingSelection(zone: zone)
        (selection.since, selection.until, selection.condition) = (since, until, condition)
        return try await statistics(type, by: CalendarCut(bucketing, zone: zone), of: owner, selection)
    }

    /// The same with any division of time, and any selection.
    public func statistics(
        _ type: SampleType, by cut: CalendarCut, of owner: ReadingOwner? = nil, _ selection: ReadingSelection
    ) async throws(IngestError) -> [StatisticsInterval] {
        try await DetachedThread.run { [self] () throws(IngestError) in
            try intervals(type, by: cut, of: owner, selection) { () throws(IngestError) in try CuffConfiguration.load() }
        }
    }

    /// Blocks until all is read.
    func intervals(
        _ type: SampleType, by cut: CalendarCut, of owner: ReadingOwner?, _ selection: ReadingSelection,
        configuration: () throws(IngestError) -> CuffConfiguration
    ) throws(IngestError) -> [StatisticsInterval] {
        var selection = HealthRuns.widened(selection, cut)
        selection.kinds = HealthRuns.kinds(of: type)
        let parts: [ReadingSelection]
        if let owner {
            parts = try owner.selections(selection, configuration)
        } else {
            try Persons(self, selection).requireOne(for: "a statistic")
            parts = [selection]
        }
        var collection = QuantityCollection(type, cut, values: QuantityType.all.first { $0.sample == type }?.values ?? [])
        try collect(parts, into: &collection)
        return collection.buckets.map { key, statistics in
            StatisticsInterval(
                label: cut.label(of: key), interval: cut.interval(of: key), statistics: statistics,
                result: collection.result(statistics)?.value)
        }
    }
}
