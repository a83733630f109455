extension Redaction {
    /// The texts of which no document says what they hold: the answers to the questions for version and serial number.
    static let parNIBP = stream { bytes, side, work in
        guard side == .fromCuff else { return }
        var start = 0
        while start < bytes.count {
            // A frame of the oximeter.
            guard !bytes[start...].starts(with: [0x55, 0xAA, 0x07]) else {
                start += 9
                continue
            }
            let end = bytes[start...].prefix(ParFrame.maximumLength).firstIndex { $0 == 0x03 || $0 == 0xFE }
            guard [0x02, 0xFD].contains(bytes[start]), let end else {
                start += 1
                continue
            }
            let text = (start + 1)..<end
            let isStatus = bytes[text].first == 0x53 && bytes[text].dropFirst(2).first == 0x3B
            if !isStatus, ![3, 7].contains(text.count) { work.blank(&bytes, text, .unknown) }
            start = end + 1
        }
    }
}
