extension Redaction {
    /// The dates of records and of the clock; the answers to the questions for serial number and profile, and to those whose data no
    /// source explains, are cleared. Xor again.
    static let omronHID = Redaction { reports, side, work in
        guard side == .fromCuff else { return }
        var places: [(report: Int, byte: Int)] = []
        for index in reports.indices {
            guard let payload = CountedReports(.wholeByte).payload(of: reports[index]), !payload.isEmpty else { continue }
            places += payload.indices.map { (index, $0) }
            guard places.count <= OmronAnswers.maximumLength else {
                places = []
                continue
            }
            let answer = places.map { reports[$0.report][$0.byte] }
            // A report that is not full ends an answer; the profile's fourteen bytes fill theirs, so that another answer follows.
            guard payload.count < 7 || answer.count == 14 && begins(reports[(index + 1)...]) else { continue }
            if let new = omronAnswer(answer, &work) {
                for (place, byte) in zip(places, new) { reports[place.report][place.byte] = byte }
            }
            places = []
        }
    }

    /// Whether the next report that says something begins an answer (OK, NO, OFF), or there is no next report.
    private static func begins(_ reports: ArraySlice<[UInt8]>) -> Bool {
        for report in reports {
            guard let payload = CountedReports(.wholeByte).payload(of: report), !payload.isEmpty else { continue }
            return [[0x4F, 0x4B], [0x4E, 0x4F], [0x4F, 0x46]].contains { payload.starts(with: $0) }
        }
        return true
    }

    /// `4F 4B 00` data xor, rewritten; the data of a damaged answer are cleared, and it stays damaged. `nil` for an answer without data
    /// and those that may stay.
    private static func omronAnswer(_ answer: [UInt8], _ work: inout Work) -> [UInt8]? {
        guard answer.starts(with: [0x4F, 0x4B]) else {
            if ![[0x4E, 0x4F], Array("OFF\r\n".utf8)].contains(answer) { work.leftBytes += answer.count }
            return nil
        }
        guard answer.count > 4 else { return nil }
        var new = answer
        guard Checksum.xor8(answer.span, 2..<answer.count) == 0 else {
            work.clear(&new, 3..<(new.count - 1), .damaged)
            new[new.count - 1] = Checksum.xor8(new.span, 2..<(new.count - 1)) ^ 1
            return new
        }
        switch answer.count {
        case 10, 15, 16, 17, 18, 19:
            // A version's text has fifteen bytes too, and letters are no months.
            work.shiftBytes(&new, year: 3, month: 4, day: 5)
        case 11, 14: work.clear(&new, 3..<(new.count - 1), .device)
        // Counts.
        case ...8: return nil
        default: work.clear(&new, 3..<(new.count - 1), .unknown)
        }
        new[new.count - 1] = Checksum.xor8(new.span, 2..<(new.count - 1))
        return new
    }
}
