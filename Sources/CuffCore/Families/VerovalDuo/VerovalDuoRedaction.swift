extension Redaction {
    /// The dates of records; the five unknown bytes of each answer and the unknown flag of a record are overwritten. No check.
    static let verovalDuo = stream { bytes, side, work in
        guard side == .fromCuff else { return }
        var offset = 0
        while offset < bytes.count {
            guard bytes[offset] != VerovalDuoAnswer.accepted, bytes[offset] != VerovalDuoAnswer.refused else {
                offset += 1
                continue
            }
            let start = offset + VerovalDuoAnswer.head
            var end = min(start, bytes.count)
            while end < bytes.count, bytes[end] >= 0x20, bytes[end] < 0x7F { end += 1 }
            guard end > start else {
                work.leftBytes += 1
                offset += 1
                continue
            }
            rewriteVerovalDuo(&bytes, head: offset..<start, records: start..<end, &work)
            offset = end
        }
    }

    private static func rewriteVerovalDuo(_ bytes: inout [UInt8], head: Range<Int>, records: Range<Int>, _ work: inout Work) {
        work.clear(&bytes, head, .unknown)
        guard records.count != VerovalDuoAnswer.numberLength else { return }
        for start in stride(from: records.lowerBound, to: records.upperBound, by: VerovalDuoAnswer.recordLength) {
            // The last one may be truncated.
            guard start + 6 <= records.upperBound else { return }
            work.shiftDigits(&bytes, year: start, month: start + 2, day: start + 4)
            if start + 24 <= records.upperBound { work.blank(&bytes, (start + 23)..<(start + 24), .unknown) }
        }
    }
}
