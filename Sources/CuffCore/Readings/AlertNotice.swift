/// A change of the user's alert rule, for the sinks; not a reading.
public struct AlertNotice: Sendable, Hashable {
    /// The change; the raw value is `event` in JSON.
    public enum Change: String, Sendable, Hashable {
        case raised, cleared
    }

    /// Deterministic: the same change of the same alert has the same id, so that receivers can detect duplicates.
    public var id: Reading.ID
    /// Whether the alert was raised or cleared.
    public var change: Change
    /// The rule's name, as the user wrote it; at most `longestName` bytes.
    public var rule: String
    /// The rule's condition, as the user wrote it; at most `longestCondition` bytes.
    public var condition: String
    /// The user's name for the person, if any.
    public var person: String?
    /// The user slot, numbered as by the cuff; `nil` if unknown.
    public var user: Int32?
    /// The time of the latest reading, or when a reading was missed.
    public var time: Timestamp
    /// Minutes east of UTC of the zone in which `time` is shown.
    public var offset: Int16
    /// The readings concerned, earliest first; at most `mostReadings`, empty for a missed reading.
    public var readings: [Reading.ID]
    /// The values of the latest of them, if any.
    public var pressure: BloodPressure?
    /// The alert as a sentence.
    public var text: String

    /// Creates a notice.
    public init(
        id: Reading.ID, change: Change, rule: String, condition: String, person: String? = nil, user: Int32? = nil, time: Timestamp,
        offset: Int16 = 0, readings: [Reading.ID] = [], pressure: BloodPressure? = nil, text: String
    ) {
        self.id = id
        self.change = change
        self.rule = rule
        self.condition = condition
        self.person = person
        self.user = user
        self.time = time
        self.offset = offset
        self.readings = readings
        self.pressure = pressure
        self.text = text
    }

    /// Limit of `rule`, in bytes.
    public static let longestName = 80
    /// Limit of `condition`, in bytes: more than four comparisons need.
    public static let longestCondition = 200
    /// The most readings that a rule evaluates together.
    public static let mostReadings = 20

    /// Limit of the line without the device's name, with all text escaped.
    var longestLine: Int {
        2048 + 36 * readings.count + 6 * (rule.utf8.count + condition.utf8.count + (person?.utf8.count ?? 0) + text.utf8.count)
    }
}

extension ReadingLine {
    /// `{"type":"alert","schema":1,"id":…,"driver":…,"event":"raised","rule":…,"condition":…,…}`
    func append(_ alert: AlertNotice, _ driver: DriverID, device: String, to text: inout TextBuffer) {
        var writer = text.writer(atMost: alert.longestLine + 6 * device.utf8.count)
        writer.put("{\"type\":\"alert\",\"schema\":1,\"id\":\"")
        writer.put(alert.id)
        writer.put("\",\"driver\":\"")
        writer.put(word: driver)
        putDevice(device, &writer)
        writer.put(alert.change == .raised ? ",\"event\":\"raised\"" : ",\"event\":\"cleared\"")
        writer.put(",\"rule\":", json: alert.rule)
        writer.put(",\"condition\":", json: alert.condition)
        if let pressure = alert.pressure { put(pressure, &writer) }
        if let user = alert.user { writer.put(",\"user\":", decimal: Int64(user)) }
        if let person = alert.person { writer.put(",\"person\":", json: person) }
        writer.put(",\"measured\":\"")
        writer.put(local: alert.time, offset: Int(alert.offset))
        writer.put("\",\"readings\":[")
        for (index, id) in alert.readings.enumerated() {
            writer.put(index == 0 ? "\"" : ",\"")
            writer.put(id)
            writer.put(0x22)
        }
        writer.put("],\"text\":", json: alert.text)
        writer.put("}\n")
        text.take(writer)
    }
}
