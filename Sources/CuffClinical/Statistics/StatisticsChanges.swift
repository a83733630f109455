/// Finds the buckets that changed since the last call, for listeners of statistics.
package struct StatisticsChanges: Sendable {
    /// The person and the bucket.
    private struct Key: Hashable {
        var person: Person
        var bucket: Int64
    }
    private var known: [Key: StatisticsBucket] = [:]

    package init() {}

    /// The buckets of each person that are new or changed since the last call, ascending. A bucket whose readings are all gone is returned
    /// without readings. Each person must occur once.
    package mutating func update(
        _ persons: [(person: Person, buckets: [StatisticsBucket])]
    ) -> [(person: Person, buckets: [StatisticsBucket])] {
        var present: [Key: StatisticsBucket] = [:]
        var changed: [Person: [StatisticsBucket]] = [:]
        for (person, buckets) in persons {
            for bucket in buckets {
                let key = Key(person: person, bucket: bucket.key)
                present[key] = bucket
                if known[key] != bucket { changed[person, default: []].append(bucket) }
            }
        }
        for key in known.keys where present[key] == nil { changed[key.person, default: []].append(StatisticsBucket(key: key.bucket)) }
        known = present
        return changed.map { (person: $0.key, buckets: $0.value.sorted { $0.key < $1.key }) }.sorted { $0.person < $1.person }
    }
}
