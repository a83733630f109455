/// One segment of an agent's PM-store: its layout and the state of its transfer.
/// Entry map:  u16 header bits (8000 absolute, 4000 relative, 2000 high resolution, 1000 base offset), then a list of
///             { u16 class, TYPE, u16 handle, AttrValMap }. An entry is the header's stamps in that order, then every
///             element's values in map order; no lengths, no handles.
struct PHDSegment: Sendable {
    enum Progress: Sendable, Hashable { case waiting, transferring, complete, empty, failed, cleared }

    /// The handle of its store.
    private(set) var store: UInt16 = 0
    var instance: UInt16
    var header: UInt16 = 0
    var elements: [PHDConfiguration.Object] = []
    var items: [PHDConfiguration.MapItem] = []
    var person: UInt16?
    var usage: UInt32?
    /// Ticks of 125 µs.
    var transferTimeout: UInt32?
    /// Ticks of 125 µs between entries, and the time of the first; the store's if the segment has none.
    var samplePeriod: UInt32?
    var start = PHDStamp.none
    var isDecodable = false
    private(set) var entrySize = 0

    var progress = Progress.waiting
    var next: UInt32 = 0
    var tries = 0
    /// The announced number of entries came; otherwise it must not be cleared (docs/PHD.md §8.4).
    var isWhole = false
    /// An element of an entry became no reading: it must not be cleared either.
    var lacksReadings = false

    init(instance: UInt16) { self.instance = instance }

    static let knownHeader: UInt16 = 0xF000
    /// Segments of one store: a NovoPen and an Accu-Chek have one, a cuff one for each person. Policy, far above these.
    static let ceiling = 1024

    /// Parses the answer to SEG_GET_INFO: a list of instance and attributes; `nil` if lengths disagree.
    static func list(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ configuration: borrowing PHDConfiguration
    ) -> [PHDSegment]? {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end), list.end == end, list.count <= ceiling else { return nil }
        var segments: [PHDSegment] = []
        for _ in 0..<list.count {
            guard let instance = bytes.bigEndian16(offset) else { return nil }
            offset += 2
            var segment = PHDSegment(instance: instance)
            var map: Range<Int>?
            let isRead = PHDList.attributes(bytes, &offset, end) { id, at, length in
                switch id {
                case PHDAttribute.entryMap: map = at..<(at + length)
                case PHDAttribute.personID: segment.person = length == 2 ? bytes.bigEndian16(at) : nil
                case PHDAttribute.segmentUsageCount: segment.usage = length == 4 ? bytes.bigEndian32(at) : nil
                case PHDAttribute.transferTimeout: segment.transferTimeout = length == 4 ? bytes.bigEndian32(at) : nil
                case PHDAttribute.samplePeriod: segment.samplePeriod = length == 4 ? bytes.bigEndian32(at) : nil
                case PHDAttribute.segmentStart where length == 8: segment.start = PHDStamp(.absolute, bytes, at)
                case PHDAttribute.segmentStartBaseOffset where length == 8: segment.start = PHDStamp(.baseOffset, bytes, at)
                default: break
                }
                return true
            }
            guard isRead else { return nil }
            if let map { segment.isDecodable = segment.readEntryMap(bytes, map.lowerBound, map.upperBound, configuration) }
            segments.append(segment)
        }
        return offset == end ? segments : nil
    }

    private mutating func readEntryMap(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ configuration: borrowing PHDConfiguration
    ) -> Bool {
        guard let header = bytes.bigEndian16(start), header & ~Self.knownHeader == 0 else { return false }
        self.header = header
        var offset = start + 2
        guard let list = PHDList.open(bytes, &offset, end), list.end == end, list.count <= PHDConfiguration.ceiling else { return false }
        for _ in 0..<list.count {
            guard let objectClass = bytes.bigEndian16(offset), let partition = bytes.bigEndian16(offset + 2),
                let term = bytes.bigEndian16(offset + 4), let handle = bytes.bigEndian16(offset + 6)
            else { return false }
            offset += 8
            guard let map = PHDConfiguration.readMap(bytes, &offset, end, into: &items) else { return false }
            var object = PHDConfiguration.Object(handle: handle, objectClass: objectClass)
            if let index = configuration.index(of: handle) { object = configuration.objects[index] }
            object.objectClass = objectClass
            object.partition = partition
            object.term = term
            object.role = PHDConfiguration.role(object)
            object.map = map
            elements.append(object)
        }
        entrySize = items.reduce(Self.stamps.reduce(0) { header & $1.0 != 0 ? $0 + $1.1 : $0 }) { $0 + Int($1.length) }
        return entrySize > 0
    }

    /// The observations of a segment data event, whose entries begin at 36; `nil` if they contradict the map.
    func read(_ apdu: Span<UInt8>, from index: UInt32, _ count: UInt32) -> [PHDObservation]? {
        var observations: [PHDObservation] = []
        var offset = 36
        for number in 0..<count {
            guard read(apdu, &offset, apdu.count, number: index &+ number, into: &observations) else { return nil }
        }
        return observations
    }

    /// Appends the observations of the entry at `offset`, with its number in the segment; `false` if it contradicts its map.
    func read(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, number: UInt32 = 0, into observations: inout [PHDObservation]
    ) -> Bool {
        guard offset + entrySize <= end else { return false }
        var stamp = isPeriodic ? PHDStamp(start, plus: UInt64(number) * UInt64(samplePeriod ?? 0)) : .none
        let start = offset
        for (bit, size, kind) in Self.stamps where header & bit != 0 {
            let next = PHDStamp(kind, bytes, offset)
            if next.isPreferred(to: stamp) { stamp = next }
            offset += size
        }
        let stampBytes = start..<offset
        for (index, element) in elements.enumerated() {
            let first = offset
            var observation = PHDObservation(handle: element.handle, object: index, person: person)
            observation.stamp = stamp
            observation.lacksHandle = true
            guard observation.cut(items, element.map, bytes, &offset, end), !observation.isCut else { return false }
            observation.raw = first..<offset
            observation.stampBytes = stampBytes
            // Only its place distinguishes it from an equal entry, and its number is unique only within the segment.
            if !stamp.isMatchable { observation.segment = (store, instance) }
            observations.append(observation)
        }
        return true
    }

    /// Entries without their own stamp are one period apart: docs/PHD.md §8, attributes 098D, 0992 and 0A83.
    private(set) var isPeriodic = false

    /// Copies the store's handle and capability, and its period if the segment has none.
    mutating func complete(_ store: PHDStoreState) {
        self.store = store.handle
        if samplePeriod == nil { samplePeriod = store.samplePeriod }
        guard let samplePeriod, samplePeriod > 0, samplePeriod < UInt32.max, header == 0,
            (store.capability ?? 0) & PHDStoreCapability.periodicEntries != 0, start.clock.time != nil
        else { return }
        isPeriodic = true
    }

    private static let stamps: [(UInt16, Int, PHDStamp.Kind)] = [
        (0x8000, 8, .absolute), (0x4000, 4, .relative), (0x2000, 8, .highResolution), (0x1000, 8, .baseOffset),
    ]
}
