extension Redaction {
    /// Month, day and year of every record `AC s d p M D h m Y`, without their upper bits. There is no check.
    static let beurerSerial = stream { bytes, side, work in
        guard side == .fromCuff else { return }
        var start = 0
        while start + 9 <= bytes.count {
            let (month, day, year) = (bytes[start + 4], bytes[start + 5], bytes[start + 8])
            let time = DeviceTime(
                year: 2000 + Int(year & 0x7F), month: Int(month & 0x0F), day: Int(day & 0x1F), hour: Int(bytes[start + 6]),
                minute: Int(bytes[start + 7]))
            guard bytes[start] == 0xAC, time.isPossible else {
                start += 1
                continue
            }
            if let moved = work.shifted(time, years: 2000...2127) {
                bytes[start + 4] = month & 0xF0 | moved.month
                bytes[start + 5] = day & 0xE0 | moved.day
                bytes[start + 8] = year & 0x80 | UInt8(clamping: Int(moved.year) - 2000)
            }
            start += 9
        }
    }
}
