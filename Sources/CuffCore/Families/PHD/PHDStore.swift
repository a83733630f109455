/// One segment of an agent's PM-store: how its entries are laid out, and how far its transfer came.
///
/// Entry map:  u16 header bits (8000 absolute, 4000 relative, 2000 high resolution, 1000 base offset), then a list of
///             { u16 class, TYPE, u16 handle, AttrValMap }. An entry is the header's stamps in that order, then every
///             element's values in map order; no lengths, no handles.
struct PHDSegment: Sendable {
    enum Progress: Sendable, Hashable { case waiting, transferring, complete, empty, failed, cleared }

    var instance: UInt16
    var header: UInt16 = 0
    var elements: [PHDConfiguration.Object] = []
    var items: [PHDConfiguration.MapItem] = []
    var person: UInt16?
    var usage: UInt32?
    /// Ticks of 125 µs.
    var transferTimeout: UInt32?
    /// An entry map this program can cut entries with.
    var isDecodable = false
    /// Bytes of one entry, as the map gives them.
    private(set) var entrySize = 0

    var progress = Progress.waiting
    var next: UInt32 = 0
    var tries = 0

    init(instance: UInt16) { self.instance = instance }

    static let knownHeader: UInt16 = 0xF000
    /// Segments of one store: an NovoPen and an Accu-Chek have one, a cuff one for each person. Policy, far above these.
    static let ceiling = 1024

    private var sizeOfEntry: Int {
        var size = 0
        if header & 0x8000 != 0 { size += 8 }
        if header & 0x4000 != 0 { size += 4 }
        if header & 0x2000 != 0 { size += 8 }
        if header & 0x1000 != 0 { size += 8 }
        for item in items { size += Int(item.length) }
        return size
    }

    /// Reads the answer to SEG_GET_INFO: a list of instance and attributes; `nil` when lengths disagree.
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
            guard let map = PHDList.open(bytes, &offset, end), map.count * 4 == map.end - offset,
                map.count <= PHDConfiguration.mapCeiling
            else { return false }
            var object = PHDConfiguration.Object(handle: handle, objectClass: objectClass)
            if let index = configuration.index(of: handle) { object = configuration.objects[index] }
            object.objectClass = objectClass
            object.partition = partition
            object.term = term
            object.role = PHDConfiguration.role(object)
            let first = items.count
            while offset < map.end {
                guard let attribute = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2) else { return false }
                items.append(PHDConfiguration.MapItem(attribute: attribute, length: length))
                offset += 4
            }
            object.map = first..<items.count
            elements.append(object)
        }
        entrySize = sizeOfEntry
        return entrySize > 0
    }

    /// Appends the observations of the entry at `offset`; `false` when the entry contradicts its map.
    func read(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard offset + entrySize <= end else { return false }
        var stamp = PHDStamp.none
        let start = offset
        // The calendar stamp counts where there are several; relative ones only where there is no other.
        for (bit, size, kind) in Self.stamps where header & bit != 0 {
            let high = bytes.bigEndian32(offset) ?? 0
            let bits = size == 8 ? UInt64(high) << 32 | UInt64(bytes.bigEndian32(offset + 4) ?? 0) : UInt64(high)
            if stamp.clock == .absent { stamp = PHDStamp(kind: kind, bits: bits) }
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
            observations.append(observation)
        }
        return true
    }

    private static let stamps: [(UInt16, Int, PHDStamp.Kind)] = [
        (0x8000, 8, .absolute), (0x4000, 4, .relative), (0x2000, 8, .highResolution), (0x1000, 8, .baseOffset),
    ]
}

/// A PM-store as this association knows it.
struct PHDStoreState: Sendable {
    enum Progress: Sendable, Hashable { case unknown, described, listed, failed }

    var handle: UInt16
    var capability: UInt16?
    var clearTimeout: UInt32?
    var progress = Progress.unknown
    var segments: [PHDSegment] = []
    /// How often the segments were listed again because readings were added while they were being transferred.
    var rounds = 0
    var isVerified = false
    var isCleared = false
    /// What the SEG_CLR under way names.
    var clearing: [UInt16] = []

