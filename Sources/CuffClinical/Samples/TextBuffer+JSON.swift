import CuffCore

/// Members of a JSON object after its first one, each with the comma before it: `,"key":value`.
extension TextBuffer {
    mutating func append(key: String, _ value: String) {
        append(key: key)
        append(jsonString: value)
    }
    mutating func append(key: String, _ value: Int) {
        append(key: key)
        append(decimal: Int64(value))
    }
    mutating func append(key: String, _ value: Bool) {
        append(key: key)
        append(value ? "true" : "false")
    }
    mutating func append(key: String, _ value: Digits) {
        append(key: key)
        append(value)
    }
    /// With at most two decimals.
    mutating func append(key: String, rounded value: Double) {
        append(key: key)
        append(rounded: value)
    }
    mutating func append(key: String, _ id: Reading.ID) {
        append(key: key)
        append(0x22)
        append(id)
        append(0x22)
    }
    /// RFC 3339 with the offset of the zone.
    mutating func append(key: String, _ time: Timestamp, in zone: ZoneTable) {
        append(key: key)
        append(0x22)
        append(local: time, offset: zone.offset(at: time.seconds) / 60)
        append(0x22)
    }
    /// The key alone: the value follows.
    mutating func append(key: String) {
        append(",\"")
        append(string: key)
        append("\":")
    }
    /// `,"key":{"word":count,…}`; nothing if there are no counts.
    mutating func append(key: String, counts: [(word: String, count: Int)]) {
        guard !counts.isEmpty else { return }
        append(string: ",\"\(key)\":{\(counts.map { "\"\($0.word)\":\($0.count)" }.joined(separator: ","))}")
    }
}
