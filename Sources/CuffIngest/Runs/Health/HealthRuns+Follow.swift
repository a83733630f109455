import CuffClinical
import CuffCore

extension HealthRuns {
    /// How often the database is checked for changes.
    static let followInterval = Duration.seconds(1)

    /// Passes every bucket to `tell` with its printer, and again each changed one, until `stop` is raised. Changes by any program
    /// are noticed within about a second.
    package static func follow(
        _ store: Store, _ request: StatisticsRequest, stop: StopSignal,
        tell: (_ table: StatisticsTable, _ buckets: [StatisticsBucket]) throws(IngestError) -> Void
    ) throws(IngestError) {
        var changes = StatisticsChanges()
        try whenChanged(store, stop) { () throws(IngestError) in
            let persons = try statisticsOfEach(
                store, request.selection, by: request.cut, style: request.style, options: request.options,
                excludesDisturbed: request.excludesDisturbed)
            let sources = persons.first?.table.sources ?? []
            for (person, buckets) in changes.update(persons.map { (person: $0.person, buckets: $0.collection.buckets) }) {
                try tell(StatisticsTable(style: request.style, sources: sources, person: person), buckets)
            }
        }
    }

    /// Calls `body` at once, and again after each change of the database, until `stop` is raised.
    static func whenChanged(_ store: Store, _ stop: StopSignal, _ body: () throws(IngestError) -> Void) throws(IngestError) {
        var version: Int64?
        while !stop.isRaised {
            let present = try store.changeCounter()
            if present != version {
                version = present
                try body()
            }
            _ = stop.sleep(nanoseconds: followInterval.nanoseconds)
        }
    }
}
