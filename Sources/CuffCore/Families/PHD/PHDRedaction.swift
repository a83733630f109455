extension Redaction {
    /// System ids (the maker's three bytes stay), serial numbers and other names of the production specification, AbsoluteTime
    /// wherever it stands, the base-offset time of the clock. They are looked for by their form and not by their place, so that those
    /// within damaged APDUs and unknown attributes are found too. There is no check over an APDU.
    static let phd = stream { bytes, _, work in
        let ids = systemIDs(bytes)
        for (number, id) in ids.enumerated() {
            let new = Array(id[..<3]) + [0, 0, 0, 0, UInt8(clamping: number + 1)]
            if id != new { work.replace(id, with: new, in: &bytes, .device) }
        }
        blankProduction(&bytes, &work)
        shiftClocks(&bytes, &work)
        shiftStamps(&bytes, &work)
    }

    /// Behind the system type of an agent or manager, and in the attribute System-Id.
    private static func systemIDs(_ bytes: [UInt8]) -> [[UInt8]] {
        let heads: [[UInt8]] = [[0, 0x80, 0, 0, 0, 8], [0x80, 0, 0, 0, 0, 8], [0x09, 0x84, 0, 0x0A, 0, 8]]
        var found: [[UInt8]] = []
        guard bytes.count >= 14 else { return [] }
        for start in 0...(bytes.count - 14) where heads.contains(where: { $0.elementsEqual(bytes[start..<(start + 6)]) }) {
            let id = Array(bytes[(start + 6)..<(start + 14)])
            if !found.contains(id), id.contains(where: { $0 != 0 }) { found.append(id) }
        }
        return found
    }

    /// `092D len count len'` and so many times `type component length text`; the versions of hardware, software, firmware and
    /// protocol (3…6) and the group code (7) stay.
    private static func blankProduction(_ bytes: inout [UInt8], _ work: inout Work) {
        var start = 0
        while start + 8 <= bytes.count {
            let before = bytes
            let text = before.span
            guard text.bigEndian16(start) == PHDAttribute.productionSpecification, let length = text.bigEndian16(start + 2),
                let count = text.bigEndian16(start + 4), let inner = text.bigEndian16(start + 6), Int(length) == Int(inner) + 4,
                start + 4 + Int(length) <= bytes.count
            else {
                start += 1
                continue
            }
            let end = start + 4 + Int(length)
            var offset = start + 8
            for _ in 0..<count {
                guard let type = text.bigEndian16(offset), let size = text.bigEndian16(offset + 4),
                    offset + 6 + Int(size) <= end
                else { break }
                if !(3...7).contains(type) { work.blank(&bytes, (offset + 6)..<(offset + 6 + Int(size)), .device) }
                offset += 6 + Int(size)
            }
            start = end
        }
    }

    /// `0A81 0008` seconds since 1900, of a time after 1970: the same numbers within a map of attributes are none. A base-offset stamp
    /// of an observation stands without its name, and is not looked for; a recording with such stamps fails its check.
    private static func shiftClocks(_ bytes: inout [UInt8], _ work: inout Work) {
        guard bytes.count >= 12 else { return }
        for start in 0...(bytes.count - 12) {
            let before = bytes
            let text = before.span
            guard text.bigEndian16(start) == PHDAttribute.baseOffsetNow, text.bigEndian16(start + 2) == 8,
                let seconds = text.bigEndian32(start + 4), Int64(seconds) > PHDStamp.secondsFrom1900To1970,
                let time = PHDStamp(.baseOffset, text, start + 4).clock.time,
                work.shifted(time, years: 1901...2035) != nil, let moved = UInt32(exactly: Int64(seconds) + Int64(work.days) * 86400)
            else { continue }
            for place in 0..<4 { bytes[start + 4 + place] = UInt8(truncatingIfNeeded: moved >> UInt32(24 - 8 * place)) }
        }
    }

    /// Eight BCD bytes that name a time of this century.
    private static func shiftStamps(_ bytes: inout [UInt8], _ work: inout Work) {
        var start = 0
        while start + 8 <= bytes.count {
            guard bytes[start] == 0x20, let time = PHDStamp(.absolute, bytes.span, start).clock.time else {
                start += 1
                continue
            }
            if let moved = work.shifted(time, years: 2000...2099) {
                bytes.replaceSubrange(start..<(start + 8), with: PHDStamp.bytes(absolute: moved))
            }
            start += 8
        }
    }
}

extension Redaction.Work {
    /// Writes `new`, which is as long, over every `old`.
    fileprivate mutating func replace(_ old: [UInt8], with new: [UInt8], in bytes: inout [UInt8], _ kind: Redaction.Kind) {
        guard old.count == new.count, !old.isEmpty, bytes.count >= old.count else { return }
        for start in 0...(bytes.count - old.count) where bytes[start..<(start + old.count)].elementsEqual(old) {
            bytes.replaceSubrange(start..<(start + old.count), with: new)
            note(kind)
        }
    }
}
