import CuffClinical
import CuffCore

/// Stored series as text: one line for each series, or for each value.
enum SeriesText {
    static let header = "BEGUN                  SERIES         VALUES   SECONDS  SUMMARY\n"

    /// For people: time, kind, summary and reading.
    static func appendRow(_ stored: StoredSeries, zone: ZoneTable, to text: inout TextBuffer) {
        let (name, count, end, summary) = facts(stored.series)
        let begun = String(stored.series.start.text(in: zone).prefix(19)).replacing("T", with: " ")
        var line = padded(begun, 23) + padded(name, 15) + right("\(count)", 6)
        line += right("\((end.milliseconds - stored.series.start.milliseconds + 500) / 1000)", 10) + "  " + summary
        if let reading = stored.series.reading { line += "  of \(reading.description)" }
        text.append(string: line + "\n")
    }

    /// Tab-separated: start, end, type, count, min, avg, max, sdnn in ms, driver, device, reading.
    static func appendPlain(_ stored: StoredSeries, zone: ZoneTable, to text: inout TextBuffer) {
        var cells = [stored.series.start.text(in: zone)]
        switch stored.series {
        case .quantity(let one):
            cells += [one.end.text(in: zone), SeriesSelection.Kind.quantity.rawValue, "\(one.count)"]
            cells += [one.minimum?.value.value, one.average, one.maximum?.value.value].map { $0.map(number) ?? "" } + [""]
        case .heartbeats(let one):
            cells += [one.end.text(in: zone), SeriesSelection.Kind.heartbeats.rawValue, "\(one.beats.count)", "", "", ""]
            cells.append(one.sdnn.map { number($0 * 1000) } ?? "")
        case .waveform(let one):
            cells += [one.end.text(in: zone), SeriesSelection.Kind.waveforms.rawValue, "\(one.samples.count)", "", "", "", ""]
        }
        cells += [stored.provenance.driver, stored.provenance.device, stored.series.reading.map(\.description) ?? ""]
        text.append(string: cells.joined(separator: "\t") + "\n")
    }

    private struct Value {
        var type: String
        var time: Timestamp
        var number: String?
        /// The text after the value: its unit, or its kind.
        var word: String
        var isAfterGap = false
        var owner: Reading.ID?
    }

    /// One line for each value, tab-separated: time, value, unit and, with `byOwner`, the reading. Beats have no value; one after
    /// a gap is marked.
    static func appendValues(
        _ series: [StoredSeries], zone: ZoneTable, byOwner: Bool, as form: HealthRuns.Listing, to text: inout TextBuffer
    ) {
        forEachValue(series, byOwner: byOwner) { value in
            if form == .jsonl { return appendObject(value, zone, to: &text) }
            var cells = [exact(value.time, zone), value.number ?? (value.isAfterGap ? "gap" : ""), value.word]
            if byOwner { cells.append(value.owner?.description ?? "") }
            text.append(string: cells.joined(separator: "\t") + "\n")
        }
    }

    private static func appendObject(_ value: Value, _ zone: ZoneTable, to text: inout TextBuffer) {
        text.append(
            string: JSONOutput.line(
                value.type, ("time", .text(exact(value.time, zone))), ("value", value.number.map { .number($0) }),
                ("unit", value.type == "quantity_value" ? .text(value.word) : nil),
                ("preceded_by_gap", value.isAfterGap ? .bool(true) : nil), ("reading", value.owner.map { .text($0.description) })))
    }

    private static func forEachValue(_ series: [StoredSeries], byOwner: Bool, _ body: (Value) -> Void) {
        let quantities = series.compactMap { if case .quantity(let one) = $0.series { one } else { nil } }
        for element in QuantitySeries.values(of: quantities, bySeries: byOwner) {
            let owner = quantities[element.series]
            body(
                Value(
                    type: "quantity_value", time: element.start, number: number(element.value.value), word: owner.unit.description,
                    owner: byOwner ? owner.reading : nil))
        }
        for case .heartbeats(let one) in series.map(\.series) {
            for beat in one.beats {
                let time = Timestamp(milliseconds: one.start.milliseconds + beat.time / 1000)
                body(
                    Value(type: "heartbeat", time: time, word: "beat", isAfterGap: beat.precededByGap, owner: byOwner ? one.reading : nil))
            }
        }
        // Samples as sent; the range that maps them to values is in the series' own line.
        for case .waveform(let one) in series.map(\.series) {
            for (index, sample) in one.samples.enumerated() {
                let time = Timestamp(milliseconds: one.start.milliseconds + Int64(index) * one.period / 1000)
                body(Value(type: "waveform_sample", time: time, number: "\(sample)", word: "sample"))
            }
        }
    }

    private static func facts(_ series: HealthSeries) -> (name: String, count: Int, end: Timestamp, summary: String) {
        switch series {
        case .quantity(let one):
            let values = [one.minimum?.value.value, one.average, one.maximum?.value.value].map { $0.map { "\(Int($0.rounded()))" } ?? "?" }
            return ("cuff pressure", one.count, one.end, "\(values.joined(separator: "/")) \(one.unit) (min/avg/max)")
        case .heartbeats(let one):
            let gaps = one.beats.count { $0.precededByGap }
            return (
                "heart beats", one.beats.count, one.end,
                (one.sdnn.map { "SDNN \(Int(($0 * 1000).rounded())) ms" } ?? "") + (gaps > 0 ? ", \(gaps) gaps" : "")
            )
        case .waveform(let one): return ("waveform", one.samples.count, one.end, one.code)
        }
    }

    /// With milliseconds: a series has up to 200 values per second.
    private static func exact(_ time: Timestamp, _ zone: ZoneTable) -> String {
        let text = time.text(in: zone)
        let fraction = String(1000 + (time.milliseconds % 1000 + 1000) % 1000).dropFirst()
        return text.prefix(19) + "." + fraction + text.dropFirst(19)
    }

    private static func number(_ value: Double) -> String {
        var text = TextBuffer(capacity: 24)
        text.append(rounded: value)
        return text.string
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.count >= width ? text + " " : text + String(repeating: " ", count: width - text.count)
    }
    private static func right(_ text: String, _ width: Int) -> String {
        text.count >= width ? " " + text : String(repeating: " ", count: width - text.count) + text
    }
}