    init(_ store: PHDConfiguration.Store) {
        handle = store.handle
        capability = store.capability
        clearTimeout = store.clearTimeout
    }

    var clearsByList: Bool { (capability ?? 0) & 0x0100 != 0 }

    /// The next segment to fetch; `user` restricts to segments of that person.
    func nextWaiting(user: Int?) -> Int? {
        segments.firstIndex { segment in
            guard segment.progress == .waiting, segment.isDecodable else { return false }
            guard let user, let person = segment.person else { return true }
            return Int(person) == user
        }
    }
}

/// What an agent's MDS tells about itself.
struct PHDDeviceFacts: Sendable {
    var identity = DeviceIdentity()
    var clock: DeviceTime?
    /// Mds-Time-Info's capabilities; `nil` where it sent none.
    var timeCapability: UInt16?
    /// It tells its time, or says that it keeps it, as base and offset.
    var hasBaseOffsetTime = false

    /// Nothing is known yet.
    init(device: String) { identity.id = device }

    /// Takes what changed.
    mutating func update(_ other: PHDDeviceFacts) {
        identity.manufacturer = other.identity.manufacturer ?? identity.manufacturer
        identity.model = other.identity.model ?? identity.model
        identity.serial = other.identity.serial ?? identity.serial
        identity.firmware = other.identity.firmware ?? identity.firmware
        identity.battery = other.identity.battery ?? identity.battery
        clock = other.clock ?? clock
        timeCapability = other.timeCapability ?? timeCapability
        hasBaseOffsetTime = hasBaseOffsetTime || other.hasBaseOffsetTime
    }

    /// Reads the answer to GET MDS. Empty and zero entries say nothing (Antidote's agent sends seventeen of them).
    init?(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, device: String) {
        identity.id = device
        var offset = start
        let isRead = PHDList.attributes(bytes, &offset, end) { id, at, length in
            switch id {
            case PHDAttribute.systemModel: readModel(bytes, at, at + length)
            case PHDAttribute.productionSpecification: readProduction(bytes, at, at + length)
            case PHDAttribute.dateAndTime where length == 8: readClock(.absolute, bytes, at)
            case PHDAttribute.baseOffsetNow where length == 8:
                hasBaseOffsetTime = true
                readClock(.baseOffset, bytes, at)
            case PHDAttribute.timeInfo where length >= 2:
                timeCapability = bytes.bigEndian16(at)
                if (timeCapability ?? 0) & PHDTimeCapability.baseOffset != 0 { hasBaseOffsetTime = true }
            case PHDAttribute.battery where length == 2:
                if let percent = bytes.bigEndian16(at), percent > 0, percent <= 100 { identity.battery = Int(percent) }
            default: break
            }
            return true
        }
        guard isRead else { return nil }
    }

    private static func text(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) -> String? {
        guard let length = bytes.bigEndian16(offset), offset + 2 + Int(length) <= end else { return nil }
        // A longer name is not used: 128 is twice the longest of any agent in the sources.
        let text = DeviceIdentity.text(bytes.part(offset + 2, min(Int(length), 128)))
        offset += 2 + Int(length)
        return text.isEmpty ? nil : text
    }

    private mutating func readModel(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        var offset = start
        identity.manufacturer = Self.text(bytes, &offset, end)
        identity.model = Self.text(bytes, &offset, end)
    }

    private mutating func readProduction(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end) else { return }
        for _ in 0..<list.count {
            guard let kind = bytes.bigEndian16(offset), offset + 6 <= end else { return }
            offset += 4
            let text = Self.text(bytes, &offset, end)
            if kind == 1 { identity.serial = text }
            if kind == 5 { identity.firmware = text }
        }
    }

    private mutating func readClock(_ kind: PHDStamp.Kind, _ bytes: Span<UInt8>, _ offset: Int) {
        guard let high = bytes.bigEndian32(offset), let low = bytes.bigEndian32(offset + 4) else { return }
        if case .time(let time) = PHDStamp(kind: kind, bits: UInt64(high) << 32 | UInt64(low)).clock { clock = time }
    }
}
