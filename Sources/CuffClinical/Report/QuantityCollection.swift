import CuffCore

/// Statistics of one quantity by day, week or any other cut: of readings, and of the values within series. Values are not kept.
public struct QuantityCollection: Sendable {
    /// How time is cut into buckets.
    public let cut: CalendarCut
    /// What the values are.
    public let type: SampleType
    /// Values that are not counted, because they were measured for a test or the device calls them invalid.
    public private(set) var leftOut = 0
    private var found: [Int64: QuantityStatistics] = [:]

    /// No values.
    public init(_ type: SampleType, _ cut: CalendarCut) { (self.type, self.cut) = (type, cut) }

    /// Adds a value in the unit of the type. A weighted style needs the order of time.
    public mutating func add(_ value: DatedValue, lasting duration: Duration? = nil) {
        let isLevel = type.aggregation == .equivalentContinuousLevel
        found[cut.key(at: value.time), default: QuantityStatistics()].add(value, lasting: isLevel ? duration ?? .zero : nil)
    }

    /// Adds the values of a series; those of a unit that cannot be converted are left out.
    public mutating func add(_ series: QuantitySeries) {
        guard let unit = type.unit else { return }
        for element in series.elements {
            guard let value = HealthQuantity(element.value, series.unit).value(in: unit) else {
                leftOut += 1
                continue
            }
            let time = Timestamp(milliseconds: series.start.milliseconds + element.start / 1000)
            let lasting = Duration.microseconds(max(0, element.end - element.start))
            add(DatedValue(value, at: time, from: series.reading ?? .none), lasting: lasting > .zero ? lasting : nil)
        }
    }

    /// Counts a value that was left out.
    public mutating func leaveOut() { leftOut += 1 }

    /// Ascending; only those that hold a value.
    public var buckets: [(key: Int64, statistics: QuantityStatistics)] {
        found.sorted { $0.key < $1.key }.map { (key: $0.key, statistics: $0.value) }
    }

    /// The one number of a bucket by the type's aggregation, and its word in JSON; `nil` where there is none.
    public func result(_ statistics: QuantityStatistics) -> (word: String, value: Double)? {
        switch type.aggregation {
        case .cumulative: ("sum", statistics.sum)
        case .equivalentContinuousLevel: statistics.average(.equivalentContinuousLevel).map { ("level", $0) }
        case .discreteTemporallyWeighted: statistics.average(.discreteTemporallyWeighted).map { ("avg", $0) }
        case .discreteArithmetic, nil: statistics.average().map { ("avg", $0) }
        }
    }

    /// One line for each bucket: `{"type":"statistics","schema":1,"quantity":"body_mass","unit":"kg","by":"day",…}`.
    public func appendLines(name: String, user: Int?, to text: inout TextBuffer) {
        for (key, statistics) in buckets {
            text.append("{\"type\":\"statistics\",\"schema\":1,\"quantity\":")
            text.append(jsonString: name)
            text.append(",\"unit\":")
            text.append(jsonString: type.unit?.description ?? "")
            text.append(",\"by\":")
            text.append(jsonString: cut.bucketing.rawValue)
            text.append(",\"bucket\":")
            text.append(jsonString: cut.label(of: key))
            text.append(",\"zone\":")
            text.append(jsonString: cut.zone.name)
            if let style = type.aggregation { text.append(string: ",\"style\":\"\(style.rawValue)\"") }
            if let user { text.append(string: ",\"user\":\(user)") }
            text.append(string: ",\"count\":\(statistics.count)")
            let result = result(statistics)
            let numbers: [(String, Double?)] = [
                (result?.word ?? "avg", result?.value), ("min", statistics.minimum?.value), ("max", statistics.maximum?.value),
                ("last", statistics.mostRecent?.value),
            ]
            for case (let word, let value?) in numbers {
                text.append(string: ",\"\(word)\":")
                text.append(rounded: value)
            }
            text.append("}\n")
        }
    }

    /// A table for a person.
    public func appendTable(width: Int? = nil, to text: inout TextBuffer) {
        let word = buckets.first.flatMap { result($0.statistics)?.word } ?? "avg"
        let rows = buckets.map { key, statistics in
            [cut.label(of: key), "\(statistics.count)"]
                + [result(statistics)?.value, statistics.minimum?.value, statistics.maximum?.value, statistics.mostRecent?.value].map {
                    $0.map(StatisticsTable.short) ?? "-"
                }
        }
        let head = ["", "n", word, "min", "max", "last"]
        text.append(string: TextTable(head, rows, rightAligned: Set(head.indices.dropFirst()), optional: [5, 3, 4]).text(width: width))
        text.append(string: "\(type.unit?.description ?? ""); zone \(cut.zone.name)\(leftOut > 0 ? "; \(leftOut) left out" : "")\n")
    }
}
