extension Redaction {
    /// Times of records and subrecords are shifted, the plug id is cleared. Of the displayed values, documented groups of the basic class
    /// stay: ECG, P1 to P4, NIBP and temperatures. All else is cleared, including waves and alarm texts.
    static let geDRI = escapedFrames(
        GeDRIFrame(), delimiters: [0x7E, 0x7D], decode: { GeDRIFrame.record($0) }, encode: { GeDRIFrame.encode($0) }
    ) { record, side, work in
        shiftUnixTime(&record, at: 6, &work)
        work.clear(&record, 4..<6, .device)
        work.clear(&record, 10..<14, .unknown)
        // A request of a host has no personal data.
        if side == .toCuff, record.count == GeDRIRequest.length { return }
        var kept: [Range<Int>] = []
        for part in GeDRIRecord.displayedValues(in: record.span) {
            shiftUnixTime(&record, at: part.start, &work)
            kept.append(part.start..<(part.start + 4))
            if part.isBasic { kept.append((part.start + 4)..<(part.start + GeDRIRecord.temperaturesEnd)) }
            if !part.isOld { kept.append((part.start + GeDRIRecord.subrecordLength - 2)..<(part.start + GeDRIRecord.subrecordLength)) }
        }
        var next = GeDRIRecord.headerLength
        for range in kept.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if next < range.lowerBound { work.clear(&record, next..<range.lowerBound, .unknown) }
            next = max(next, range.upperBound)
        }
        if next < record.count { work.clear(&record, next..<record.count, .unknown) }
    }

    /// Seconds since 1970 in four bytes, low byte first; 0: not set.
    private static func shiftUnixTime(_ bytes: inout [UInt8], at offset: Int, _ work: inout Work) {
        guard let seconds = bytes.span.littleEndian32(offset), seconds > 0,
            work.shifted(DeviceTime(wallSeconds: Int64(seconds)), years: 1971...2105) != nil,
            let moved = UInt32(exactly: Int64(seconds) + Int64(work.days) * 86400)
        else { return }
        for place in 0..<4 { bytes[offset + place] = UInt8(truncatingIfNeeded: moved >> UInt32(8 * place)) }
    }
}
