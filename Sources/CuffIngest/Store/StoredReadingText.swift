import CuffCore

/// Stored readings as text.
public enum StoredReadingText {
    /// The form of the output.
    public enum Form: String, Sendable, CaseIterable {
        case table, plain, jsonl

        /// What was asked for; without it a terminal gets a table and a pipe plain lines.
        public init(_ name: String?, isTerminal: Bool) throws(IngestError) {
            guard let name else {
                self = isTerminal ? .table : .plain
                return
            }
            guard let form = Form(rawValue: name) else {
                throw IngestError(StoreFault.unknownFormat(name, known: Form.allCases.map(\.rawValue)))
            }
            self = form
        }
    }

    /// The readings in this form, one line each.
    public static func text(_ readings: [StoredReading], as form: Form) -> String {
        var text = TextBuffer(capacity: 200 * (readings.count + 1))
        if form == .table { text.append(string: ReadingTable.header) }
        for reading in readings {
            switch form {
            case .table: appendRow(reading, to: &text)
            case .plain: appendPlain(reading, to: &text)
            case .jsonl: appendLine(reading, to: &text)
            }
        }
        return text.string
    }

    private static func appendRow(_ reading: StoredReading, to text: inout TextBuffer) {
        let time = reading.time.map { String($0.prefix(16)).map { $0 == "T" ? " " : $0 } }.map { String($0) } ?? "(time unknown)"
        var line = padded(time, 23)
        line += right("\(whole(reading.systolic))/\(whole(reading.diastolic))", 7)
        line += right(reading.mean.map(whole) ?? "", 6) + right(reading.pulse.map(whole) ?? "", 7)
        line += right(reading.user.map(String.init) ?? "", 7)
        var notes = reading.flags.map { String($0.map { $0 == "_" ? " " : $0 }) }
        if reading.clock == "unset" { notes.append("clock never set") }
        if !notes.isEmpty { line += "  " + notes.joined(separator: ", ") }
        text.append(string: line + "\n")
    }

    private static func appendPlain(_ reading: StoredReading, to text: inout TextBuffer) {
        let cells: [String] = [
            reading.time ?? "", whole(reading.systolic), whole(reading.diastolic), reading.mean.map(whole) ?? "",
            reading.pulse.map(whole) ?? "", reading.user.map(String.init) ?? "", reading.flags.joined(separator: ","), reading.driver,
            reading.device, reading.id,
        ]
        text.append(string: cells.map { StandardErrorLog.harmless($0) }.joined(separator: "\t") + "\n")
    }

    private static func appendLine(_ reading: StoredReading, to text: inout TextBuffer) {
        text.append("{\"type\":\"blood_pressure\",\"schema\":1,\"id\":")
        text.append(jsonString: reading.id)
        string(reading.driver, "driver", &text)
        if !reading.device.isEmpty { string(reading.device, "device", &text) }
        number(reading.systolic, "systolic_mmHg", &text)
        number(reading.diastolic, "diastolic_mmHg", &text)
        if let mean = reading.mean { number(mean, "mean_mmHg", &text) }
        if let pulse = reading.pulse { number(pulse, "pulse_per_min", &text) }
        if let user = reading.user { number(Double(user), "user", &text) }
        if !reading.flags.isEmpty {
            text.append(string: ",\"flags\":[" + reading.flags.map { "\"\($0)\"" }.joined(separator: ",") + "]")
        }
        if let time = reading.deviceTime { string(time, "device_time", &text) }
        if let measured = reading.measured { string(measured, "measured", &text) }
        if let clock = reading.clock { string(clock, "clock", &text) }
        if let received = reading.received { string(received, "received", &text) }
        string(reading.origin, "origin", &text)
        text.append("}\n")
    }

    private static func string(_ value: String, _ key: String, _ text: inout TextBuffer) {
        text.append(string: ",\"\(key)\":")
        text.append(jsonString: value)
    }

    private static func number(_ value: Double, _ key: String, _ text: inout TextBuffer) {
        text.append(string: ",\"\(key)\":")
        text.append(rounded: value)
    }

    private static func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }
    private static func padded(_ text: String, _ width: Int) -> String {
        text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
    }
    private static func right(_ text: String, _ width: Int) -> String {
        text.count >= width ? " " + text : String(repeating: " ", count: width - text.count) + text
    }
}
