extension Redaction {
    /// System ids (except the maker's three bytes), serial numbers and other names of the production specification, AbsoluteTime anywhere,
    /// the base-offset time of the clock. Found by their form, so that those within damaged APDUs and unknown attributes are included.
    /// Stamps of observations are located by the agent's configuration. APDUs have no check.
    static let phd = stream { bytes, side, work in
        // The example id of many stacks identifies no manager; keeping it keeps the conversation theirs.
        let ids = systemIDs(bytes).filter { side == .fromCuff || $0 != PHDOptions.exampleManager }
        for (number, id) in ids.enumerated() {
            let new = Array(id[..<3]) + [0, 0, 0, 0, UInt8(clamping: number + 1)]
            if id != new { work.replace(id, with: new, in: &bytes, .device) }
        }
        let stamps = stampsOfObservations(bytes)
        blankLabels(&bytes, &work)
        blankProduction(&bytes, &work)
        shiftClocks(&bytes, &work)
        for stamp in stamps {
            if stamp.kind == .absolute {
                shiftAbsolute(&bytes, at: stamp.place, &work)
            } else {
                shiftBaseOffset(&bytes, at: stamp.place, &work)
            }
        }
        shiftOtherStamps(&bytes, besides: stamps.map(\.place), &work)
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

    /// `092D len count len'` and so many times `type component length text`; the versions of hardware, software, firmware and protocol
    /// (3…6) and the group code (7) stay.
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

    /// `id len size text` of the labels, which a user may have written.
    private static func blankLabels(_ bytes: inout [UInt8], _ work: inout Work) {
        var start = 0
        while start + 6 <= bytes.count {
            let before = bytes
            let text = before.span
            guard let id = text.bigEndian16(start), PHDAttribute.labels.contains(id), let length = text.bigEndian16(start + 2),
                let size = text.bigEndian16(start + 4), [Int(size) + 2, Int(size) + 3].contains(Int(length)),
                start + 6 + Int(size) <= bytes.count
            else {
                start += 1
                continue
            }
            work.blank(&bytes, (start + 6)..<(start + 6 + Int(size)), .person)
            start += 6 + Int(size)
        }
    }

    /// `0A81 0008` seconds since 1900, of a time after 1970: within a map of attributes the same numbers mean something else.
    private static func shiftClocks(_ bytes: inout [UInt8], _ work: inout Work) {
        guard bytes.count >= 12 else { return }
        for start in 0...(bytes.count - 12) {
            let before = bytes
            let text = before.span
            guard text.bigEndian16(start) == PHDAttribute.baseOffsetNow, text.bigEndian16(start + 2) == 8 else { continue }
            shiftBaseOffset(&bytes, at: start + 4, &work)
        }
    }

    private static func shiftBaseOffset(_ bytes: inout [UInt8], at place: Int, _ work: inout Work) {
        guard let seconds = bytes.span.bigEndian32(place), Int64(seconds) > PHDStamp.secondsFrom1900To1970,
            let time = PHDStamp(.baseOffset, bytes.span, place).clock.time,
            work.shifted(time, years: 1901...2035) != nil, let moved = UInt32(exactly: Int64(seconds) + Int64(work.days) * 86400)
        else { return }
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: moved >> UInt32(24 - 8 * byte)) }
    }

    private struct Stamp {
        var place: Int
        var kind: PHDStamp.Kind
    }

    /// The stamps of the reports, located by the configuration that the agent named or sent before; not those of a store's entries.
    private static func stampsOfObservations(_ bytes: [UInt8]) -> [Stamp] {
        var stamps: [Stamp] = []
        var configuration = PHDConfiguration()
        var start = 0
        while start < bytes.count {
            let rest = bytes.span.extracting(start..<min(bytes.count, start + PHDFrame.maximumLength))
            guard case .frame(let length) = PHDFrame().verdict(on: rest), length > 0, length <= rest.count else {
                start += 1
                continue
            }
            let found = stampsOfObservations(rest.extracting(0..<length), &configuration)
            stamps += found.map { Stamp(place: start + $0.place, kind: $0.kind) }
            start += length
        }
        return stamps
    }

    private static func stampsOfObservations(_ apdu: Span<UInt8>, _ configuration: inout PHDConfiguration) -> [Stamp] {
        if case .success(let request) = PHDAssociationRequest.read(apdu), apdu.bigEndian16(0) == PHDChoice.associationRequest {
            configuration = PHDStandardConfiguration.configuration(request.configurationID) ?? PHDConfiguration()
        }
        guard apdu.bigEndian16(0) == PHDChoice.presentation, apdu.count > 26, let handle = apdu.bigEndian16(12),
            let event = apdu.bigEndian16(18), [PHDMessage.eventReport, PHDMessage.confirmedEventReport].contains(apdu.bigEndian16(8))
        else { return [] }
        if event == PHDEvent.configuration {
            configuration = PHDConfiguration(apdu.extracting(24..<apdu.count)) ?? configuration
            return []
        }
        var observations: [PHDObservation] = []
        let scanner = configuration.scanners.firstIndex { $0.handle == handle }
        guard let shape = PHDEvent.shape(event),
            PHDReport.read(shape, configuration, scanner: scanner, apdu, 26, apdu.count, into: &observations)
        else { return [] }
        return observations.filter { $0.stamp.kind == .absolute || $0.stamp.kind == .baseOffset }
            .map { Stamp(place: $0.stampPlaces.lowerBound, kind: $0.stamp.kind) }
    }

    private static func shiftAbsolute(_ bytes: inout [UInt8], at place: Int, _ work: inout Work) {
        guard let time = PHDStamp(.absolute, bytes.span, place).clock.time, let moved = work.shifted(time, years: 2000...2099) else {
            return
        }
        bytes.replaceSubrange(place..<(place + 8), with: PHDStamp.bytes(absolute: moved))
    }

    /// Eight such bytes of this century elsewhere: the clock, the beginnings of segments, entries of a store, damaged reports.
    private static func shiftOtherStamps(_ bytes: inout [UInt8], besides known: [Int], _ work: inout Work) {
        var isKnown = [Bool](repeating: false, count: bytes.count)
        for place in known { for offset in place..<min(place + 8, bytes.count) { isKnown[offset] = true } }
        var start = 0
        while start + 8 <= bytes.count {
            guard bytes[start] == 0x20, !isKnown[start], !isKnown[start + 7], PHDStamp(.absolute, bytes.span, start).clock.time != nil
            else {
                start += 1
                continue
            }
            shiftAbsolute(&bytes, at: start, &work)
            start += 8
        }
    }
}

extension Redaction.Work {
    fileprivate mutating func replace(_ old: [UInt8], with new: [UInt8], in bytes: inout [UInt8], _ kind: Redaction.Kind) {
        guard old.count == new.count, !old.isEmpty, bytes.count >= old.count else { return }
        for start in 0...(bytes.count - old.count) where bytes[start..<(start + old.count)].elementsEqual(old) {
            bytes.replaceSubrange(start..<(start + old.count), with: new)
            note(kind)
        }
    }
}
