/// One reading in InfluxDB's line protocol.
public enum InfluxLine {
    /// One line with its line feed; `nil` without a time or any value. The same reading always gives the same bytes.
    public static func text(_ reading: ExchangeReading) -> String? {
        guard let instant = reading.time, let time = nanoseconds(instant.milliseconds, id: reading.id) else { return nil }
        let fields = fields(reading)
        guard !fields.isEmpty else { return nil }
        var line = escaped(measurement(reading), keys: false)
        for (key, value) in tags(reading) {
            let value = escaped(tag(value), keys: true)
            if !value.isEmpty { line += ",\(key)=\(value)" }
        }
        line += " " + (fields + ["id=\(quoted(reading.id))"]).joined(separator: ",")
        return line + " \(time)\n"
    }

    /// The measurements of pending and excluded readings, so that a query for blood pressures finds only those that count.
    public static let otherMeasurements = ["pending", "left_out"]

    private static func measurement(_ reading: ExchangeReading) -> String {
        reading.isPending ? "pending" : reading.exclusion != nil ? "left_out" : reading.type
    }

    /// The nanoseconds under which a reading is stored, since 1970; `nil` without a time.
    public static func time(_ reading: ExchangeReading) -> Int64? {
        reading.time.flatMap { nanoseconds($0.milliseconds, id: reading.id) }
    }

    /// A tag as it is stored.
    public static func stored(tag text: String) -> String { tag(text) }

    /// Sorted by name, as InfluxData recommends.
    private static func tags(_ reading: ExchangeReading) -> [(String, String)] {
        var tags: [(String, String)] = []
        if reading.type == "quantity" { tags.append(("code", reading.quantity.code ?? reading.quantity.mdc ?? "")) }
        tags.append(("device", reading.device ?? ""))
        tags.append(("driver", reading.driver))
        if measurement(reading) != reading.type { tags.append(("of", reading.type)) }
        if reading.type == "quantity" { tags.append(("unit", reading.quantity.unit ?? reading.quantity.unitCode ?? "")) }
        if let user = reading.user { tags.append(("user", "\(user)")) }
        if !reading.isPending, let reason = reading.exclusion { tags.append(("why", reason.rawValue)) }
        return tags
    }

    /// Numbers without the `i` of integers: a field's type is fixed by its first value, and another cuff has decimals.
    private static func fields(_ reading: ExchangeReading) -> [String] {
        var fields: [String] = []
        for (stem, pressure) in [
            ("systolic", reading.pressures.systolic), ("diastolic", reading.pressures.diastolic), ("mean", reading.pressures.mean),
        ] {
            if let digits = pressure.mmHg { fields.append("\(stem)_mmHg=\(digits)") }
            if let digits = pressure.kPa { fields.append("\(stem)_kPa=\(digits)") }
        }
        if let digits = reading.pulse { fields.append("pulse_per_min=\(digits)") }
        if let digits = reading.quantity.value { fields.append("value=\(digits)") }
        let words = [
            ("event", reading.failure.event), ("reason", reading.failure.reason), ("code", reading.failure.code),
            ("value_absent", reading.quantity.absence),
        ]
        for case (let key, let word?) in words { fields.append("\(key)=\(quoted(word))") }
        guard !fields.isEmpty else { return [] }
        // A field and no tag: a reading that is another person's from now on replaces its point.
        if let person = reading.person { fields.append("person=\(quoted(person))") }
        let decoder = reading.decoder.map { ["decoder=\(quoted($0))"] } ?? []
        return fields + reading.flags.filter(isWord).map { "\($0)=true" } + decoder
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }
    }

    /// Points with the same series and time overwrite each other, and many cuffs send whole minutes. So up to a millisecond is added that
    /// depends only on the id: FNV-1a (64 bits) of its bytes, modulo 1,000,000 nanoseconds.
    private static func nanoseconds(_ milliseconds: Int64, id: String) -> Int64? {
        let (product, isOver) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isOver else { return nil }
        let hash = id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let (sum, overflows) = product.addingReportingOverflow(Int64(hash % 1_000_000))
        return overflows ? nil : sum
    }

    /// A backslash cannot be written at the end of a tag, nor before an escaped character; it is replaced.
    private static func tag(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F || $0 == "\\" ? "_" : $0 }))
    }

    private static func escaped(_ text: String, keys: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == "," || character == " " || keys && character == "=" { result += "\\" }
            result.unicodeScalars.append(character)
        }
        return result
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { result += "\\" }
            result.unicodeScalars.append(character.value < 0x20 || character.value == 0x7F ? " " : character)
        }
        return result + "\""
    }
}
