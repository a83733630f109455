import RemoteSink

/// InfluxDB's line protocol, for `/write` (1.x) and `/api/v2/write` (2.x).
public struct InfluxFormat: DeliveryFormat {
    private let url: String
    private let headers: [HTTPRequest.Header]

    public init(url: String) {
        self.url = url
        headers = [.init("Content-Type", "text/plain; charset=utf-8")]
    }

    /// InfluxData recommends at most 5,000; `cuff` sends at most this many without an answer.
    public var mostReadings: Int { 1000 }

    public func refusal(_ reading: ReadingLine) -> String? {
        guard let measured = reading.measured else {
            return "the time of this reading is not known, and a line without a time would be stored under the time of its arrival"
        }
        guard Instant(measured) != nil else { return "`\(measured)` is not a time" }
        return InfluxLine.text(reading) == nil ? "it has no value that InfluxDB stores" : nil
    }

    public func request(_ readings: [ReadingLine]) -> HTTPRequest {
        HTTPRequest(.post, url, headers: headers, body: readings.compactMap(InfluxLine.text).joined())
    }

    public func verdict(_ answer: HTTPAnswer, for readings: [ReadingLine]) -> Verdict {
        // Of every 2xx only this one says that the points are written.
        if answer.status == 204 { return .taken }
        if answer.isSuccess {
            return .configuration("HTTP \(answer.status) where InfluxDB answers 204: is this the address of an InfluxDB?")
        }
        let value = JSONValue(parsing: answer.body)
        // 1.x says `error`, 2.x `message`.
        let said = value?["error"]?.string ?? value?["message"]?.string ?? ""
        if answer.status == 404, said.contains("database") || said.contains("bucket") || said.contains("organization") {
            return .configuration("\(said) (HTTP 404); create it, or correct the address")
        }
        return .failure(answer, said: said)
    }
}

enum InfluxLine {
    /// One line with its line feed; `nil` without a time or without any value. The same reading always gives the same bytes.
    static func text(_ reading: ReadingLine) -> String? {
        guard let instant = reading.measured.flatMap(Instant.init), let time = nanoseconds(instant, id: reading.id) else { return nil }
        let fields = fields(reading)
        guard !fields.isEmpty else { return nil }
        // A pending reading is not yet what its type promises, so it does not stand among those that are.
        var line = escaped(reading.isPending ? "pending" : reading.type, keys: false)
        for (key, value) in tags(reading) {
            let value = escaped(tag(value), keys: true)
            if !value.isEmpty { line += ",\(key)=\(value)" }
        }
        line += " " + (fields + ["id=\(quoted(reading.id))"]).joined(separator: ",")
        return line + " \(time)\n"
    }

    /// Sorted by name, as InfluxData asks for.
    private static func tags(_ reading: ReadingLine) -> [(String, String)] {
        var tags: [(String, String)] = []
        if reading.type == "quantity" { tags.append(("code", reading["code"]?.string ?? reading["mdc"]?.digits ?? "")) }
        tags.append(("device", reading.device ?? ""))
        tags.append(("driver", reading.driver))
        if reading.isPending { tags.append(("of", reading.type)) }
        if reading.type == "quantity" { tags.append(("unit", reading["unit"]?.string ?? reading["unit_mdc"]?.digits ?? "")) }
        if let user = reading.user { tags.append(("user", "\(user)")) }
        return tags
    }

    /// Numbers without the `i` of integers: a field's type is fixed by its first value, and another cuff has decimals.
    private static func fields(_ reading: ReadingLine) -> [String] {
        var fields: [String] = []
        for stem in ["systolic", "diastolic", "mean"] {
            for unit in ["mmHg", "kPa"] {
                if let digits = reading["\(stem)_\(unit)"]?.digits { fields.append("\(stem)_\(unit)=\(digits)") }
            }
        }
        if let digits = reading["pulse_per_min"]?.digits { fields.append("pulse_per_min=\(digits)") }
        if let text = reading["value"]?.string, let digits = JSONValue(parsing: Array(text.utf8))?.digits {
            fields.append("value=\(digits)")
        }
        for key in ["event", "reason", "code", "value_absent"] where key != "code" || reading.isFailure {
            if let word = reading[key]?.string { fields.append("\(key)=\(quoted(word))") }
        }
        guard !fields.isEmpty else { return [] }
        return fields + reading.flags.filter(isWord).map { "\($0)=true" }
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }
    }

    /// Points of one series and one time become one, and many cuffs tell whole minutes. So up to a millisecond is added that
    /// depends on the id alone: FNV-1a (64 bits) of its bytes, modulo 1,000,000 nanoseconds.
    static func nanoseconds(_ instant: Instant, id: String) -> Int64? {
        let (product, isOver) = instant.milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isOver else { return nil }
        let hash = id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let (sum, overflows) = product.addingReportingOverflow(Int64(hash % 1_000_000))
        return overflows ? nil : sum
    }

    /// A backslash cannot be said at the end of a tag, nor before a character that is escaped; nobody's name needs one.
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
