import CuffCore

extension Exporter {
    /// JSON Lines in the vocabulary of the sinks.
    public static let jsonl = Exporter(
        "jsonl", help: "JSON Lines in the vocabulary of `cuff read`, with events and series; readers skip types that they do not know.",
        options: [.raw, .lowPulse, .highPulse], parts: [.values, .events, .quantitySeries, .heartbeatSeries, .waveformSeries],
        fields: JSONLinesExport.keys.map { ($0.type.description, $0.name.description, $0.meaning.description) }
    ) { (choices, context) throws(ExportFault) in
        JSONLinesExport(
            zone: context.zone, isZoneChosen: context.isZoneChosen, limits: try choices.limits(),
            line: ReadingLine(includesRaw: choices.has(.raw)))
    }
}

extension ExportOption {
    static let raw = ExportOption("raw", help: "Print each record's own bytes as hex.")
    static let lowPulse = ExportOption("low-pulse", value: "rate", help: "A pulse at or below makes an event (default: 40).")
    static let highPulse = ExportOption("high-pulse", value: "rate", help: "A pulse at or above makes an event (default: 120).")
}

extension ExportChoices {
    /// From which pulse on a reading makes an event.
    func limits() throws(ExportFault) -> HeartRateLimits {
        let usual = HeartRateLimits.usual
        let (low, high) = (try number(.lowPulse) ?? usual.low, try number(.highPulse) ?? usual.high)
        guard let limits = HeartRateLimits(low: low, high: high) else { throw .limitsCross }
        return limits
    }

    private func number(_ option: ExportOption) throws(ExportFault) -> Double? {
        guard let text = try one(option) else { return nil }
        guard let value = Double(text), value.isFinite else { throw .notANumber(option: option.name, value: text) }
        return value
    }
}

extension JSONLinesExport: ExportWriter {
    func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool {
        text.append("{\"type\":\"deleted\",\"schema\":1,\"id\":\"")
        text.append(id)
        text.append("\"}\n")
        return true
    }

    func append(
        _ series: HealthSeries, user: Int?, person: String?, from provenance: Provenance, to text: inout TextBuffer
    ) {
        series.appendLine(to: &text, zone: zone, user: user, person: person)
    }
}
