/// The objects of an agent's configuration, needed to decode fixed reports. Maps and metric lists are in two shared arrays, so that an
/// object is a plain value and decoding copies nothing.
struct PHDConfiguration: Sendable {
    /// More objects than any known agent has (an Accu-Chek has six); a longer list is refused.
    static let ceiling = 256

    /// The longest map of any agent in the sources has four attributes. They may have length zero, so that a report is no limit.
    static let mapCeiling = 64

    struct MapItem: Sendable, Hashable {
        var attribute: UInt16
        var length: UInt16
    }

    enum Role: UInt8, Sendable {
        case pressure, pulse, pressureStatus
        /// Systolic, diastolic or mean as a number of its own.
        case pressurePart
        /// An oximeter's pulse: a pulse rate, never part of a blood pressure.
        case oximeterPulse
        case quantity
        case none
    }

    struct Object: Sendable {
        var handle: UInt16
        var objectClass: UInt16
        var partition: UInt16 = 0
        var term: UInt16 = 0
        var unit: UInt16 = 0
        var role = Role.none
        var map: Range<Int> = 0..<0
        var metrics: Range<Int> = 0..<0
    }

    struct Store: Sendable {
        var handle: UInt16
        var capability: UInt16?
        /// Ticks of 125 µs.
        var clearTimeout: UInt32?
        /// Ticks of 125 µs between the entries of its periodic segments.
        var samplePeriod: UInt32?
    }

    struct Trait: Sendable {
        var handle: UInt16
        var supplementalTypes: [(partition: UInt16, code: UInt16)] = []
        var accuracy: PHDNumber?
    }

    struct Scanner: Sendable {
        var handle: UInt16
        /// For grouped reports: object handle and its range of map items, in the order of the values.
        var groups: [(handle: UInt16, map: Range<Int>)] = []
    }

    var objects: [Object] = []
    var items: [MapItem] = []
    var metrics: [UInt16] = []
    var stores: [Store] = []
    var scanners: [Scanner] = []
    var traits: [Trait] = []
    var waves: [PHDWave] = []

    /// A compound of pressures, or systolic and diastolic each as a number of its own.
    var hasPressure = false
    /// The terms of objects that are one number of a blood pressure.
    var parts: Set<UInt16> = []
    var hasPulse = false
    var hasPressureStatus = false

    init() {}

    init?(_ bytes: Span<UInt8>) {
        var offset = 0
        guard let list = PHDList.open(bytes, &offset, bytes.count), list.end == bytes.count, list.count <= Self.ceiling else {
            return nil
        }
        for _ in 0..<list.count {
            guard let objectClass = bytes.bigEndian16(offset), let handle = bytes.bigEndian16(offset + 2) else { return nil }
            offset += 4
            guard readObject(objectClass, handle, bytes, &offset, list.end) else { return nil }
        }
        guard offset == list.end else { return nil }
    }

    init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    var isUsable: Bool {
        !stores.isEmpty || waves.contains { $0.isReadable }
            || objects.contains { $0.role != .none && $0.objectClass != PHDClass.realTimeArray }
    }

    @inline(__always)
    func index(of handle: UInt16) -> Int? {
        for index in objects.indices where objects[index].handle == handle { return index }
        return nil
    }

