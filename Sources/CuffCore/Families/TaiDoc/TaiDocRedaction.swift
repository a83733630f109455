extension Redaction {
    /// The dates of records and of the clock; the data of answers that `TaiDoc.swift` does not explain (other meters of the maker
    /// answer 27 and 28 with a serial number) are cleared. Sum again.
    static let taiDoc = frames(TaiDocFrame()) { frame, side, work in
        let isAnswer = side == .fromCuff && frame[6] == 0xA5
        switch frame[1] {
        case 0x25 where isAnswer, 0x23 where isAnswer, 0x33: shiftTaiDocDate(&frame, &work)
        case 0x22, 0x24, 0x25, 0x23, 0x26, 0x2B, 0x50, 0x52, 0x54: break
        default: if isAnswer { work.clear(&frame, 2..<6, .device) }
        }
        frame[7] = Checksum.sum8(frame.span, 0..<7)
    }

    private static func shiftTaiDocDate(_ frame: inout [UInt8], _ work: inout Work) {
        let date = Int(frame[2]) | Int(frame[3]) << 8
        let time = DeviceTime(year: 2000 + date >> 9, month: date >> 5 & 15, day: date & 31)
        guard let moved = work.shifted(time, years: 2000...2127) else { return }
        let bytes = TaiDocRecord.bytes(moved)
        frame[2] = bytes[0]
        frame[3] = bytes[1]
    }
}
