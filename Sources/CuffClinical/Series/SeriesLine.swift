import CuffCore

/// Series as JSON lines, in the vocabulary of `ReadingLine`.
extension QuantitySeries {
    /// `{"type":"quantity_series",…,"samples":[[0.25,134],…]}`: seconds since the start and the value as it was sent.
    public func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil) {
        text.append("{\"type\":\"quantity_series\",\"schema\":1,\"code\":")
        text.append(jsonString: type.identifier.description)
        text.append(",\"unit\":")
        text.append(jsonString: unit.description)
        text.appendSeriesHead(start: start, end: end, reading: reading, user: user, count: count, zone: zone)
        if let minimum { text.append(value: minimum.value, "min") }
        if let maximum { text.append(value: maximum.value, "max") }
        if let average {
            text.append(",\"avg\":")
            text.append(rounded: average)
        }
        if let mostRecent { text.append(value: mostRecent.value, "last") }
        text.append(",\"samples\":[")
        for (index, element) in elements.enumerated() {
            text.append(index == 0 ? "[" : ",[")
            text.append(seconds: element.start)
            text.append(0x2C)
            text.append(element.value)
            text.append(0x5D)
        }
        text.append("]}\n")
    }
}

extension HeartbeatSeries {
    /// `{"type":"heartbeat_series",…,"beats":[0.5,1.49],"gaps":[1],"sdnn_ms":10.9}`: seconds since the start, and the
    /// places (from 0) of the beats that a gap precedes.
    public func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil) {
        text.append("{\"type\":\"heartbeat_series\",\"schema\":1,\"code\":")
        text.append(jsonString: SampleType.heartbeatSeries.identifier.description)
        text.appendSeriesHead(start: start, end: end, reading: reading, user: user, count: beats.count, zone: zone)
        if let sdnn {
            text.append(",\"sdnn_ms\":")
            text.append(rounded: sdnn * 1000)
        }
        text.append(",\"beats\":[")
        for (index, beat) in beats.enumerated() {
            if index > 0 { text.append(0x2C) }
            text.append(seconds: beat.time)
        }
        let gaps = beats.indices.filter { beats[$0].precededByGap }
        text.append("],\"gaps\":[")
        for (index, gap) in gaps.enumerated() {
            if index > 0 { text.append(0x2C) }
            text.append(decimal: Int64(gap))
        }
        text.append("]}\n")
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
        while rest % 10 == 0 {
            rest /= 10
            width -= 1
        }
        append(0x2E)
        append(padded: rest, width: width)
    }

    fileprivate mutating func append(value: Digits, _ key: StaticString) {
        append(",\"")
        append(key)
        append("\":")
        append(value)
    }

    /// RFC 3339 with milliseconds where there are any: offsets within a series are counted from exactly this instant.
    private mutating func append(precise time: Timestamp, _ zone: ZoneTable) {
        let offset = zone.offset(at: time.seconds) / 60
        let rest = time.milliseconds - time.seconds * 1000
        guard rest > 0 else { return append(local: time, offset: offset) }
        append(DeviceTime(wallSeconds: time.seconds + Int64(offset) * 60))
        append(0x2E)
        append(padded: Int(rest), width: 3)
        append(zone: offset)
    }

    mutating func appendSeriesHead(
        start: Timestamp, end: Timestamp, reading: Reading.ID?, user: Int?, count: Int, zone: ZoneTable
    ) {
        if let reading {
            append(",\"reading\":\"")
            append(reading)
            append(0x22)
        }
        if let user {
            append(",\"user\":")
            append(decimal: Int64(user))
        }
        append(",\"start\":\"")
        append(precise: start, zone)
        append("\",\"end\":\"")
        append(precise: end, zone)
        append("\",\"count\":")
        append(decimal: Int64(count))
    }
}
