import CuffCore

/// Prints a `StatisticsCollection`: as a table for people, or as JSON Lines for programs.
public struct StatisticsTable: Sendable {
    /// How values become the average of a bucket.
    public let style: AggregationStyle
    /// The sources by the numbers that the collection knows them under.
    public let sources: [Provenance]
    /// Prints `–` where a value is missing; otherwise `-`.
    public let isUnicode: Bool
    /// The user slot that all of its readings belong to; `nil` where none was told.
    public let user: Int?

    /// Sets each property as given.
    public init(
        style: AggregationStyle = .discreteArithmetic, sources: [Provenance] = [], isUnicode: Bool = true, user: Int? = nil
    ) {
        self.style = style
        self.user = user
        self.sources = sources
        self.isUnicode = isUnicode
    }

    /// The latest values, then manual and automatic, the pulse's extremes, the pressures' extremes.
    private static let leastImportant = [5, 9, 14, 13, 11, 12, 3, 7, 4, 8]
    static let head = [
        "", "n", "systolic", "min", "max", "last", "diastolic", "min", "max", "last", "pulse", "min", "max", "manual",
        "auto",
    ]

    /// One line per bucket and, where sources are kept apart, one below for each. Where the terminal is narrower than the table,
    /// the columns of the least importance are left out.
    public func appendTable(_ collection: StatisticsCollection, width: Int? = nil, to text: inout TextBuffer) {
        append(table: collection.buckets, collection.cut, width: width, to: &text)
        appendNotes(collection, to: &text)
    }

