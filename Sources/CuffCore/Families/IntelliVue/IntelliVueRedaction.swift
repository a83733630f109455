extension Redaction {
    /// In answers to polls, values and types stay and times are shifted; all other attributes are cleared, including patient, bed and
    /// monitor. So are the monitor's description, and messages other than polls, their answers and the end of an association.
    static let intelliVue = escapedFrames(
        IntelliVueFrame(), delimiters: [0xC0, 0xC1, 0x7D], decode: { IntelliVueFrame.user($0) }, encode: { IntelliVueFrame.encode($0) }
    ) { user, side, work in
        switch user.first {
        case 0xE1?: redactIntelliVueExport(&user, &work)
        // The association's bytes are the same for every host, except for sizes and times.
        case IntelliVueAssociation.requestKind? where side == .toCuff: break
        case IntelliVueAssociation.releaseKind?, IntelliVueAssociation.releasedKind?: break
        default: work.clear(&user, 2..<max(2, user.count), .unknown)
        }
    }

    /// Kind 1 invokes, 2 and linked ones are results. Of other messages only the head stays.
    private static func redactIntelliVueExport(_ user: inout [UInt8], _ work: inout Work) {
        var kept = 8
        switch IntelliVueMessage(user.span) {
        case .poll(let poll):
            return redactIntelliVuePoll(&user, at: poll.part == .whole ? 8 : 10, &work)
        case .created: kept = 28
        default:
            let bytes = user.span
            // A poll; or the answer to the monitor's description, which repeats object and time.
            if bytes.bigEndian16(4) == 1, bytes.bigEndian16(10) == 7, [0x0C16, 0xF13B].contains(bytes.bigEndian16(24)) { return }
            if bytes.bigEndian16(4) == 2, bytes.bigEndian16(10) == 1 { kept = 28 }
        }
        work.clear(&user, kept..<max(kept, user.count), .unknown)
    }

    private static func redactIntelliVuePoll(_ user: inout [UInt8], at start: Int, _ work: inout Work) {
        guard let offset = IntelliVuePoll.listsOffset(action: user.span.bigEndian16(start + 12)) else { return }
        let lists = start + offset
        shiftIntelliVueTime(&user, at: lists - 14, &work)
        var attributes: [(id: UInt16, range: Range<Int>)] = []
        _ = IntelliVuePoll.walk(user.span, from: lists) {
            attributes.append(($0, $1))
            return true
        }
        for (id, range) in attributes {
            switch id {
            case 0x0950, 0x094B, 0x092F: break
            case 0x0990 where range.count == 8: shiftIntelliVueTime(&user, at: range.lowerBound, &work)
            default: work.clear(&user, range, .unknown)
            }
        }
    }

    /// Century, year, month and day of eight bytes of BCD.
    private static func shiftIntelliVueTime(_ bytes: inout [UInt8], at offset: Int, _ work: inout Work) {
        guard let time = IntelliVueObject.time(bytes.span, at: offset)?.time, let moved = work.shifted(time, years: 1...9999) else {
            return
        }
        bytes.replaceSubrange(offset..<(offset + 4), with: moved.bcd.prefix(4))
    }
}
