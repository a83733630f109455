import CuffCore

/// Series as JSON lines, in the vocabulary of `ReadingLine`. Offsets within a series count in seconds from its `start`, which therefore has
/// milliseconds.
extension HealthSeries {
    package func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil, person: String? = nil) {
        switch self {
        case .quantity(let series): series.appendLine(to: &text, zone: zone, user: user, person: person)
        case .heartbeats(let series): series.appendLine(to: &text, zone: zone, user: user, person: person)
        case .waveform(let series): series.appendLine(to: &text, zone: zone, user: user, person: person)
        }
    }
}

extension QuantitySeries {
    /// `{"type":"quantity_series",…,"samples":[[0.25,134],…]}`: seconds since the start, and the value as sent.
    func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil, person: String? = nil) {
        text.append("{\"type\":\"quantity_series\",\"schema\":1")
        text.append(key: "code", type.identifier.description)
        text.append(key: "unit", unit.description)
        text.appendExtent(start, end, reading, user: user, person, count: count, zone, metadata)
        if let minimum { text.append(key: "min", minimum.value) }
        if let maximum { text.append(key: "max", maximum.value) }
        if let average { text.append(key: "avg", rounded: average) }
        if let mostRecent { text.append(key: "last", mostRecent.value) }
        text.append(key: "samples")
        text.append(list: elements) { element, text in
            text.append(0x5B)
            text.append(seconds: element.start)
            text.append(0x2C)
            text.append(element.value)
            text.append(0x5D)
        }
        text.append("}\n")
    }
}

extension HeartbeatSeries {
    /// `{"type":"heartbeat_series",…,"beats":[0.5,1.49],"gaps":[1],"sdnn_ms":10.9}`: seconds since the start, and the
    /// indices (from 0) of the beats after a gap.
    func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil, person: String? = nil) {
        text.append("{\"type\":\"heartbeat_series\",\"schema\":1")
        text.append(key: "code", SampleType.heartbeatSeries.identifier.description)
        text.appendExtent(start, end, reading, user: user, person, count: beats.count, zone, metadata)
        if let sdnn { text.append(key: "sdnn_ms", rounded: sdnn * 1000) }
        text.append(key: "beats")
        text.append(list: beats) { $1.append(seconds: $0.time) }
        text.append(key: "gaps")
        text.append(list: beats.indices.filter { beats[$0].precededByGap }) { $1.append(decimal: Int64($0)) }
        text.append("}\n")
    }
}

extension WaveformSeries {
    /// `{"type":"waveform_series",…,"period_us":5000,"sample_range":[0,800],"value_range":[-2,2],"samples":[0,400]}`: the samples as
    /// sent, and two points of the line that maps them to values.
    func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil, person: String? = nil) {
        text.append("{\"type\":\"waveform_series\",\"schema\":1")
        text.append(key: "code", code)
        text.append(key: "mdc", Int(UInt32(partition) << 16 | UInt32(term)))
        if let unitName {
            text.append(key: "unit", unitName)
        } else if unit != 0 {
            text.append(key: "unit_mdc", Int(Nomenclature.dimensions << 16 | UInt32(unit)))
        }
        text.appendExtent(start, end, nil, user: user, person, count: samples.count, zone)
        if period > 0 { text.append(key: "period_us", Int(period)) }
        if let scale {
            text.append(key: "sample_range")
            text.append(list: [scale.samples.lowerBound, scale.samples.upperBound]) { $1.append(decimal: Int64($0)) }
            text.append(key: "value_range")
            text.append(list: [scale.lower, scale.upper]) { $1.append($0) }
        }
        text.append(key: "samples")
        text.append(list: samples) { $1.append(decimal: Int64($0)) }
        text.append("}\n")
    }
}

extension TextBuffer {
    /// Microseconds as seconds with as many decimals as they need.
    mutating func append(seconds microseconds: Int64) {
        if microseconds < 0 { append(0x2D) }
        append(decimal: Int64(microseconds.magnitude / 1_000_000))
        var rest = Int(microseconds.magnitude % 1_000_000)
        guard rest > 0 else { return }
        var width = 6
        while rest % 10 == 0 { (rest, width) = (rest / 10, width - 1) }
        append(0x2E)
        append(padded: rest, width: width)
    }

    /// RFC 3339 with milliseconds, if there are any.
    private mutating func append(key: String, precise time: Timestamp, _ zone: ZoneTable) {
        let offset = zone.offset(at: time.seconds) / 60
        let rest = time.milliseconds - time.seconds * 1000
        guard rest > 0 else { return append(key: key, time, in: zone) }
        append(key: key)
        append(0x22)
        append(DeviceTime(wallSeconds: time.seconds + Int64(offset) * 60))
        append(0x2E)
        append(padded: Int(rest), width: 3)
        append(zone: offset)
        append(0x22)
    }

    fileprivate mutating func appendExtent(
        _ start: Timestamp, _ end: Timestamp, _ reading: Reading.ID?, user: Int?, _ person: String?, count: Int, _ zone: ZoneTable,
        _ metadata: [String: String] = [:]
    ) {
        if let reading { append(key: "reading", reading) }
        if let user { append(key: "user", user) }
        if let person { append(key: "person", person) }
        append(key: "start", precise: start, zone)
        append(key: "end", precise: end, zone)
        append(key: "count", count)
        guard !metadata.isEmpty else { return }
        append(key: "metadata")
        append(string: JSONOutput(metadata).string)
    }
}
