import CuffCore

/// Statistics of one quantity by day, week or any other cut, of readings and of the values within series. Values are not kept.
package struct QuantityCollection: Sendable {
    package let cut: CalendarCut
    package let type: SampleType
    /// The number of values that are not counted, because they are test data or invalid.
    package private(set) var leftOut = 0
    /// The values of a category, which are not averaged; empty for a quantity.
    package let values: [CategoryValue]
    /// The only cuff of the values; `nil`: of any.
    package var source: Provenance?
    private var found: [Int64: QuantityStatistics] = [:]
    /// The total duration of a category in seconds.
    private var lasting: [Int64: Int64] = [:]

    package init(_ type: SampleType, _ cut: CalendarCut) {
        (self.type, self.cut) = (type, cut)
        values = QuantityType.all.first { $0.sample == type }?.values ?? []
    }

    /// Adds a value in the unit of the type. A weighted style needs values in the order of time.
    package mutating func add(_ value: DatedValue, lasting duration: Duration? = nil) {
        let isLevel = type.aggregation == .equivalentContinuousLevel
        let key = cut.key(at: value.time)
        // Between two measurements a cuff has no pressure; a heart has a rate.
        found[key, default: QuantityStatistics()].add(
            value, lasting: isLevel ? duration ?? .zero : nil, withinReading: type == .cuffPressure)
        if !values.isEmpty, let duration { lasting[key, default: 0] += duration.components.seconds }
    }

    package mutating func leaveOut() { leftOut += 1 }

    package var buckets: [(key: Int64, statistics: QuantityStatistics)] {
        found.sorted { $0.key < $1.key }.map { (key: $0.key, statistics: $0.value) }
    }

    /// The result of a bucket by the type's aggregation, and its key in JSON.
    package func result(_ statistics: QuantityStatistics) -> (word: String, value: Double)? {
        switch type.aggregation {
        case .cumulative: ("sum", statistics.sum)
        case .equivalentContinuousLevel: statistics.average(.equivalentContinuousLevel).map { ("level", $0) }
        case .discreteTemporallyWeighted: statistics.average(.discreteTemporallyWeighted).map { ("avg", $0) }
        case .discreteArithmetic, nil: statistics.average().map { ("avg", $0) }
        }
    }

    /// One line for each bucket: `{"type":"statistics","schema":1,"quantity":"body_mass","unit":"kg","by":"day",…}`.
    package func appendLines(name: String, person: Person?, to text: inout TextBuffer) {
        for (key, statistics) in buckets {
            text.append("{\"type\":\"statistics\",\"schema\":1")
            text.append(key: "quantity", name)
            if let unit = type.unit { text.append(key: "unit", unit.description) }
            text.append(key: "by", cut.bucketing.rawValue)
            text.append(key: "bucket", cut.label(of: key))
            text.append(key: "zone", cut.zone.name)
            if let style = type.aggregation { text.append(key: "style", style.rawValue) }
            text.appendOwner(person)
            if let source {
                text.append(key: "driver", source.driver)
                if !source.device.isEmpty { text.append(key: "device", source.device) }
            }
            text.append(key: "count", statistics.count)
            if values.isEmpty {
                if let result = result(statistics) { text.append(key: result.word, rounded: result.value) }
                for (word, value) in [("min", statistics.minimum), ("max", statistics.maximum), ("last", statistics.mostRecent)] {
                    if let value { text.append(key: word, rounded: value.value) }
                }
                if let last = statistics.mostRecent { text.append(key: "last_time", last.time, in: cut.zone) }
            } else {
                text.append(key: "duration_s", Int(lasting[key] ?? 0))
                for (word, value) in [("worst", statistics.maximum), ("last", statistics.mostRecent)] {
                    if let name = self.word(value) { text.append(key: word, name) }
                }
            }
            text.append("}\n")
        }
    }

    private func word(_ value: DatedValue?) -> String? {
        value.flatMap { value in values.first { Double($0.number) == value.value }?.word }
    }

    private func appendCategoryTable(width: Int?, to text: inout TextBuffer) {
        let rows = buckets.map { key, statistics in
            [
                cut.label(of: key), "\(statistics.count)", "\((lasting[key] ?? 0) / 60)", word(statistics.maximum) ?? "-",
                word(statistics.mostRecent) ?? "-",
            ]
        }
        text.append(string: TextTable(["", "n", "min", "worst", "last"], rows, rightAligned: [1, 2], optional: [2]).text(width: width))
        text.append(string: "minutes; zone \(cut.zone.name)\(leftOut > 0 ? "; \(leftOut) left out" : "")\n")
    }

    package func appendTable(width: Int? = nil, to text: inout TextBuffer) {
        guard values.isEmpty else { return appendCategoryTable(width: width, to: &text) }
        let word = buckets.first.flatMap { result($0.statistics)?.word } ?? "avg"
        let rows = buckets.map { key, statistics in
            [cut.label(of: key), "\(statistics.count)"]
                + [result(statistics)?.value, statistics.minimum?.value, statistics.maximum?.value, statistics.mostRecent?.value].map {
                    $0.map(TextBuffer.rounded) ?? "-"
                }
        }
        let head = ["", "n", word, "min", "max", "last"]
        text.append(string: TextTable(head, rows, rightAligned: Set(head.indices.dropFirst()), optional: [5, 3, 4]).text(width: width))
        text.append(string: "\(type.unit?.description ?? ""); zone \(cut.zone.name)\(leftOut > 0 ? "; \(leftOut) left out" : "")\n")
    }
}
