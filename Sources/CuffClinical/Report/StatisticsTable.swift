import CuffCore

/// Prints a `StatisticsCollection` as a table for people, or as JSON Lines for programs.
package struct StatisticsTable: Sendable {
    package let style: AggregationStyle
    package let sources: [Provenance]
    /// Whether a missing value is `–`; otherwise `-`.
    package let isUnicode: Bool
    /// Whose all readings are; `nil` if that is not said.
    package let person: Person?

    package init(
        style: AggregationStyle = .discreteArithmetic, sources: [Provenance] = [], isUnicode: Bool = true, person: Person? = nil
    ) {
        self.style = style
        self.person = person
        self.sources = sources
        self.isUnicode = isUnicode
    }

    /// The columns to leave out first: the latest values, then manual and automatic, the pulse's extremes, the pressures' extremes.
    private static let leastImportant = [5, 9, 14, 13, 11, 12, 3, 7, 4, 8]
    static let head = [
        "", "n", "systolic", "min", "max", "last", "diastolic", "min", "max", "last", "pulse", "min", "max", "manual",
        "auto",
    ]

    /// One line per bucket and, if sources are separate, one for each below it. If the terminal is too narrow, the least important columns
    /// are left out.
    package func appendTable(_ collection: StatisticsCollection, width: Int? = nil, to text: inout TextBuffer) {
        append(table: collection.buckets, collection.cut, width: width, to: &text)
        let weighting = style == .discreteTemporallyWeighted ? "; averages weighted by time" : ""
        let notes = collection.leftOutNotes.map { "; \($0)" }.joined()
        text.append(string: "zone \(collection.cut.zone.name)\(weighting)\(notes)\n")
    }

    /// The lines of some buckets, after the table's head.
    package func append(table buckets: [StatisticsBucket], _ cut: CalendarCut, width: Int? = nil, to text: inout TextBuffer) {
        var rows: [[String]] = [Self.head]
        if style == .cumulative { rows[0][2] = "sum" }
        for bucket in buckets {
            rows.append([cut.label(of: bucket.key)] + cells(bucket.merged))
            guard bucket.sources.count > 1 else { continue }
            for (source, statistics) in bucket.sources.sorted(by: { $0.key < $1.key }) {
                rows.append(["  " + name(source)] + cells(statistics))
            }
        }
        let table = TextTable(
            rows[0], Array(rows.dropFirst()), rightAligned: Set(Self.head.indices.dropFirst()), optional: Self.leastImportant)
        text.append(string: table.text(width: width))
    }

    private func name(_ source: Int) -> String { sources.indices.contains(source) ? sources[source].name : "source \(source)" }

    private func cells(_ statistics: ReadingStatistics) -> [String] {
        func numbers(_ quantity: QuantityStatistics, withLast: Bool) -> [String] {
            let main = style == .cumulative ? quantity.count > 0 ? quantity.sum : nil : quantity.average(style)
            let values = [main, quantity.minimum?.value, quantity.maximum?.value] + (withLast ? [quantity.mostRecent?.value] : [])
            return values.enumerated().map { index, value in
                value.map { index == 0 ? Self.oneDecimal($0) : TextBuffer.rounded($0) } ?? (isUnicode ? "–" : "-")
            }
        }
        return ["\(statistics.count)"] + numbers(statistics.systolic, withLast: true)
            + numbers(statistics.diastolic, withLast: true) + numbers(statistics.pulse, withLast: false)
            + ["\(statistics.manualCount)", "\(statistics.automaticCount)"]
    }

    static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `{"type":"statistics","schema":1,"by":"day","bucket":"2026-05-05",…}`, one line per bucket, and one per source if they are separate.
    /// For each quantity `count`, `min`, `max` and `last` with the ids and times of their readings, `avg` and `sd`; `manual` and `automatic`
    /// list the readings if the collection keeps them.
    package func appendLines(_ collection: StatisticsCollection, to text: inout TextBuffer) {
        append(lines: collection.buckets, collection.cut, lists: collection.options.contains(.readings), to: &text)
    }

    /// The lines of some buckets; `lists`: with lists of their readings.
    package func append(lines buckets: [StatisticsBucket], _ cut: CalendarCut, lists: Bool, to text: inout TextBuffer) {
        for bucket in buckets {
            append(bucket.merged, nil, bucket, cut, lists: lists, to: &text)
            for (source, statistics) in bucket.sources.sorted(by: { $0.key < $1.key }) {
                append(statistics, source, bucket, cut, lists: false, to: &text)
            }
        }
    }

    private func append(
        _ statistics: ReadingStatistics, _ source: Int?, _ bucket: StatisticsBucket, _ cut: CalendarCut, lists: Bool,
        to text: inout TextBuffer
    ) {
        text.append("{\"type\":\"statistics\",\"schema\":1")
        text.append(key: "by", cut.bucketing.rawValue)
        text.append(key: "bucket", cut.label(of: bucket.key))
        if let interval = cut.interval(of: bucket.key) {
            text.append(key: "start", interval.lowerBound, in: cut.zone)
            text.append(key: "end", interval.upperBound, in: cut.zone)
        }
        text.append(key: "zone", cut.zone.name)
        text.append(key: "style", style.rawValue)
        text.appendOwner(person)
        if let source {
            let provenance = sources.indices.contains(source) ? sources[source] : Provenance(driver: "")
            text.append(key: "driver", provenance.driver)
            text.append(key: "device", provenance.device)
        }
        text.append(key: "count", statistics.count)
        text.append(key: "manual_count", statistics.manualCount)
        text.append(key: "automatic_count", statistics.automaticCount)
        text.append(key: "irregular_count", statistics.irregularCount)
        append(statistics.systolic, "systolic_mmHg", cut.zone, to: &text)
        append(statistics.diastolic, "diastolic_mmHg", cut.zone, to: &text)
        append(statistics.mean, "mean_mmHg", cut.zone, to: &text)
        append(statistics.pulse, "pulse_per_min", cut.zone, to: &text)
        if lists {
            append(bucket.manual, "manual", cut.zone, to: &text)
            append(bucket.automatic, "automatic", cut.zone, to: &text)
            append(bucket.unknownTrigger, "untold", cut.zone, to: &text)
        }
        text.append("}\n")
    }

    private func append(_ quantity: QuantityStatistics, _ key: String, _ zone: ZoneTable, to text: inout TextBuffer) {
        guard let minimum = quantity.minimum, let maximum = quantity.maximum, let last = quantity.mostRecent else { return }
        text.append(key: key)
        text.append("{\"count\":")
        text.append(decimal: Int64(quantity.count))
        for (name, value) in [("min", minimum), ("max", maximum), ("last", last)] {
            text.append(key: name, rounded: value.value)
            text.append(key: name + "_id", value.reading)
            text.append(key: name + "_time", value.time, in: zone)
        }
        if style == .cumulative { text.append(key: "sum", rounded: quantity.sum) }
        if let average = quantity.average(style) { text.append(key: "avg", rounded: average) }
        if let deviation = quantity.standardDeviation { text.append(key: "sd", rounded: deviation) }
        text.append("}")
    }

    private func append(_ points: [ReadingPoint], _ key: String, _ zone: ZoneTable, to text: inout TextBuffer) {
        text.append(key: key)
        text.append(list: points) { point, text in
            text.append("{\"id\":\"")
            text.append(point.id)
            text.append(0x22)
            text.append(key: "time", point.time, in: zone)
            text.append(key: "systolic_mmHg", rounded: point.systolic)
            text.append(key: "diastolic_mmHg", rounded: point.diastolic)
            if let pulse = point.pulse { text.append(key: "pulse_per_min", rounded: pulse) }
            text.append("}")
        }
    }
}
