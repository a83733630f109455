import CuffClinical
import CuffCore

extension HealthRuns {
    /// The most series whose values are merged by time.
    private static let mostSeries = 1000

    /// Prints the chosen readings, then their events, then series.
    package static func show(
        _ store: Store, _ types: TypeChoice, _ selection: ReadingSelection, _ options: ShowOptions, to output: OutputFile
    ) throws(IngestError) {
        if types.hasReadings {
            try list(
                store, selection, as: options.form, withEarlier: options.earlier, unixTimes: options.unixTimes,
                placesTimes: options.placesTimes, to: output, finishes: false)
        }
        if types.events { try listEvents(store, selection, options, to: output) }
        if !types.series.isEmpty {
            var series = SeriesSelection(selection, kinds: types.series)
            series.conditions = options.conditions
            try listSeries(store, series, options, selection.zone, to: output)
        }
        try output.finish()
    }

    private static func listEvents(
        _ store: Store, _ selection: ReadingSelection, _ options: ShowOptions, to output: OutputFile
    ) throws(IngestError) {
        let text = try BufferedOutput(output)
        var selection = selection
        selection.kinds = []
        let zone = selection.zone
        var isEmpty = true
        try store.forEach(selection) { reading, provenance in
            guard let time = reading.bestTime(in: zone) else { return true }
            for event in HeartEvent.events(of: reading, at: time, limits: options.limits) {
                isEmpty = false
                if options.form == .jsonl {
                    event.append(to: &text.buffer, driver: provenance.driver, device: provenance.device, zone: zone)
                } else {
                    appendRow(event, isPlain: options.form == .plain, zone: zone, to: &text.buffer)
                }
            }
            return try text.flush()
        }
        if isEmpty, options.form == .table { text.buffer.append("no events\n") }
        try output.append(&text.buffer)
    }

    private static func appendRow(_ event: HeartEvent, isPlain: Bool, zone: ZoneTable, to text: inout TextBuffer) {
        let time = event.time.text(in: zone)
        let pulse = event.pulse.map { "\(Int($0.digits.value.rounded()))" } ?? ""
        if isPlain {
            text.append(string: [time, event.kind.rawValue, pulse, event.reading.description].joined(separator: "\t") + "\n")
        } else {
            let words = event.kind.rawValue.replacing("_", with: " ")
            let limit = event.limit.map { " (limit \(Int($0.rounded())))" } ?? ""
            text.append(string: "\(time.prefix(16).replacing("T", with: " "))       \(words)")
            text.append(string: (pulse.isEmpty ? "" : ", \(pulse) a minute") + limit + "\n")
        }
    }

    private static func listSeries(
        _ store: Store, _ selection: SeriesSelection, _ options: ShowOptions, _ zone: ZoneTable, to output: OutputFile
    ) throws(IngestError) {
        let text = try BufferedOutput(output)
        var together: [StoredSeries] = []
        if options.form == .table, !options.values { text.buffer.append(string: SeriesText.header) }
        try store.forEachSeries(selection) { stored in
            let start = text.buffer.count
            if options.values {
                if !options.byOwner {
                    together.append(stored)
                    guard together.count < mostSeries else {
                        throw IngestError(SelectionFault.tooManySeries)
                    }
                } else {
                    SeriesText.appendValues([stored], zone: zone, byOwner: true, as: options.form, to: &text.buffer)
                }
            } else {
                switch options.form {
                case .table: SeriesText.appendRow(stored, zone: zone, to: &text.buffer)
                case .plain: SeriesText.appendPlain(stored, zone: zone, to: &text.buffer)
                case .jsonl: stored.series.appendLine(to: &text.buffer, zone: zone, user: stored.user, person: stored.person.name)
                }
            }
            if options.form != .jsonl { TerminalText.clean(&text.buffer, from: start) }
            return try text.flush()
        }
        let start = text.buffer.count
        SeriesText.appendValues(together, zone: zone, byOwner: false, as: options.form, to: &text.buffer)
        if options.form != .jsonl { TerminalText.clean(&text.buffer, from: start) }
        try output.append(&text.buffer)
    }
}
