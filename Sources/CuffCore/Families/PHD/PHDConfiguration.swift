/// The objects of an agent, as its configuration lists them: what every fixed report is cut with.
///
/// Maps and metric lists lie in two shared arrays, so that an object is a plain value and decoding copies nothing.
struct PHDConfiguration: Sendable {
    /// More objects than any agent in the field has (an Accu-Chek has six); a longer list is refused.
    static let ceiling = 256

    /// Attributes of one map: the longest of any agent in the sources has four. An attribute may have no length at all, so
    /// that a map could otherwise be walked through for ever while no byte of a report is used up.
    static let mapCeiling = 64

    struct MapItem: Sendable, Hashable {
        var attribute: UInt16
        var length: UInt16
    }

    /// What an object's observations become.
    enum Role: UInt8, Sendable {
        case pressure, pulse, pressureStatus
        /// An oximeter's pulse: a pulse rate, but never part of a blood pressure.
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

    var hasPressure = false
    var hasPulse = false
    var hasPressureStatus = false

    init() {}

    /// Reads a ConfigObjectList; `nil` when its counts and lengths disagree.
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

    /// Whether anything here can become a reading.
    var isUsable: Bool {
        !stores.isEmpty || objects.contains { $0.role != .none && $0.objectClass != PHDClass.realTimeArray }
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
        var metricID: UInt16?
        var partition: UInt16?
        let isRead = PHDList.attributes(bytes, &offset, end) { id, at, length in
            switch id {
            case PHDAttribute.type:
                object.partition = bytes.bigEndian16(at) ?? 0
                object.term = bytes.bigEndian16(at + 2) ?? 0
                return length == 4
            case PHDAttribute.metricID: metricID = length == 2 ? bytes.bigEndian16(at) : nil
            case PHDAttribute.metricIDPartition: partition = length == 2 ? bytes.bigEndian16(at) : nil
            case PHDAttribute.unitCode: object.unit = length == 2 ? bytes.bigEndian16(at) ?? 0 : 0
            case PHDAttribute.valueMap:
                guard let map = readMap(bytes, at, at + length) else { return false }
                object.map = map
            case PHDAttribute.metricIDList:
                guard let list = readMetrics(bytes, at, at + length) else { return false }
                object.metrics = list
            case PHDAttribute.storeCapability: store.capability = bytes.bigEndian16(at)
            case PHDAttribute.clearTimeout: store.clearTimeout = length == 4 ? bytes.bigEndian32(at) : nil
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
        // One in another unit is not what a blood pressure waits for.
        case .pulse: hasPulse = hasPulse || object.unit == PHDMetric.beatsPerMinute
        case .pressureStatus: hasPressureStatus = true
        case .oximeterPulse, .quantity, .none: break
        }
        objects.append(object)
    }

    static func role(_ object: Object) -> Role {
        switch (object.objectClass, object.partition, object.term) {
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.noninvasivePressure): .pressure
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.pulseRate): .pulse
        case (PHDClass.numeric, PHDMetric.scada, PHDMetric.oximeterPulseRate): .oximeterPulse
        case (PHDClass.enumeration, PHDMetric.diseaseManagement, PHDMetric.pressureStatus): .pressureStatus
        case (PHDClass.numeric, _, _), (PHDClass.enumeration, _, _): .quantity
        default: .none
        }
    }

    /// AttrValMap: a list of attribute id and value length.
    mutating func readMap(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end), list.end == end, list.count * 4 == end - offset,
            list.count <= Self.mapCeiling
        else { return nil }
        let first = items.count
        for _ in 0..<list.count {
            guard let attribute = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2) else { return nil }
            items.append(MapItem(attribute: attribute, length: length))
            offset += 4
        }
        return first..<items.count
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
        // A scanner names objects, and there are no more of them.
        guard let list = PHDList.open(bytes, &offset, end), list.end == end, list.count <= Self.ceiling else { return nil }
        for _ in 0..<list.count {
            guard let handle = bytes.bigEndian16(offset) else { return nil }
            var inner = offset + 2
            guard let map = PHDList.open(bytes, &inner, end), let range = readMap(bytes, offset + 2, map.end) else { return nil }
            groups.append((handle, range))
            offset = map.end
        }
        return offset == end ? groups : nil
    }
}

