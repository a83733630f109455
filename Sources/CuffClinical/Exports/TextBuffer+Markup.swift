import CuffCore

extension TextBuffer {
    /// `2026-05-05 07:33:00 +0200`.
    mutating func append(appleDate time: Timestamp, zone: ZoneTable) {
        let offset = zone.offset(at: time.seconds) / 60
        let wall = DeviceTime(wallSeconds: time.seconds + Int64(offset) * 60)
        append(dateAndTime: wall)
        append(0x20)
        append(offset < 0 ? 0x2D : 0x2B)
        append(padded: Int(offset.magnitude) / 60, width: 2)
        append(padded: Int(offset.magnitude) % 60, width: 2)
    }

    /// `2026-05-05 07:33:00`, always in seconds.
    mutating func append(dateAndTime wall: DeviceTime) {
        var day = wall
        day.precision = .day
        append(day)
        append(0x20)
        append(padded: Int(wall.hour), width: 2)
        append(0x3A)
        append(padded: Int(wall.minute), width: 2)
        append(0x3A)
        append(padded: Int(wall.second), width: 2)
    }

    /// `07:33:00.25`: the time of the day, `microseconds` after the instant.
    mutating func append(clockOf start: Timestamp, plus microseconds: Int64, zone: ZoneTable) {
        let hundredths = (start.milliseconds + microseconds / 1000) / 10
        let seconds = hundredths / 100
        let wall = DeviceTime(wallSeconds: seconds + Int64(zone.offset(at: seconds)))
        append(padded: Int(wall.hour), width: 2)
        append(0x3A)
        append(padded: Int(wall.minute), width: 2)
        append(0x3A)
        append(padded: Int(wall.second), width: 2)
        append(0x2E)
        append(padded: Int(hundredths % 100), width: 2)
    }

    /// ` name="value"`, escaped.
    mutating func append(attribute name: StaticString, _ value: String) {
        append(0x20)
        append(name)
        append("=\"")
        append(markup: value)
        append(0x22)
    }

    /// Text for XML and HTML, between tags or in a quoted attribute. Characters that XML does not allow become `?`.
    mutating func append(markup text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "'": append("&#39;")
            case "\t", "\n", "\r": append(0x20)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": append(0x3F)
            default: for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
            }
        }
    }
}
