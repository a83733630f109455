import CuffCore

/// The chart of the report as inline SVG: ranges and averages of both pressures over time, reference lines, and the pulse
/// below. Marks differ in shape as well as in colour.
struct ReportChart {
    let report: Report
    let language: Language
    private let cut: CalendarCut
    private let buckets: [StatisticsBucket]
    private let start: Double
    private let end: Double

    /// The width of the picture in its own units, which are pixels unless it is scaled.
    private let width: Double
    /// The distance at which dates are legible.
    private static let tickRoom = 72.0
    private var mostTicks: Int { max(3, Int((width - Self.left - Self.right) / Self.tickRoom) + 1) }
    private static let left = 38.0
    private static let right = 72.0

    init(_ report: Report, _ language: Language, width: Double = 780) {
        self.report = report
        self.language = language
        self.width = width
        let (cut, buckets) = (report.tally.chart.cut, report.tally.chart.buckets)
        let bounds = buckets.compactMap { cut.interval(of: $0.key) }
        (self.cut, self.buckets) = (cut, buckets)
        start = Double(bounds.first?.lowerBound.seconds ?? 0)
        end = Double(bounds.last?.upperBound.seconds ?? 1)
    }

    private func x(_ seconds: Double) -> Double {
        Self.left + (seconds - start) / max(1, end - start) * (width - Self.left - Self.right)
    }

    private func center(_ bucket: StatisticsBucket) -> Double {
        guard let interval = cut.interval(of: bucket.key) else { return 0 }
        return x(Double(interval.lowerBound.seconds + interval.upperBound.seconds) / 2)
    }

    private var slot: Double {
        guard let interval = buckets.first.flatMap({ cut.interval(of: $0.key) }) else { return 1 }
        return x(Double(interval.upperBound.seconds)) - x(Double(interval.lowerBound.seconds))
    }

    private struct Scale {
        let low, high, top, bottom: Double
        func y(_ value: Double) -> Double { bottom - (value - low) / max(1, high - low) * (bottom - top) }
    }

    /// The chart for a wide and for a narrow screen; the style shows one. And its caption.
    static func append(_ report: Report, _ language: Language, origin: String = "", to text: inout TextBuffer) {
        // On a phone the letters of a scaled picture would be too small.
        ReportChart(report, language).append("broad", to: &text)
        ReportChart(report, language, width: 390).append("narrow", to: &text)
        let bucket: Phrase =
            switch report.tally.chart.cut.bucketing {
            case .hour: .hourly
            case .week: .weekly
            case .month: .monthly
            case .day, .daypart, .hourOfDay, .interval, .range: .daily
            }
        text.append(html: "<figcaption>\(language[.chart, language[bucket], report.lines.numbers])")
        text.append(html: "\(origin.isEmpty ? "" : " (\(origin))")</figcaption>\n")
    }

    private func append(_ name: String, to text: inout TextBuffer) {
        text.append(html: "<div class=\"\(name)\">\n")
        appendPressures(to: &text)
        let pulses = buckets.filter { $0.merged.pulse.count > 0 }
        if !pulses.isEmpty { appendPulses(pulses, to: &text) }
        text.append("</div>\n")
    }

