import CuffCore

/// Finds the buckets that changed since the last call, for listeners of statistics.
package struct StatisticsChanges: Sendable {
    private struct Key: Hashable {
        var user: Int?
        var bucket: Int64
    }
    private var known: [Key: StatisticsBucket] = [:]

    package init() {}

    /// The buckets of each person that are new or changed since the last call, ascending. A bucket whose readings are all gone is returned
    /// without readings. Each person must occur once.
    package mutating func update(
        _ persons: [(user: Int?, buckets: [StatisticsBucket])]
    ) -> [(user: Int?, buckets: [StatisticsBucket])] {
        var present: [Key: StatisticsBucket] = [:]
        var changed: [Int?: [StatisticsBucket]] = [:]
        for (user, buckets) in persons {
            for bucket in buckets {
                let key = Key(user: user, bucket: bucket.key)
                present[key] = bucket
                if known[key] != bucket { changed[user, default: []].append(bucket) }
            }
        }
        for key in known.keys where present[key] == nil { changed[key.user, default: []].append(StatisticsBucket(key: key.bucket)) }
        known = present
        return changed.map { (user: $0.key, buckets: $0.value.sorted { $0.key < $1.key }) }.sorted { ($0.user ?? .max) < ($1.user ?? .max) }
    }
}
