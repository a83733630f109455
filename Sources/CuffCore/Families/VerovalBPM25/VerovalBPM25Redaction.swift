extension Redaction {
    /// The dates of records; the two bytes before the number of records and the unknown, unverified check are cleared.
    static let verovalBPM25 = stream { bytes, side, work in
        guard side == .fromCuff else { return }
        var offset = 0
        // An answer without records is recognised only by its place.
        var isStart = true
        while offset < bytes.count {
            let count = bytes.span.byte(offset + 2).map { Int($0) } ?? 0
            let end = offset + VerovalBPM25Answer.head + count * VerovalBPM25Answer.recordLength + 1
            let isAnswer =
                end <= bytes.count && (count > 0 || isStart) && VerovalBPM25Answer.readings(bytes.span.extracting(offset..<end)) != nil
            if isAnswer {
                work.clear(&bytes, offset..<(offset + 2), .unknown)
                let first = offset + VerovalBPM25Answer.head
                for start in stride(from: first, to: end - 1, by: VerovalBPM25Answer.recordLength) {
                    shiftVerovalDate(&bytes, start, &work)
                }
                work.clear(&bytes, (end - 1)..<end, .unknown)
                (offset, isStart) = (end, true)
            } else if let time = verovalRecordTime(bytes, offset), time.isPossible {
                shiftVerovalDate(&bytes, offset, &work)
                offset += VerovalBPM25Answer.recordLength
            } else {
                work.leftBytes += 1
                (offset, isStart) = (offset + 1, false)
            }
        }
    }

    private static func verovalRecordTime(_ bytes: [UInt8], _ start: Int) -> DeviceTime? {
        let end = start + VerovalBPM25Answer.recordLength
        guard end <= bytes.count else { return nil }
        return VerovalBPM25Answer.reading(bytes.span.extracting(start..<end))?.clock.time
    }

    private static func shiftVerovalDate(_ bytes: inout [UInt8], _ start: Int, _ work: inout Work) {
        guard let time = verovalRecordTime(bytes, start), let moved = work.shifted(time, years: 2000...2099) else { return }
        bytes[start + 8] = moved.month
        bytes[start + 9] = moved.day
        bytes[start + 10] = UInt8(truncatingIfNeeded: Int(moved.year) >> 8)
        bytes[start + 11] = UInt8(truncatingIfNeeded: Int(moved.year))
    }
}