    private func appendPressures(to text: inout TextBuffer) {
        let height = 310.0
        let lows = buckets.compactMap { $0.merged.diastolic.minimum?.value } + [report.lines.diastolic]
        let highs = buckets.compactMap { $0.merged.systolic.maximum?.value } + [report.lines.systolic]
        let scale = Scale(
            low: ((lows.min() ?? 60) / 20).rounded(.down) * 20, high: ((highs.max() ?? 140) / 20).rounded(.up) * 20,
            top: 24, bottom: height - 26)
        open(height, language[.pressureChart], to: &text)
        grid(scale, step: 20, to: &text)
        text.append("<text x=\"4\" y=\"10\">mmHg</text>")
        ticks(scale, to: &text)
        reference(scale, report.lines.systolic, to: &text)
        reference(scale, report.lines.diastolic, to: &text)
        let bar = min(7, max(1.5, slot * 0.4))
        bars("sb", scale, \.systolic, bar, to: &text)
        bars("db", scale, \.diastolic, bar * 0.55, to: &text)
        trend("sl", scale, \.systolic, to: &text)
        trend("dl", scale, \.diastolic, to: &text)
        let mark = min(7.6, max(3.2, slot * 0.6))
        dots("sm", scale, \.systolic, mark, to: &text)
        // An open mark: a filled one, and a smaller one of the paper.
        dots("dm", scale, \.diastolic, mark, to: &text)
        dots("di", scale, \.diastolic, mark - min(3, mark * 0.5), to: &text)
        // Names beside the last averages make a legend of colours unnecessary.
        if let last = buckets.last?.merged, let high = last.systolic.average(), let low = last.diastolic.average() {
            let x = width - Self.right + 8
            label(x, aside(scale.y(high), scale.y(report.lines.systolic)) + 4, language[.systolic], "", to: &text)
            label(x, aside(scale.y(low), scale.y(report.lines.diastolic)) + 4, language[.diastolic], "", to: &text)
        }
        text.append("</svg>\n")
    }

    private func appendPulses(_ pulses: [StatisticsBucket], to text: inout TextBuffer) {
        let height = 106.0
        let lows = pulses.compactMap { $0.merged.pulse.minimum?.value }
        let highs = pulses.compactMap { $0.merged.pulse.maximum?.value }
        let scale = Scale(
            low: ((lows.min() ?? 60) / 20).rounded(.down) * 20,
            high: max(((highs.max() ?? 80) / 20).rounded(.up) * 20, (lows.min() ?? 60) + 20), top: 24, bottom: height - 8)
        open(height, language[.pulseChart], to: &text)
        grid(scale, step: scale.high - scale.low > 80 ? 40 : 20, to: &text)
        text.append(html: "<text x=\"4\" y=\"10\">\(language[.pulse]) /min</text>")
        trend("pl", scale, \.pulse, to: &text)
        dots("pm", scale, \.pulse, min(6, max(2.8, slot * 0.5)), to: &text)
        if let last = pulses.last?.merged.pulse.average() {
            label(width - Self.right + 8, scale.y(last) + 4, language[.pulse], "", to: &text)
        }
        text.append("</svg>\n")
    }

    /// From the lowest to the highest value of each bucket, as one path.
    private func bars(
        _ name: String, _ scale: Scale, _ quantity: KeyPath<ReadingStatistics, QuantityStatistics>, _ thickness: Double,
        to text: inout TextBuffer
    ) {
        text.append(html: "<path class=\"\(name)\" stroke-width=\"\(rounded: thickness)\" d=\"")
        for bucket in buckets {
            let values = bucket.merged[keyPath: quantity]
            guard let low = values.minimum?.value, let high = values.maximum?.value else { continue }
            text.append(html: "M\(tenths: center(bucket)) \(tenths: scale.y(low))V\(tenths: scale.y(high))")
        }
        text.append("\"/>")
    }

    /// The average of each bucket as a round mark: a line without a length has round ends.
    private func dots(
        _ name: String, _ scale: Scale, _ quantity: KeyPath<ReadingStatistics, QuantityStatistics>, _ diameter: Double,
        to text: inout TextBuffer
    ) {
        text.append(html: "<path class=\"\(name)\" stroke-width=\"\(rounded: diameter)\" d=\"")
        for bucket in buckets {
            guard let value = bucket.merged[keyPath: quantity].average() else { continue }
            text.append(html: "M\(tenths: center(bucket)) \(tenths: scale.y(value))h0")
        }
        text.append("\"/>")
    }

    private func grid(_ scale: Scale, step: Double, to text: inout TextBuffer) {
        for value in stride(from: scale.low, through: scale.high, by: step) {
            line("grid", Self.left, scale.y(value), width - Self.right, scale.y(value), to: &text)
            label(Self.left - 6, scale.y(value) + 4, "\(Int(value))", " text-anchor=\"end\"", to: &text)
        }
    }

    private func reference(_ scale: Scale, _ value: Double, to text: inout TextBuffer) {
        line("ref", Self.left, scale.y(value), width - Self.right, scale.y(value), to: &text)
        label(width - Self.right + 8, scale.y(value) + 4, "\(Int(value))", " class=\"reft\"", to: &text)
    }

