/// HID reports that carry a byte stream: the first byte counts the valid bytes after it; further ones are stale.
package struct CountedReports: Sendable, Hashable {
    /// How the first byte of a report encodes the count.
    package enum Count: Sendable, Hashable {
        /// The whole first byte counts (Omron).
        case wholeByte
        /// The low four bits are the count; the high four vary (the Holtek bridge of Microlife).
        case lowNibble
    }

    /// The usual report size: one count, seven bytes.
    package static let size = 8

    /// The encoding of this device's count.
    package var count: Count
    /// Reports with this encoding of the count.
    package init(_ count: Count) { self.count = count }

    /// The valid bytes of one report; `nil` if it is empty or its count exceeds its length.
    package func payload(of report: [UInt8]) -> ArraySlice<UInt8>? {
        guard let first = report.first else { return nil }
        let valid = Int(count == .wholeByte ? first : first & 0x0F)
        guard valid < report.count else { return nil }
        return report[1..<(1 + valid)]
    }

    /// The frames in the stream that a row of reports carries, as ranges of those reports.
    func find(_ format: some FrameFormat, in bytes: [UInt8]) -> FoundFrames {
        var stream: [UInt8] = []
        var reports: [Int] = []
        for start in stride(from: 0, through: bytes.count - Self.size, by: Self.size) {
            guard let payload = payload(of: bytes.span.part(start, Self.size)) else { continue }
            stream += payload
            reports += [Int](repeating: start, count: payload.count)
        }
        var found = FoundFrames()
        for frame in FrameReader.find(format, in: stream).ranges {
            let (start, end) = (reports[frame.lowerBound], reports[frame.upperBound - 1] + Self.size)
            // The report in which a frame ends and the next one begins belongs to the first.
            let from = max(start, found.ranges.last?.upperBound ?? 0)
            if from < end { found.ranges.append(from..<end) }
        }
        return found
    }

    /// Packs `bytes` into reports of eight bytes, padded with `filler`.
    package func reports(of bytes: [UInt8], filler: UInt8 = 0) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: Self.size - 1).map { start in
            let part = bytes[start..<min(start + Self.size - 1, bytes.count)]
            return [UInt8(part.count)] + part + [UInt8](repeating: filler, count: Self.size - 1 - part.count)
        }
    }
}
