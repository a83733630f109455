import CuffCore

extension Exporter {
    /// The `export.xml` of Apple's Health app.
    public static let appleHealth = Exporter(
        "apple-health",
        help:
            "The export.xml of Apple's Health app, which many programs read (Apple's own does not); as FILE.zip in the layout of Apple's zip.",
        options: [.appleLayout, .lowPulse, .highPulse], parts: [.values, .events, .heartbeatSeries],
        archivePath: "apple_health_export/export.xml", writesInstants: true
    ) { (choices, context) throws(ExportFault) in
        let layout = AppleHealthExport.Layout(rawValue: try choices.word(.appleLayout)) ?? .both
        let document = AppleHealthExport(layout: layout, source: context.source, zone: context.zone, limits: try choices.limits())
        return AppleHealthWriter(document: document, made: context.made)
    }
}

extension ExportOption {
    static let appleLayout = ExportOption(
        "apple-layout", value: "layout", words: AppleHealthExport.Layout.allCases.map(\.rawValue),
        help: "both (as Apple writes it; the default), correlation or records.")
}

struct AppleHealthWriter: ExportWriter {
    let document: AppleHealthExport
    let made: Timestamp
    func indistinct(among persons: Persons) -> Persons { persons }

    mutating func begin(to text: inout TextBuffer) { document.appendHeader(exported: made, to: &text) }

    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        if let reason = InclusionRule(zone: document.zone).reason(reading.flags) { throw .excluded(reason) }
        guard !reading.isPending else { throw .incomplete }
        switch reading.content {
        case .bloodPressure, .pulseRate: break
        case .failure: throw .failed
        case .quantity: guard QuantityType.of(reading) != nil || Audiogram(reading) != nil else { throw .noPlace(type: "quantity") }
        }
        guard reading.bestTime(in: document.zone) != nil else { throw .timeUnknown }
        do throws(HealthError) { try document.append(reading, from: provenance, parts: parts, to: &text) } catch {
            throw .invalid(error.reason)
        }
    }

    mutating func append(
        _ series: HealthSeries, user: Int?, person: String?, from provenance: Provenance, to text: inout TextBuffer
    ) {
        if case .heartbeats(let beats) = series { document.append(beats, from: provenance, to: &text) }
    }

    mutating func end(to text: inout TextBuffer) { document.appendFooter(to: &text) }
}
