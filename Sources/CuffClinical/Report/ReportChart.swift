import CuffCore

/// The chart of the report as inline SVG: ranges and averages of both pressures over time, reference lines, and the pulse
/// below. Signs differ in shape as well as in colour.
struct ReportChart {
    let report: Report
    private let cut: CalendarCut
    private let buckets: [StatisticsBucket]
    private let start: Double
    private let end: Double

    /// Of the picture, in its own units: one is a pixel where it is not scaled.
    private let width: Double
    /// A line of dates every so many units can be read.
    private static let tickRoom = 72.0
    private var mostTicks: Int { max(3, Int((width - Self.left - Self.right) / Self.tickRoom) + 1) }
    private static let left = 38.0
    private static let right = 62.0

    init(_ report: Report, width: Double = 780) {
        self.report = report
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

    /// The room of one bucket.
    private var slot: Double {
        guard let interval = buckets.first.flatMap({ cut.interval(of: $0.key) }) else { return 1 }
        return x(Double(interval.upperBound.seconds)) - x(Double(interval.lowerBound.seconds))
    }

    private struct Scale {
        let low, high, top, bottom: Double
        func y(_ value: Double) -> Double { bottom - (value - low) / max(1, high - low) * (bottom - top) }
    }

    /// Both pictures; `name` is their class.
    func append(_ name: StaticString, to text: inout TextBuffer) {
        text.append("<div class=\"")
        text.append(name)
        text.append("\">\n")
        defer { text.append("</div>\n") }
        appendPressures(to: &text)
        let pulses = buckets.filter { $0.merged.pulse.count > 0 }
        if !pulses.isEmpty { appendPulses(pulses, to: &text) }
    }

    private func appendPressures(to text: inout TextBuffer) {
        let height = 310.0
        let lows = buckets.compactMap { $0.merged.diastolic.minimum?.value } + [report.lines.diastolic]
        let highs = buckets.compactMap { $0.merged.systolic.maximum?.value } + [report.lines.systolic]
        let scale = Scale(
            low: ((lows.min() ?? 60) / 20).rounded(.down) * 20, high: ((highs.max() ?? 140) / 20).rounded(.up) * 20,
            top: 24, bottom: height - 26)
        open(height, "Systolic and diastolic pressure over time, in mmHg", to: &text)
        grid(scale, step: 20, to: &text)
        text.append("<text x=\"4\" y=\"10\">mmHg</text>")
        ticks(scale, to: &text)
        reference(scale, report.lines.systolic, to: &text)
        reference(scale, report.lines.diastolic, to: &text)
        let bar = min(7, max(1.5, slot * 0.4))
        for bucket in buckets {
            guard let systolic = PlotRange(bucket.merged.systolic), let diastolic = PlotRange(bucket.merged.diastolic)
            else { continue }
            let x = center(bucket)
            text.append("<g><title>")
            text.append(markup: title(bucket, systolic, diastolic))
            text.append("</title>")
            line("sb", x, scale.y(systolic.low), x, scale.y(systolic.high), bar, to: &text)
            line("db", x, scale.y(diastolic.low), x, scale.y(diastolic.high), bar * 0.55, to: &text)
            text.append("</g>")
        }
        trend("sl", scale, \.systolic, to: &text)
        trend("dl", scale, \.diastolic, to: &text)
        let mark = min(3.8, max(1.6, slot * 0.3))
        for bucket in buckets {
            guard let systolic = bucket.merged.systolic.average(), let diastolic = bucket.merged.diastolic.average()
            else { continue }
            circle("sm", center(bucket), scale.y(systolic), mark, to: &text)
            circle("dm", center(bucket), scale.y(diastolic), mark, to: &text)
        }
        // The names stand at the height of the last averages, so that no legend has to be matched by colour.
        if let last = buckets.last?.merged, let high = last.systolic.average(), let low = last.diastolic.average() {
            let x = width - Self.right + 8
            label(x, aside(scale.y(high), scale.y(report.lines.systolic)) + 4, "Systolic", "", to: &text)
            label(x, aside(scale.y(low), scale.y(report.lines.diastolic)) + 4, "Diastolic", "", to: &text)
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
        open(height, "Pulse over time, in beats per minute", to: &text)
        grid(scale, step: scale.high - scale.low > 80 ? 40 : 20, to: &text)
        text.append("<text x=\"4\" y=\"10\">Pulse /min</text>")
        trend("pl", scale, \.pulse, to: &text)
        let mark = min(3, max(1.4, slot * 0.25))
        for bucket in pulses {
            guard let pulse = bucket.merged.pulse.average() else { continue }
            circle("pm", center(bucket), scale.y(pulse), mark, to: &text)
        }
        if let last = pulses.last?.merged.pulse.average() {
            label(width - Self.right + 8, scale.y(last) + 4, "Pulse", "", to: &text)
        }
        text.append("</svg>\n")
    }

    private func title(_ bucket: StatisticsBucket, _ systolic: PlotRange, _ diastolic: PlotRange) -> String {
        let count = bucket.merged.count
        return "\(cut.label(of: bucket.key)): \(count) reading\(count == 1 ? "" : "s"), systolic "
            + "\(Int(systolic.low.rounded()))–\(Int(systolic.high.rounded())), average \(Int(systolic.average.rounded())), "
            + "diastolic \(Int(diastolic.low.rounded()))–\(Int(diastolic.high.rounded())), average \(Int(diastolic.average.rounded()))"
    }

    private func grid(_ scale: Scale, step: Double, to text: inout TextBuffer) {
        for value in stride(from: scale.low, through: scale.high, by: step) {
            line("grid", Self.left, scale.y(value), width - Self.right, scale.y(value), nil, to: &text)
            label(Self.left - 6, scale.y(value) + 4, "\(Int(value))", " text-anchor=\"end\"", to: &text)
        }
    }

    private func reference(_ scale: Scale, _ value: Double, to text: inout TextBuffer) {
        line("ref", Self.left, scale.y(value), width - Self.right, scale.y(value), nil, to: &text)
        label(width - Self.right + 8, scale.y(value) + 4, "\(Int(value))", " class=\"reft\"", to: &text)
    }

    /// Where a name stands that would cover the number of its reference line.
    private func aside(_ y: Double, _ reference: Double) -> Double {
        guard (y - reference).magnitude < 13 else { return y }
        return y < reference ? reference - 13 : reference + 13
    }

    /// Dates under the chart, as many as there is room for, at whole days or hours.
    private func ticks(_ scale: Scale, to text: inout TextBuffer) {
        let zone = cut.zone
        if cut.bucketing == .hour {
            let first = WallTime.floor(zone.wall(at: Int64(start)), 3600)
            let step = [1, 2, 3, 6, 12].first { (end - start) / 3600 / Double($0) <= Double(mostTicks) } ?? 12
            for hour in first...(first + Int64((end - start) / 3600)) where hour % Int64(step) == 0 {
                let text24 = "\(hour % 24 < 10 ? "0" : "")\(hour % 24):00"
                tick(
                    Double(zone.firstInstant(fromWall: hour * 3600)), hour % 24 == 0 ? DateWords.dayAndMonth(hour / 24) : text24, scale,
                    to: &text)
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
                tick(Double(begin), DateWords.month(WallTime.floor(zone.wall(at: begin), 86400)), scale, to: &text)
            }
            return
        }
        let step = [1, 2, 7, 14, 28, 56].first { Double(days) / Double($0) <= Double(mostTicks) } ?? 56
        for day in stride(from: first, to: first + days, by: step) {
            let noon = Double(zone.firstInstant(fromWall: day * 86400 + (cut.bucketing == .day ? 43200 : 0)))
            guard noon < end else { break }
            tick(noon, DateWords.dayAndMonth(day), scale, to: &text)
        }
    }

    private func tick(_ seconds: Double, _ words: String, _ scale: Scale, to text: inout TextBuffer) {
        line("grid", x(seconds), scale.bottom, x(seconds), scale.bottom + 4, nil, to: &text)
        label(x(seconds), scale.bottom + 17, words, " text-anchor=\"middle\"", to: &text)
    }

    /// A line through the averages, broken where more than a week of buckets is empty.
    private func trend(
        _ name: StaticString, _ scale: Scale, _ quantity: KeyPath<ReadingStatistics, QuantityStatistics>,
        to text: inout TextBuffer
    ) {
        text.append("<path class=\"")
        text.append(name)
        text.append("\" d=\"")
        var previous: Double?
        for bucket in buckets {
            guard let value = bucket.merged[keyPath: quantity].average() else { continue }
            let x = center(bucket)
            text.append(previous.map { x - $0 <= slot * 7.5 } ?? false ? "L" : "M")
            text.append(rounded: x)
            text.append(0x20)
            text.append(rounded: scale.y(value))
            previous = x
        }
        text.append("\"/>")
    }

    private func open(_ height: Double, _ name: StaticString, to text: inout TextBuffer) {
        text.append("<svg viewBox=\"0 0 ")
        text.append(rounded: width)
        text.append(0x20)
        text.append(rounded: height)
        text.append("\" role=\"img\" aria-label=\"")
        text.append(name)
        text.append("\">")
    }

    private func line(
        _ name: StaticString, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ width: Double?,
        to text: inout TextBuffer
    ) {
        text.append("<line class=\"")
        text.append(name)
        for (key, value) in [("\" x1=\"", x1), ("\" y1=\"", y1), ("\" x2=\"", x2), ("\" y2=\"", y2)] {
            text.append(string: key)
            text.append(rounded: value)
        }
        if let width {
            text.append("\" stroke-width=\"")
            text.append(rounded: width)
        }
        text.append("\"/>")
    }

    private func circle(_ name: StaticString, _ x: Double, _ y: Double, _ radius: Double, to text: inout TextBuffer) {
        text.append("<circle class=\"")
        text.append(name)
        text.append("\" cx=\"")
        text.append(rounded: x)
        text.append("\" cy=\"")
        text.append(rounded: y)
        text.append("\" r=\"")
        text.append(rounded: radius)
        text.append("\"/>")
    }

    private func label(_ x: Double, _ y: Double, _ words: String, _ attributes: StaticString, to text: inout TextBuffer) {
        text.append("<text x=\"")
        text.append(rounded: x)
        text.append("\" y=\"")
        text.append(rounded: y)
        text.append(0x22)
        text.append(attributes)
        text.append(0x3E)
        text.append(markup: words)
        text.append("</text>")
    }
}
