extension Redaction {
    /// Month, day and year of every record `AC s d p M D h m Y`, without their upper bits. There is no check.
    static let beurerSerial = stream { bytes, side, work in
        guard side == .fromCuff else { return }
        var start = 0
        while start + 9 <= bytes.count {
            guard BeurerSerialSession.reading(bytes.span.extracting(start..<(start + 9)))?.clock.time != nil else {
                start += 1
                continue
            }
            work.shiftBytes(
                &bytes, year: start + 8, month: start + 4, day: start + 5, hour: start + 6, minute: start + 7, lastYear: 2127,
                bits: (0x7F, 0x0F, 0x1F))
            start += 9
        }
    }
}