    /// The lines of some buckets, below their head.
    public func append(table buckets: [StatisticsBucket], _ cut: CalendarCut, width: Int? = nil, to text: inout TextBuffer) {
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

    private func appendNotes(_ collection: StatisticsCollection, to text: inout TextBuffer) {
        text.append("zone ")
        text.append(string: collection.cut.zone.name)
        if style == .discreteTemporallyWeighted { text.append("; averages weighted by time") }
        for note in collection.leftOutNotes { text.append(string: "; \(note)") }
        text.append(0x0A)
    }

    private func name(_ source: Int) -> String { sources.indices.contains(source) ? sources[source].name : "source \(source)" }

    private func cells(_ statistics: ReadingStatistics) -> [String] {
        func numbers(_ quantity: QuantityStatistics, withLast: Bool) -> [String] {
            let main = style == .cumulative ? quantity.count > 0 ? quantity.sum : nil : quantity.average(style)
            let values = [main, quantity.minimum?.value, quantity.maximum?.value] + (withLast ? [quantity.mostRecent?.value] : [])
            return values.enumerated().map { index, value in
                value.map { index == 0 ? Self.oneDecimal($0) : Self.short($0) } ?? (isUnicode ? "–" : "-")
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

    static func short(_ value: Double) -> String {
        var text = TextBuffer(capacity: 16)
        text.append(rounded: value)
        return text.string
    }

    /// `{"type":"statistics","schema":1,"by":"day","bucket":"2026-05-05",…}`, one line per bucket, and one per source
    /// where they are kept apart; `user` where the cuff told one. Within: `n`, and per quantity `min`, `max`, `avg`, `last`, with the ids and times of the
    /// readings they came from; `sd`; `manual` and `automatic` list readings where the collection keeps them.
    public func appendLines(_ collection: StatisticsCollection, to text: inout TextBuffer) {
        append(lines: collection.buckets, collection.cut, lists: collection.options.contains(.readings), to: &text)
    }

    /// The lines of some buckets; `lists`: with lists of their readings.
    public func append(lines buckets: [StatisticsBucket], _ cut: CalendarCut, lists: Bool, to text: inout TextBuffer) {
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
        text.append("{\"type\":\"statistics\",\"schema\":1,\"by\":")
        text.append(jsonString: cut.bucketing.rawValue)
        text.append(",\"bucket\":")
        text.append(jsonString: cut.label(of: bucket.key))
        if let interval = cut.interval(of: bucket.key) {
            append(interval.lowerBound, "start", cut.zone, to: &text)
            append(interval.upperBound, "end", cut.zone, to: &text)
        }
        text.append(",\"zone\":")
        text.append(jsonString: cut.zone.name)
        text.append(",\"style\":")
        text.append(jsonString: style.rawValue)
        if let user {
            text.append(",\"user\":")
            text.append(decimal: Int64(user))
        }
        if let source {
            let provenance = sources.indices.contains(source) ? sources[source] : Provenance(driver: "")
            text.append(",\"driver\":")
            text.append(jsonString: provenance.driver)
            text.append(",\"device\":")
            text.append(jsonString: provenance.device)
        }
        for (key, count) in [
            ("count", statistics.count), ("manual_count", statistics.manualCount),
            ("automatic_count", statistics.automaticCount), ("irregular_count", statistics.irregularCount),
        ] {
            text.append(",")
            text.append(jsonString: key)
            text.append(0x3A)
            text.append(decimal: Int64(count))
        }
        append(statistics.systolic, "systolic_mmHg", cut.zone, to: &text)
        append(statistics.diastolic, "diastolic_mmHg", cut.zone, to: &text)
        append(statistics.mean, "mean_mmHg", cut.zone, to: &text)
        append(statistics.pulse, "pulse_per_min", cut.zone, to: &text)
        if lists {
            append(bucket.manual, "manual", cut.zone, to: &text)
            append(bucket.automatic, "automatic", cut.zone, to: &text)
            append(bucket.untold, "untold", cut.zone, to: &text)
        }
        text.append("}\n")
    }

    private func append(_ time: Timestamp, _ key: StaticString, _ zone: ZoneTable, to text: inout TextBuffer) {
        text.append(",\"")
        text.append(key)
        text.append("\":\"")
        text.append(local: time, offset: zone.offset(at: time.seconds) / 60)
        text.append(0x22)
    }

    private func append(_ quantity: QuantityStatistics, _ key: StaticString, _ zone: ZoneTable, to text: inout TextBuffer) {
        guard let minimum = quantity.minimum, let maximum = quantity.maximum, let last = quantity.mostRecent else { return }
        text.append(",\"")
        text.append(key)
        text.append("\":{\"count\":")
        text.append(decimal: Int64(quantity.count))
        for (name, value) in [("min", minimum), ("max", maximum), ("last", last)] {
            text.append(",\"\(name)\":", value.value)
            text.append(",")
            text.append(jsonString: name + "_id")
            text.append(":\"")
            text.append(value.reading)
            text.append("\",")
            text.append(jsonString: name + "_time")
            text.append(":\"")
            text.append(local: value.time, offset: zone.offset(at: value.time.seconds) / 60)
            text.append(0x22)
        }
        if style == .cumulative { text.append(",\"sum\":", quantity.sum) }
        if let average = quantity.average(style) { text.append(",\"avg\":", average) }
        if let deviation = quantity.standardDeviation { text.append(",\"sd\":", deviation) }
        text.append("}")
    }

    private func append(_ points: [ReadingPoint], _ key: StaticString, _ zone: ZoneTable, to text: inout TextBuffer) {
        text.append(",\"")
        text.append(key)
        text.append("\":[")
        for (index, point) in points.enumerated() {
            text.append(index == 0 ? "{\"id\":\"" : ",{\"id\":\"")
            text.append(point.id)
            text.append(0x22)
            append(point.time, "time", zone, to: &text)
            text.append(",\"systolic_mmHg\":", point.systolic)
            text.append(",\"diastolic_mmHg\":", point.diastolic)
            if let pulse = point.pulse { text.append(",\"pulse_per_min\":", pulse) }
            text.append("}")
        }
        text.append("]")
    }
}

extension TextBuffer {
    /// A key as it stands in JSON, and a derived number with at most two decimals.
    fileprivate mutating func append(_ key: String, _ value: Double) {
        append(string: key)
        append(rounded: value)
    }
}
