import CuffCore

/// Draws the days of a `StatisticsCollection` on a terminal: for each day the range of the systolic and of the diastolic
/// pressures as a bar, with their average as a mark. Days that do not fit share a column.
///
/// Systolic and diastolic marks differ in shape as well as in colour; without UTF-8 they are letters and ASCII bars.
package struct RangePlot: Sendable {
    /// The size of the picture and the capabilities of the terminal.
    package struct Style: Sendable, Hashable {
        package var width: Int
        /// Rows of the drawing area, at most.
        package var height: Int
        /// Box-drawing characters; otherwise ASCII.
        package var isUnicode: Bool
        /// Colours by SGR sequences.
        package var hasColor: Bool

        /// At least 40 columns and 8 rows, whatever is given.
        package init(width: Int = 80, height: Int = 18, isUnicode: Bool = true, hasColor: Bool = false) {
            self.width = max(40, width)
            self.height = max(8, height)
            self.isUnicode = isUnicode
            self.hasColor = hasColor
        }
    }

    package let style: Style
    package let lines: ReferenceLines
    private let language: Language
    private let columns: [Column]
    private let step: Int
    /// Without the unit.
    private let title: String

    private struct Column {
        var label: String
        var systolic: PlotRange?
        var diastolic: PlotRange?
        /// Shaded: an hour of the night.
        var isShaded = false
    }

    static let gutter = 6

    package init(_ days: StatisticsCollection, style: Style = Style(), lines: ReferenceLines = .home) {
        (self.style, self.lines, language) = (style, lines, .english)
        let buckets = days.buckets
        let firstDay = buckets.first?.key ?? 0
        let room = style.width - Self.gutter - 1
        let dayCount = (buckets.last?.key ?? firstDay) - firstDay + 1
        let daysPerColumn = max(1, (dayCount + Int64(room) - 1) / Int64(room))
        let columnCount = Int((dayCount + daysPerColumn - 1) / daysPerColumn)
        step = max(1, min(6, room / max(1, columnCount)))
        var columns = (0..<(buckets.isEmpty ? 0 : columnCount)).map {
            Column(label: Language.english.dayAndMonth(firstDay + Int64($0) * daysPerColumn))
        }
        for bucket in buckets {
            let place = Int((bucket.key - firstDay) / daysPerColumn)
            columns[place].systolic = Self.merged(columns[place].systolic, PlotRange(bucket.merged.systolic))
            columns[place].diastolic = Self.merged(columns[place].diastolic, PlotRange(bucket.merged.diastolic))
        }
        self.columns = columns
        let last = firstDay + Int64(columns.count) * daysPerColumn - 1
        title =
            Self.title(
                from: firstDay, to: daysPerColumn > 1 || last != firstDay ? last : nil, style, days.cut.zone, language,
                count: buckets.reduce(0) { $0 + $1.merged.count })
            + (daysPerColumn > 1 ? ", \(daysPerColumn) days a column" : "")
    }

    /// A recording of a day and a night, hour by hour, with the night shaded. At most the first 48 hours are drawn.
    package init(
        _ recording: AmbulatoryRecording, style: Style = Style(), lines: ReferenceLines = .home, language: Language = .english
    ) {
        (self.style, self.lines, self.language) = (style, lines, language)
        let cut = CalendarCut(.hour, zone: recording.zone)
        var hours = StatisticsCollection(cut)
        for point in recording.points {
            hours.add(ReadingPoint(id: .none, time: point.time, systolic: point.systolic.value, diastolic: point.diastolic.value))
        }
        let buckets = hours.buckets
        let first = buckets.first?.key ?? 0
        let count = buckets.isEmpty ? 0 : Int(min(48, ((buckets.last?.key ?? first) - first) / 3600 + 1))
        step = max(1, min(4, (style.width - Self.gutter - 1) / max(1, count)))
        var columns = (0..<count).map { place in
            let wall = recording.zone.wall(at: first + Int64(place) * 3600)
            let hour = Int(WallTime.floor(wall, 3600) - WallTime.floor(wall, 86400) * 24)
            return Column(label: ClockText.two(hour), isShaded: recording.hours.isNight(wall: wall) == true)
        }
        for bucket in buckets {
            // In a zone with an offset of half an hour, hours are not aligned with the first one.
            let place = Int((bucket.key - first) / 3600)
            guard columns.indices.contains(place) else { continue }
            columns[place].systolic = Self.merged(columns[place].systolic, PlotRange(bucket.merged.systolic))
            columns[place].diastolic = Self.merged(columns[place].diastolic, PlotRange(bucket.merged.diastolic))
        }
        self.columns = columns
        let days = [recording.span?.lowerBound, recording.span?.upperBound].map {
            WallTime.floor(recording.zone.wall(at: $0?.seconds ?? 0), 86400)
        }
        title =
            Self.title(
                from: days[0], to: days[1] == days[0] ? nil : days[1], style, recording.zone, language, count: recording.points.count)
            + ", \(language[.nightShaded])"
    }

    private static func title(
        from first: Int64, to last: Int64?, _ style: Style, _ zone: ZoneTable, _ language: Language, count: Int
    ) -> String {
        var title = language.full(first)
        if let last { title += " \(style.isUnicode ? "–" : "-") \(language.full(last))" }
        return title + ", \(zone.name), \(language[.readings, count])"
    }

    private static func merged(_ a: PlotRange?, _ b: PlotRange?) -> PlotRange? {
        guard var a, let b else { return a ?? b }
        a.merge(b)
        return a
    }

    package func append(to text: inout TextBuffer) {
        guard !columns.isEmpty else { return text.append("no readings to draw\n") }
        let ranges = columns.flatMap { [$0.systolic, $0.diastolic] }.compactMap { $0 }
        let low = min(ranges.map(\.low).min() ?? 0, lines.diastolic)
        let high = max(ranges.map(\.high).max() ?? 0, lines.systolic)
        let rowStep = [5.0, 10, 20, 40].first { Self.rows(low, high, $0) <= style.height } ?? 40
        let bottom = (low / rowStep).rounded(.down) * rowStep
        let rows = Self.rows(low, high, rowStep)
        text.append(string: "mmHg   \(title)".prefix(style.width) + "\n")
        for row in (0..<rows).reversed() {
            let value = bottom + Double(row) * rowStep
            let isTick = value.truncatingRemainder(dividingBy: max(20, rowStep)) == 0
            append(tick: isTick ? Int(value) : nil, to: &text)
            append(row: row, bottom: bottom, rowStep: rowStep, to: &text)
        }
        appendAxis(to: &text)
        appendLegend(to: &text)
    }

    private static func rows(_ low: Double, _ high: Double, _ step: Double) -> Int {
        Int((high / step).rounded(.down) - (low / step).rounded(.down)) + 1
    }

    private func append(tick: Int?, to text: inout TextBuffer) {
        let label = tick.map { "\($0)" } ?? ""
        for _ in label.utf8.count..<(Self.gutter - 2) { text.append(0x20) }
        text.append(string: label)
        text.append(0x20)
        text.append(string: style.isUnicode ? (tick == nil ? "│" : "┤") : (tick == nil ? "|" : "+"))
    }

    private enum Sign { case systolicBar(Int), systolicMark, diastolicBar(Int), diastolicMark, line, shade, blank }

    /// The content of a cell. A row has two halves: 1 is the lower, 2 the upper, 3 both.
    private func sign(_ column: Column?, row: Int, bottom: Double, rowStep: Double) -> Sign {
        func half(_ value: Double) -> Int { Int(((value - bottom) / rowStep * 2).rounded(.down)) }
        func cover(_ range: PlotRange) -> Int {
            let (low, high) = (half(range.low), half(range.high))
            return (low <= 2 * row && high >= 2 * row ? 1 : 0) + (low <= 2 * row + 1 && high >= 2 * row + 1 ? 2 : 0)
        }
        if let systolic = column?.systolic, half(systolic.average) / 2 == row { return .systolicMark }
        if let diastolic = column?.diastolic, half(diastolic.average) / 2 == row { return .diastolicMark }
        if let halves = column?.systolic.map(cover), halves > 0 { return .systolicBar(halves) }
        if let halves = column?.diastolic.map(cover), halves > 0 { return .diastolicBar(halves) }
        return half(lines.systolic) / 2 == row || half(lines.diastolic) / 2 == row ? .line : .blank
    }

    private func append(row: Int, bottom: Double, rowStep: Double, to text: inout TextBuffer) {
        var pending = 0
        func flush(_ text: inout TextBuffer) {
            for _ in 0..<pending { text.append(0x20) }
            pending = 0
        }
        for index in columns.indices {
            for place in 0..<step {
                let isCenter = place == (step - 1) / 2
                var sign = sign(isCenter ? columns[index] : nil, row: row, bottom: bottom, rowStep: rowStep)
                if case .blank = sign, columns[index].isShaded { sign = .shade }
                if case .blank = sign {
                    pending += 1
                    continue
                }
                flush(&text)
                append(sign, to: &text)
            }
        }
        text.append(0x0A)
    }

    private func append(_ sign: Sign, to text: inout TextBuffer) {
        let (unicode, ascii, color): (String, String, StaticString) =
            switch sign {
            case .systolicBar(let halves): (["┃", "╻", "╹", "┃"][halves], "|", "\u{1B}[31m")
            case .systolicMark: ("●", "S", "\u{1B}[1;31m")
            case .diastolicBar(let halves): (["│", "╷", "╵", "│"][halves], ":", "\u{1B}[34m")
            case .diastolicMark: ("○", "d", "\u{1B}[1;34m")
            case .line: ("┄", ".", "\u{1B}[2m")
            case .shade: ("░", "'", "\u{1B}[2m")
            case .blank: (" ", " ", "")
            }
        if style.hasColor { text.append(color) }
        text.append(string: style.isUnicode ? unicode : ascii)
        if style.hasColor { text.append("\u{1B}[0m") }
    }

    private func appendAxis(to text: inout TextBuffer) {
        let width = columns.count * step
        // The label of a day has up to six letters and a blank, that of an hour two.
        let room = columns.allSatisfy { $0.label.count <= 2 } ? 4 : 8
        let every = max(1, (room + step - 1) / step)
        var axis = [Character](repeating: style.isUnicode ? "─" : "-", count: width)
        var labels = [Character](repeating: " ", count: width + 6)
        for index in stride(from: 0, to: columns.count, by: every) {
            let place = index * step + (step - 1) / 2
            axis[place] = style.isUnicode ? "┬" : "+"
            let letters = Array(columns[index].label)
            guard place + letters.count <= labels.count else { continue }
            for (offset, letter) in letters.enumerated() { labels[place + offset] = letter }
        }
        text.append("     ")
        text.append(string: style.isUnicode ? "└" : "+")
        text.append(string: String(axis))
        text.append("\n      ")
        while labels.last == " " { labels.removeLast() }
        text.append(string: String(labels.prefix(style.width - Self.gutter)))
        text.append(0x0A)
    }

    private func appendLegend(to text: inout TextBuffer) {
        let parts: [(Sign?, Sign?, String)] = [
            (.systolicBar(3), .systolicMark, language[.systolicSign]), (.diastolicBar(3), .diastolicMark, language[.diastolicSign]),
            (.line, nil, "\(lines.numbers) \(language.word("setting", lines.setting.rawValue))"),
            (nil, nil, lines.shortOrigin(language)),
        ]
        text.append("      ")
        var column = 6
        for (index, part) in parts.enumerated() {
            let width = (part.0 == nil ? 0 : part.1 == nil ? 2 : 3) + part.2.count
            if index > 0, column + 3 + width > style.width {
                text.append("\n      ")
                column = 6
            } else if index > 0 {
                text.append("   ")
                column += 3
            }
            column += width
            for sign in [part.0, part.1] {
                if let sign { append(sign, to: &text) }
            }
            if part.0 != nil { text.append(0x20) }
            text.append(string: part.2)
        }
        text.append(0x0A)
    }
}