/// Standard configurations that this manager has built in. Every other one is asked for (AARE 3), which is always safe.
enum PHDStandardConfiguration {
    static func configuration(_ id: UInt16) -> PHDConfiguration? { bytes(id).flatMap { PHDConfiguration($0) } }

    static func bytes(_ id: UInt16) -> [UInt8]? {
        switch id {
        case 0x02BC: bloodPressure
        // Documented as two bytes by Antidote's pulse_oximeter.c, which appends a time stamp of its own all the same.
        case 0x0190: oximeter(hasTime: false)
        // Antidote gives 0191 the same two bytes; the Nonin 9560 that has it sends value and time: observed [D].
        case 0x0191: oximeter(hasTime: true)
        // A&D UC-321PBT-C is accepted with it; its values are FLOAT and absolute time: observed [D].
        case 0x05DC: scale
        default: nil
        }
    }

    /// PHD.md §4.3: handle 1 compound of systolic, diastolic, mean in mmHg; handle 2 pulse rate.
    static let bloodPressure: [UInt8] = list([
        numeric(1, 18948, spec: 0xF040, unit: 3872, map: [(0x0A75, 10), (0x0990, 8)], metrics: [18949, 18950, 18951]),
        numeric(2, 18474, spec: 0xF040, unit: 2720, map: [(0x0A4C, 2), (0x0990, 8)]),
    ])

    private static let scale: [UInt8] = list([numeric(1, 57664, spec: 0xF040, unit: 1731, map: [(0x0A56, 4), (0x0990, 8)])])

    private static func oximeter(hasTime: Bool) -> [UInt8] {
        let map: [(UInt16, UInt16)] = hasTime ? [(0x0A4C, 2), (0x0990, 8)] : [(0x0A4C, 2)]
        return list([
            numeric(1, 19384, spec: 0x4040, unit: 544, map: map), numeric(10, 18458, spec: 0x4040, unit: 2720, map: map),
        ])
    }

    /// The bytes of one numeric object of partition 2; also what the simulator offers.
    static func numeric(
        _ handle: UInt16, _ term: UInt16, spec: UInt16, unit: UInt16, map: [(UInt16, UInt16)], metrics: [UInt16] = []
    ) -> [UInt8] {
        object(PHDClass.numeric, handle, count: metrics.isEmpty ? 4 : 6) {
            $0.attribute(PHDAttribute.type) {
                $0.append16(PHDMetric.scada)
                $0.append16(term)
            }
            $0.attribute(0x0A46) { $0.append16(spec) }
            if !metrics.isEmpty {
                $0.attribute(0x0A73) { $0.append([3, UInt8(metrics.count)]) }
                $0.attribute(PHDAttribute.metricIDList) {
                    $0.list(metrics.count) { for metric in metrics { $0.append16(metric) } }
                }
            }
            $0.attribute(PHDAttribute.unitCode) { $0.append16(unit) }
            $0.attribute(PHDAttribute.valueMap) { Self.map(map, into: &$0) }
        }
    }

    static func map(_ map: [(UInt16, UInt16)], into writer: inout PHDWriter) {
        writer.list(map.count) {
            for item in map {
                $0.append16(item.0)
                $0.append16(item.1)
            }
        }
    }

    static func object(
        _ objectClass: UInt16, _ handle: UInt16, count: Int, _ body: (inout PHDWriter) -> Void
    ) -> [UInt8] {
        var writer = PHDWriter()
        writer.append16(objectClass)
        writer.append16(handle)
        writer.list(count, body)
        return writer.bytes
    }

    static func list(_ objects: [[UInt8]]) -> [UInt8] {
        var writer = PHDWriter()
        writer.list(objects.count) { for object in objects { $0.append(object) } }
        return writer.bytes
    }
}
