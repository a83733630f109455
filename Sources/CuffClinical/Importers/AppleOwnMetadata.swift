import CuffCore

/// What this program adds to its samples in Apple's format. HealthKit has no keys for it.
struct AppleOwnMetadata {
    private(set) var flags: MeasurementFlags = []
    private(set) var mean: Pressure?
    private(set) var remarks: Remarks?

    /// Unknown keys and words are ignored; long remarks are cut.
    mutating func set(_ key: String, _ escaped: String) {
        let text = Self.plain(escaped)
        switch key {
        case "CuffFlags": flags = MeasurementFlags.named(among: text.split(separator: " "))
        case "CuffMeanPressure": mean = Self.pressure(text)
        default:
            guard let remark = HealthMetadata.keys.first(where: { $0.value == key })?.key,
                remark.words.isEmpty || remark.words.contains(text)
            else { return }
            let former = remarks
            remarks = Remarks(stored: { $0 == remark ? text : former?[$0] })
        }
    }

    /// `97 mmHg`.
    private static func pressure(_ text: String) -> Pressure? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let digits = ImportText.digits(parts[0]), digits.mantissa > 0 else { return nil }
        switch parts[1] {
        case "mmHg": return Pressure(digits, .mmHg)
        case "kPa": return Pressure(digits, .kPa)
        default: return nil
        }
    }

    /// Without the entities that writers of attributes use.
    private static func plain(_ text: String) -> String {
        guard text.contains("&") else { return text }
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"),
            // Last, so that `&amp;lt;` becomes `&lt;`.
            ("&amp;", "&"),
        ]
        return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
