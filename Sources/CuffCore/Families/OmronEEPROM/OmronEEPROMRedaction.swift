extension Redaction {
    /// Of each reading of the memory, from one opening to the next: the dates of records and of the clock; the identity, the settings
    /// around the clock, the unknown bits of records and what stands behind a frame in its report are cleared. A record reaches over two
    /// answers, so that the memory is put together first. Xor again.
    static let omronEEPROM = Redaction { reports, side, work in
        guard side == .fromCuff else {
            // Other software may write settings, with the time among them.
            for index in reports.indices { rewriteOmronReport(&reports[index], data: nil, &work) }
            return
        }
        var start = 0
        for index in reports.indices where index > 0 {
            guard case .frame(let frame) = OmronEEPROMFrame.judge(reports[index]), frame.kind == OmronEEPROMFrame.Kind.opened.rawValue
            else { continue }
            rewriteOmronMemory(&reports, start..<index, &work)
            start = index
        }
        rewriteOmronMemory(&reports, start..<reports.count, &work)
    }

    private static func rewriteOmronMemory(_ reports: inout [[UInt8]], _ range: Range<Int>, _ work: inout Work) {
        var memory = OmronEEPROMMemory()
        var touched: Set<Int> = []
        for index in range {
            guard let frame = omronData(reports[index]) else { continue }
            touched.formUnion(memory.store(frame.data, at: frame.address))
        }
        var records: [Int: [UInt8]] = [:]
        for slot in touched.sorted() { records[slot] = memory.record(slot).map { rewritten($0, &work) } }
        for index in range {
            let data = omronData(reports[index]).map { rewritten($0, records, &work) }
            rewriteOmronReport(&reports[index], data: data, &work)
        }
    }

    private static func omronData(_ report: [UInt8]) -> OmronEEPROMFrame? {
        guard case .frame(let frame) = OmronEEPROMFrame.judge(report), frame.kind == OmronEEPROMFrame.Kind.data.rawValue,
            frame.subkind == 0
        else { return nil }
        return frame
    }

    /// The data of an answer: whole records and the clock as they were rewritten, zeros for the rest.
    private static func rewritten(_ frame: OmronEEPROMFrame, _ records: [Int: [UInt8]], _ work: inout Work) -> [UInt8] {
        var data = [UInt8](repeating: 0, count: frame.data.count)
        for index in data.indices {
            let offset = frame.address + index - OmronEEPROMMemory.start
            guard offset >= 0, let record = records[offset / OmronEEPROMMemory.recordLength] else {
                if offset >= 0, offset < OmronEEPROMMemory.slots * OmronEEPROMMemory.recordLength, frame.data[index] != 0 {
                    work.note(.unknown)
                }
                continue
            }
            data[index] = record[offset % OmronEEPROMMemory.recordLength]
        }
        if let time = OmronEEPROMClock.time(frame.data, at: frame.address), let moved = work.shifted(time, years: 2000...2099) {
            let place = OmronEEPROMClock.block - frame.address
            data.replaceSubrange(place..<(place + OmronEEPROMClock.length), with: OmronEEPROMClock.bytes(moved))
        }
        if frame.address < OmronEEPROMMemory.start, data != frame.data { work.note(.unknown) }
        return data
    }

    /// One slot; an empty one stays empty.
    private static func rewritten(_ record: [UInt8], _ work: inout Work) -> [UInt8] {
        var new = record
        guard !OmronEEPROMRecord.isEmpty(record) else { return [UInt8](repeating: 0xFF, count: record.count) }
        let time = OmronEEPROMRecord.reading(record, user: 1)?.clock.time
        if let moved = time.flatMap({ work.shifted($0, years: 2000...2254) }) {
            new[2] = UInt8(clamping: Int(moved.year) - 2000)
            new[4] = record[4] & 0xC0 | moved.month << 2 | moved.day >> 3
            new[5] = moved.day << 5 | record[5] & 0x1F
        }
        new[6] &= 0x0F
        for index in 8..<new.count { new[index] = 0 }
        if new[6...] != record[6...] { work.note(.unknown) }
        return new
    }

    /// A report with other data of the same length; without any, its data are cleared. A damaged one stays damaged and loses what it
    /// holds.
    private static func rewriteOmronReport(_ report: inout [UInt8], data: [UInt8]?, _ work: inout Work) {
        switch OmronEEPROMFrame.judge(report) {
        case .frame(let frame):
            let end = 1 + Int(report[1])
            if let data, data.count == frame.data.count {
                report.replaceSubrange(7..<(7 + data.count), with: data)
            } else {
                work.clear(&report, 7..<max(7, end - 2), frame.kind == OmronEEPROMFrame.Kind.opened.rawValue ? .device : .unknown)
            }
            report[end - 1] = Checksum.xor8(report.span, 1..<(end - 1))
            work.clear(&report, end..<report.count, .unknown)
        case .damaged:
            guard report.count > 2 else { return }
            work.clear(&report, 2..<report.count, .damaged)
            let length = Int(report[1])
            guard length >= OmronEEPROMFrame.bareLength, length < report.count else { return }
            report[length] = report[1] ^ 1
        }
    }
}
