import CuffCore

extension Exporter {
    /// InfluxDB's line protocol.
    public static let influx = Exporter(
        "influx", help: "InfluxDB's line protocol, times in nanoseconds: the points that cuff-sink-http writes.", writesInstants: true
    ) { (_, context) throws(ExportFault) in InfluxWriter(zone: context.zone) }
}

/// One line for each reading. Writing it again to a server changes nothing.
struct InfluxWriter: ExportWriter {
    let zone: ZoneTable

    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission) {
        guard parts.contains(.values) else { return }
        guard !reading.isPending else { throw .incomplete }
        let one = ExchangeReading(reading, from: provenance, zone: zone)
        guard one.time != nil else { throw .timeUnknown }
        guard let line = InfluxLine.text(one) else { throw .noValue }
        text.append(string: line)
    }
}
