import CuffCore

/// One line of JSON with a type, for verbs whose answers are no readings.
enum JSONObject {
    /// A value; absent ones are left out by whoever writes the object.
    indirect enum Value {
        case text(String)
        case number(Int)
        case truth(Bool)
        case object([(String, Value?)])
    }

    /// `{"type":…,"schema":1,…}` and a line feed; fields that are `nil` are left out.
    static func line(_ type: String, _ fields: [(String, Value?)]) -> String {
        var text = TextBuffer()
        append(.object([("type", .text(type)), ("schema", .number(1))] + fields), to: &text)
        text.append(0x0A)
        return text.string
    }

    private static func append(_ value: Value, to text: inout TextBuffer) {
        switch value {
        case .text(let string): text.append(jsonString: string)
        case .number(let number): text.append(decimal: Int64(number))
        case .truth(let isTrue): text.append(string: isTrue ? "true" : "false")
        case .object(let fields):
            var separator: UInt8 = 0x7B
            for case (let key, let value?) in fields {
                text.append(separator)
                text.append(jsonString: key)
                text.append(0x3A)
                append(value, to: &text)
                separator = 0x2C
            }
            text.append(string: separator == 0x7B ? "{}" : "}")
        }
    }
}
