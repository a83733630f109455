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
    /// Readings that are implausible, invalid, test data or of unknown time are left out. `zone` is that of the bounds of days; `nil`:
    /// this machine's.
    /// - Throws: An `IngestError` of reading, as ``Store`` says; of status `usage` for an unknown name, and if the values are of
    ///   several persons by the configuration, e.g. of user 1 of two cuffs; of `badConfiguration` if the configuration cannot be used.
    public func statistics(
        _ type: SampleType, by bucketing: Bucketing = .day, of owner: ReadingOwner? = nil, where condition: ReadingCondition? = nil,
        since: Timestamp? = nil, until: Timestamp? = nil, zone: ZoneTable? = nil
    ) async throws(IngestError) -> [StatisticsInterval] {
        let zone = zone ?? HostZone.local()
        var selection = ReadingSelection(zone: zone)
        (selection.since, selection.until, selection.condition) = (since, until, condition)
        return try await statistics(type, by: CalendarCut(bucketing, zone: zone), of: owner, selection)
    }

    /// The same with any division of time, and any selection. Its household, if it has one, replaces that of the configuration.
    /// - Throws: As ``statistics(_:by:of:where:since:until:zone:)``.
    public func statistics(
        _ type: SampleType, by cut: CalendarCut, of owner: ReadingOwner? = nil, _ selection: ReadingSelection
    ) async throws(IngestError) -> [StatisticsInterval] {
        try await DetachedThread.run { [self] () throws(IngestError) in
            try intervals(type, by: cut, of: owner, selection) { () throws(IngestError) in try CuffConfiguration.load().household }
        }
    }

    /// Blocks until all is read.
    func intervals(
        _ type: SampleType, by cut: CalendarCut, of owner: ReadingOwner?, _ selection: ReadingSelection,
        household: () throws(IngestError) -> Household
    ) throws(IngestError) -> [StatisticsInterval] {
        var selection = HealthRuns.widened(selection, cut)
        selection.kinds = HealthRuns.kinds(of: type)
        if selection.household.isEmpty {
            let joinsCuffs = selection.household.joinsCuffs
            selection.household = try household()
            selection.household.joinsCuffs = joinsCuffs
        }
        try selection.choose(owner?.choice)
        let found = try collect(selection, like: QuantityCollection(type, cut))
        try found.persons.requireOne(for: "a statistic")
        guard let collection = found.sorted.first?.value else { return [] }
        return collection.buckets.map { key, statistics in
            StatisticsInterval(
                label: cut.label(of: key), interval: cut.interval(of: key), statistics: statistics,
                result: collection.result(statistics)?.value)
        }
    }
}
