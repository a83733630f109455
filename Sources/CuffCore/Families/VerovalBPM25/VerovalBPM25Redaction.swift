extension Redaction {
    /// The dates of records; the two bytes before the number of records and the unknown, unverified check are cleared.
    static let verovalBPM25 = stream { bytes, side, work in
        guard side == .fromCuff else { return }
        var offset = 0
        // An answer without records is recognised only by its place.
        var isStart = true
        while offset < bytes.count {
            if let records = VerovalBPM25Answer.readings(bytes, at: offset)?.count, isStart || records > 0 {
                let end = offset + VerovalBPM25Answer.length(records)
                work.clear(&bytes, offset..<(offset + 2), .unknown)
                for start in stride(from: offset + VerovalBPM25Answer.head, to: end - 1, by: VerovalBPM25Answer.recordLength) {
                    _ = shiftVerovalDate(&bytes, start, &work)
                }
                work.clear(&bytes, (end - 1)..<end, .unknown)
                (offset, isStart) = (end, true)
            } else if shiftVerovalDate(&bytes, offset, &work) {
                offset += VerovalBPM25Answer.recordLength
            } else {
                work.leftBytes += 1
                (offset, isStart) = (offset + 1, false)
            }
        }
    }

    /// Whether a record with a possible date begins at `start`; its date is shifted.
    private static func shiftVerovalDate(_ bytes: inout [UInt8], _ start: Int, _ work: inout Work) -> Bool {
        let record = bytes.span.part(start, VerovalBPM25Answer.recordLength)
        guard let time = VerovalBPM25Answer.reading(record.span)?.clock.time else { return false }
        if let moved = work.shifted(time, years: 2000...2099) {
            bytes.replaceSubrange((start + 8)..<(start + 12), with: [moved.month, moved.day] + [UInt8](bigEndian: [Int(moved.year)]))
        }
        return true
    }
}