    /// Moves a name away from the number of its reference line.
    private func aside(_ y: Double, _ reference: Double) -> Double {
        guard (y - reference).magnitude < 13 else { return y }
        return y < reference ? reference - 13 : reference + 13
    }

    /// Dates under the chart, as many as there is room for, at whole days or hours.
    private func ticks(_ scale: Scale, to text: inout TextBuffer) {
        let zone = cut.zone
        if cut.bucketing == .hour {
            let first = WallTime.floor(zone.wall(at: Int64(start)), 3600)
            let hours = (end - start) / 3600
            let steps: [Int64] = [1, 2, 3, 6, 12]
            let step = steps.first { hours / Double($0) <= Double(mostTicks) } ?? 12
            for hour in first...(first + Int64(hours)) where hour % step == 0 {
                let words = hour % 24 == 0 ? language.dayAndMonth(hour / 24) : ClockText.clock(minute: Int(hour % 24) * 60)
                tick(Double(zone.firstInstant(fromWall: hour * 3600)), words, scale, to: &text)
            }
            return
        }
        let first = WallTime.floor(zone.wall(at: Int64(start)), 86400)
        let days = Int64((end - start) / 86400) + 1
        if days > 300 {
            let step = [1, 2, 3, 6, 12, 24].first { Int(days) / 30 / $0 <= mostTicks } ?? 36
            let months = CalendarCut(.month, zone: zone)
            let key = months.key(at: Timestamp(seconds: Int64(start)))
            for month in key...(key + days / 28) where month % Int64(step) == 0 {
                guard let begin = months.interval(of: month)?.lowerBound.seconds, Double(begin) >= start, Double(begin) < end
                else { continue }
                tick(Double(begin), language.month(WallTime.floor(zone.wall(at: begin), 86400)), scale, to: &text)
            }
            return
        }
        let step = [1, 2, 7, 14, 28, 56].first { Double(days) / Double($0) <= Double(mostTicks) } ?? 56
        for day in stride(from: first, to: first + days, by: step) {
            let noon = Double(zone.firstInstant(fromWall: day * 86400 + (cut.bucketing == .day ? 43200 : 0)))
            guard noon < end else { break }
            tick(noon, language.dayAndMonth(day), scale, to: &text)
        }
    }

    private func tick(_ seconds: Double, _ words: String, _ scale: Scale, to text: inout TextBuffer) {
        line("grid", x(seconds), scale.bottom, x(seconds), scale.bottom + 4, to: &text)
        label(x(seconds), scale.bottom + 17, words, " text-anchor=\"middle\"", to: &text)
    }

    /// A line through the averages, broken where more than a week of buckets is empty.
    private func trend(
        _ name: String, _ scale: Scale, _ quantity: KeyPath<ReadingStatistics, QuantityStatistics>, to text: inout TextBuffer
    ) {
        text.append(html: "<path class=\"\(name)\" d=\"")
        var previous: Double?
        for bucket in buckets {
            guard let value = bucket.merged[keyPath: quantity].average() else { continue }
            let x = center(bucket)
            text.append(previous.map { x - $0 <= slot * 7.5 } ?? false ? "L" : "M")
            text.append(html: "\(tenths: x) \(tenths: scale.y(value))")
            previous = x
        }
        text.append("\"/>")
    }

    private func open(_ height: Double, _ name: String, to text: inout TextBuffer) {
        text.append(html: "<svg viewBox=\"0 0 \(rounded: width) \(rounded: height)\" role=\"img\" aria-label=\"\(name)\">")
    }

    private func line(_ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, to text: inout TextBuffer) {
        text.append(html: "<line class=\"\(name)\" x1=\"\(tenths: x1)\" y1=\"\(tenths: y1)\" x2=\"\(tenths: x2)\" y2=\"\(tenths: y2)\"/>")
    }

    private func label(_ x: Double, _ y: Double, _ words: String, _ attributes: Markup, to text: inout TextBuffer) {
        text.append(html: "<text x=\"\(tenths: x)\" y=\"\(tenths: y)\"\(attributes)>\(words)</text>")
    }
}
