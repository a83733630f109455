import CuffCore

extension AppleHealthExport {
    /// A hearing test as in Apple's files. Element and attribute names: documented, by the document type of "HealthKit Export
    /// Version: 14" in the strings of Apple's HealthKit, which blacktop/ipsw-diffs publishes on GitHub. The units are guessed from
    /// HealthKit's names (`Hz`, `dBHL`): no file with an audiogram was available.
    func append(_ audiogram: Audiogram, _ samples: ReadingSamples, created: Timestamp?, to text: inout TextBuffer) {
        open("Audiogram", .audiogram, of: nil, to: &text)
        appendDates(created: created, samples.time, samples.time, to: &text)
        text.append(">\n")
        append(samples.metadata, indent: "  ", to: &text)
        for point in audiogram.points {
            text.append("  <SensitivityPoint")
            append("frequency", point.frequency, "Hz", to: &text)
            if let left = point.left { append("leftEar", left, "dBHL", to: &text) }
            if let right = point.right { append("rightEar", right, "dBHL", to: &text) }
            text.append("/>\n")
        }
        text.append(" </Audiogram>\n")
    }

    private func append(_ name: String, _ value: Digits, _ unit: String, to text: inout TextBuffer) {
        text.append(string: " \(name)Value=\"")
        text.append(value)
        text.append(string: "\" \(name)Unit=\"\(unit)\"")
    }
}