    private mutating func readObject(
        _ objectClass: UInt16, _ handle: UInt16, _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int
    ) -> Bool {
        var object = Object(handle: handle, objectClass: objectClass)
        var store = Store(handle: handle)
        var scanner = Scanner(handle: handle)
        var trait = Trait(handle: handle)
        var wave = PHDWave(handle: handle)
        var metricID: UInt16?
        var partition: UInt16?
        let isRead = PHDList.attributes(bytes, &offset, end) { id, at, length in
            if objectClass == PHDClass.realTimeArray { wave.take(id, bytes, at, length) }
            switch id {
            case PHDAttribute.type:
                object.partition = bytes.bigEndian16(at) ?? 0
                object.term = bytes.bigEndian16(at + 2) ?? 0
                return length == 4
            case PHDAttribute.metricID: metricID = length == 2 ? bytes.bigEndian16(at) : nil
            case PHDAttribute.metricIDPartition: partition = length == 2 ? bytes.bigEndian16(at) : nil
            case PHDAttribute.unitCode: object.unit = length == 2 ? bytes.bigEndian16(at) ?? 0 : 0
            case PHDAttribute.valueMap:
                var place = at
                guard let map = Self.readMap(bytes, &place, at + length, into: &items), place == at + length else { return false }
                object.map = map
            case PHDAttribute.metricIDList:
                guard let list = readMetrics(bytes, at, at + length) else { return false }
                object.metrics = list
            case PHDAttribute.storeCapability: store.capability = bytes.bigEndian16(at)
            case PHDAttribute.clearTimeout: store.clearTimeout = length == 4 ? bytes.bigEndian32(at) : nil
            case PHDAttribute.samplePeriod: store.samplePeriod = length == 4 ? bytes.bigEndian32(at) : nil
            case PHDAttribute.supplementalTypes: trait.supplementalTypes = Self.types(bytes, at, at + length)
            case PHDAttribute.accuracy: trait.accuracy = length == 4 ? PHDNumber(bytes, at, width: 4) : nil
            case PHDAttribute.scanMap:
                guard let groups = readGroups(bytes, at, at + length) else { return false }
                scanner.groups = groups
            default: break
            }
            return true
        }
        guard isRead else { return false }
        if let metricID { object.term = metricID }
        if let partition { object.partition = partition }
        if objectClass == PHDClass.realTimeArray { waves.append(wave) }
        if trait.accuracy != nil || !trait.supplementalTypes.isEmpty { traits.append(trait) }
        if objectClass == PHDClass.store {
            stores.append(store)
        } else if PHDClass.scanners.contains(objectClass) {
            scanners.append(scanner)
        } else {
            add(object)
        }
        return true
    }

    private mutating func add(_ object: Object) {
        var object = object
        object.role = Self.role(object)
        switch object.role {
        case .pressure: hasPressure = true
        // In another unit it is not the pulse of a blood pressure.
        case .pulse: hasPulse = hasPulse || object.unit == PHDMetric.beatsPerMinute
        case .pressureStatus: hasPressureStatus = true
        case .pressurePart:
            parts.insert(object.term)
            hasPressure = hasPressure || parts.isSuperset(of: [PHDMetric.systolic, PHDMetric.diastolic])
        case .oximeterPulse, .quantity, .none: break
        }
        objects.append(object)
    }

    static func role(_ object: Object) -> Role {
        switch (object.objectClass, object.partition, object.term) {
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.noninvasivePressure): .pressure
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.systolic...PHDMetric.mean): .pressurePart
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.pulseRate): .pulse
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.oximeterPulseRate): .oximeterPulse
        case (PHDClass.enumeration, PHDMetric.diseaseManagement, PHDMetric.pressureStatus): .pressureStatus
        case (PHDClass.numeric, _, _), (PHDClass.enumeration, _, _): .quantity
        default: .none
        }
    }

    /// AttrValMap: a list of attribute id and value length.
    static func readMap(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, into items: inout [MapItem]) -> Range<Int>? {
        guard let map = PHDList.pairs(bytes, &offset, end), map.count <= mapCeiling else { return nil }
        items += map.map { MapItem(attribute: $0.0, length: $0.1) }
        return (items.count - map.count)..<items.count
    }

    /// Kept types per list: an oximeter of the sources has one or two.
    static let typeCeiling = 16

    private static func types(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> [(partition: UInt16, code: UInt16)] {
        var offset = start
        guard let pairs = PHDList.pairs(bytes, &offset, end), offset == end else { return [] }
        return pairs.prefix(typeCeiling).map { (partition: $0.0, code: $0.1) }
    }

    private mutating func readMetrics(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end), list.end == end, list.count * 2 == end - offset else { return nil }
        let first = metrics.count
        while offset < end {
            guard let metric = bytes.bigEndian16(offset) else { return nil }
            metrics.append(metric)
            offset += 2
        }
        return first..<metrics.count
    }

    /// HandleAttrValMap: a list of object handle and its map.
    private mutating func readGroups(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int
    ) -> [(handle: UInt16, map: Range<Int>)]? {
        var offset = start
        var groups: [(handle: UInt16, map: Range<Int>)] = []
        // A scanner cannot name more objects than there are.
        guard let list = PHDList.open(bytes, &offset, end), list.end == end, list.count <= Self.ceiling else { return nil }
        for _ in 0..<list.count {
            guard let handle = bytes.bigEndian16(offset) else { return nil }
            offset += 2
            guard let map = Self.readMap(bytes, &offset, end, into: &items) else { return nil }
            groups.append((handle, map))
        }
        return offset == end ? groups : nil
    }
}
