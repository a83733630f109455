/// One quantity in one column of a picture: the range of its values and their average.
struct PlotRange: Sendable, Hashable {
    var low, high, average: Double
    var count: Int

    init?(_ statistics: QuantityStatistics) {
        guard let low = statistics.minimum?.value, let high = statistics.maximum?.value, let average = statistics.average()
        else { return nil }
        (self.low, self.high, self.average, count) = (low, high, average, statistics.count)
    }

    mutating func merge(_ other: PlotRange) {
        low = min(low, other.low)
        high = max(high, other.high)
        average = (average * Double(count) + other.average * Double(other.count)) / Double(count + other.count)
        count += other.count
    }
}
