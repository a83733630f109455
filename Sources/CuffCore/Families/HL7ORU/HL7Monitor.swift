/// The sender of a message, from MSH-3 and MSH-4.
struct HL7Monitor {
    /// Longer names are cut for display, but compared whole.
    private static let longestName = 64

    let bytes: [UInt8]
    let isAnonymous: Bool
    let application: String?
    let name: String

    init(_ message: HL7Message) {
        let fields = [3, 4].map { Array(message.header.field($0)) }
        bytes = Array(fields.joined(separator: [0]))
        isAnonymous = fields.allSatisfy(\.isEmpty)
        let texts = fields.map { field in
            DeviceIdentity.text((message.separators.components(field[...]).first ?? []).prefix(Self.longestName))
        }
        application = texts[0].isEmpty ? nil : texts[0]
        name = texts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension HL7Determination {
    /// Identifies the determination among those of the same sender: time, group and values.
    func digest(seed: UInt64, and patient: [UInt8]) -> UInt64 {
        var text = TextBuffer(capacity: 128)
        if let time {
            text.append(time)
            text.append(decimal: Int64(time.utcOffset ?? Int16.max))
        }
        for value in values {
            text.append(0x20)
            switch value {
            case .value(let digits): text.append(digits)
            case .absent, .unreadable: text.append(0x2D)
            }
        }
        // A demonstration with equal values is another one.
        text.append(decimal: Int64(flags.rawValue))
        text.append(decimal: Int64(standing.rawValue))
        text.append(0)
        let bytes = text.array + group + [0] + patient
        return XXHash64.hash(bytes.span, seed: seed)
    }
}
