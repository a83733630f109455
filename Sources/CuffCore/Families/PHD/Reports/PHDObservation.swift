/// One observation of one object, still in its APDU: where its value stands and what was said beside it.
///
/// It is a plain value, so that a report of any length is read into one reused array before anything is emitted: a
/// report whose lists disagree must not give half of its readings.
///
/// Offsets are kept in 16 bits: an APDU has at most 64512 bytes, and a small value is cheap to hand round.
struct PHDObservation: Sendable {
    var handle: UInt16
    /// The attribute that holds the value; 0 where there was none.
    var attribute: UInt16 = 0
    var status: UInt16 = 0
    /// Overrides for this observation only; 0 = as configured.
    var unit: UInt16 = 0
    var term: UInt16 = 0
    private let place: Int16
    /// Where the value stands, and its bytes.
    @Offset var value = 0
    @Offset var length = 0
    /// Components of a compound.
    @Offset var count = 0
    /// Where a list of the components' metrics stands, and how many it has.
    @Offset var metrics = 0
    @Offset var metricCount = 0
    @Offset private var rawStart = 0
    @Offset private var rawEnd = 0
    @Offset private var stampStart = 0
    @Offset private var stampEnd = 0
    /// Where the stamp itself stands within the APDU; 0 where there is none.
    @Offset private var stampPlace = 0
    /// The data ended before its map did.
    var isCut = false
    var hasTrailingBytes = false
    /// The observation's own bytes do not begin with the object's handle (grouped reports, stored entries).
    var lacksHandle = false
    private var stampKind = PHDStamp.Kind.none
    private let personNumber: Int32
    /// The person number for an unknown person: docs/PHD.md §6.1.
    static let unknownPerson: UInt16 = 0xFFFF
    private var stampBits: UInt64 = 0

    /// `object` is the place in the configuration; -1 for an object that the agent never described.
    @inline(__always)
    init(handle: UInt16, object: Int, person: UInt16?) {
        self.handle = handle
        place = Int16(truncatingIfNeeded: object)
        personNumber = person.map { $0 == Self.unknownPerson ? -1 : Int32($0) } ?? -1
    }

    @inline(__always)
    var object: Int { Int(place) }
    @inline(__always)
    var person: Int32? { personNumber < 0 ? nil : personNumber }
    @inline(__always)
    var stamp: PHDStamp {
        get { PHDStamp(kind: stampKind, bits: stampBits) }
        set { (stampKind, stampBits) = (newValue.kind, newValue.bits) }
    }

    /// The observation's own bytes within the APDU.
    @inline(__always)
    var raw: Range<Int> {
        get { rawStart..<max(rawStart, rawEnd) }
        set { (rawStart, rawEnd) = (newValue.lowerBound, newValue.upperBound) }
    }
    /// Where a stored entry's stamp stands, outside `raw`.
    var stampBytes: Range<Int> {
        get { stampStart..<max(stampStart, stampEnd) }
        set { (stampStart, stampEnd) = (newValue.lowerBound, newValue.upperBound) }
    }

    /// The bytes of the value: without the count and length of a compound.
    var valuePlaces: Range<Int> { value..<(value + length) }
    /// The bytes of the stamp itself, empty where there is none.
    var stampPlaces: Range<Int> { stampPlace..<(stampPlace + (stampPlace == 0 ? 0 : stampKind == .relative ? 4 : 8)) }

    /// Takes the stamp of a report of the same form.
    mutating func restamp(_ bytes: Span<UInt8>) {
        if stampPlace > 0 { stamp = PHDStamp(stampKind, bytes, stampPlace) }
    }

    /// A place or a number within an APDU, in a quarter of the room of an `Int`.
    @propertyWrapper struct Offset: Sendable {
        private var small: UInt16
        @inline(__always) init(wrappedValue: Int) { small = UInt16(truncatingIfNeeded: wrappedValue) }
        @inline(__always) var wrappedValue: Int {
            get { Int(small) }
            set { small = UInt16(truncatingIfNeeded: newValue) }
        }
    }

    /// Takes one attribute; `false` when its inner lengths disagree.
    @inline(__always)
    mutating func take(_ id: UInt16, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> Bool {
        switch id {
        case PHDAttribute.compoundBasicNumeric: return takeCompound(id, bytes, offset, length, width: 2)
        case PHDAttribute.absoluteStamp: return takeStamp(.absolute, bytes, offset, length)
        case PHDAttribute.basicNumeric: return takeValue(id, offset, length, length == 2)
        default: return takeOther(id, bytes, offset, length)
        }
    }

    /// Cuts values with a map; stops where the data ends before the map does. `false` when inner lengths disagree.
    ///
    /// A call of its own keeps the observation in memory: inlined, its twenty fields are moved about at every value.
    @inline(never)
    mutating func cut(
        _ items: [PHDConfiguration.MapItem], _ map: Range<Int>, _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int
    ) -> Bool {
        for index in map {
            let item = items[index]
            guard offset &+ Int(item.length) <= end else {
                isCut = true
                return true
            }
            guard take(item.attribute, bytes, offset, Int(item.length)) else { return false }
            offset &+= Int(item.length)
        }
        return true
    }

    private mutating func takeOther(_ id: UInt16, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> Bool {
        switch id {
        case PHDAttribute.simpleNumeric: return takeValue(id, offset, length, length == 4)
        case PHDAttribute.numeric: return takeValue(id, offset, length, length == 10)
        case PHDAttribute.compoundSimpleNumeric: return takeCompound(id, bytes, offset, length, width: 4)
        case PHDAttribute.compoundNumeric: return takeCompound(id, bytes, offset, length, width: 10)
        case PHDAttribute.simpleOID: return takeValue(id, offset, length, length == 2)
        case PHDAttribute.simpleBits, PHDAttribute.basicBits: return takeValue(id, offset, length, length == 2 || length == 4)
        case PHDAttribute.simpleText, PHDAttribute.simpleSamples: return takeValue(id, offset, length, true)
        case PHDAttribute.enumeration: return takeValue(id, offset, length, length >= 8)
        case PHDAttribute.baseOffsetStamp: return takeStamp(.baseOffset, bytes, offset, length)
        case PHDAttribute.highResolutionStamp: return takeStamp(.highResolution, bytes, offset, length)
        case PHDAttribute.relativeStamp:
            guard length == 4, let ticks = bytes.bigEndian32(offset) else { return false }
            stamp = PHDStamp(kind: .relative, bits: UInt64(ticks))
            stampPlace = offset
        case PHDAttribute.measurementStatus:
            guard length == 2 else { return false }
            status |= bytes.bigEndian16(offset) ?? 0
        case PHDAttribute.unitCode:
            guard length == 2 else { return false }
            unit = bytes.bigEndian16(offset) ?? 0
        case PHDAttribute.metricID:
            guard length == 2 else { return false }
            term = bytes.bigEndian16(offset) ?? 0
        case PHDAttribute.metricIDList:
            var at = offset
            guard let list = PHDList.open(bytes, &at, offset + length), list.count * 2 == length - 4 else { return false }
            metrics = at
            metricCount = list.count
        default: break  // anything else has its own length and is passed over
        }
        return true
    }

    @inline(__always)
    private mutating func takeValue(_ id: UInt16, _ offset: Int, _ length: Int, _ fits: Bool) -> Bool {
        attribute = id
        value = offset
        self.length = length
        return fits
    }

    @inline(__always)
    private mutating func takeStamp(_ kind: PHDStamp.Kind, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> Bool {
        guard length == 8, let bits = bytes.bigEndian64(offset) else { return false }
        stamp = PHDStamp(kind: kind, bits: bits)
        stampPlace = offset
        return true
    }

    @inline(__always)
    private mutating func takeCompound(
        _ id: UInt16, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int, width: Int
    ) -> Bool {
        guard let head = bytes.bigEndian32(offset) else { return false }
        let count = Int(head >> 16)
        let size = Int(head & 0xFFFF)
        guard size == count &* width, 4 &+ size == length else { return false }
        attribute = id
        value = offset &+ 4
        self.length = size
        self.count = count
        return true
    }
}

/// Reads the observations of an event report, in the six forms there are.
enum PHDReport {
    /// How many observations one APDU may hold: its largest body over the shortest value, 64508 / 2. Maps can be made of
    /// nothing (attributes of no length), so that the bytes alone do not bound what is made of them.
    static let ceiling = 32254

    /// Appends the observations between `start` (behind data-req-id and scan-report-no) and `end`; `false` when counts
    /// and lengths disagree anywhere. `scanner` is the place of the scanner that sent it, where one did.
    static func read(
        _ shape: PHDEvent.Shape, _ configuration: borrowing PHDConfiguration, scanner: Int?, _ bytes: Span<UInt8>,
        _ start: Int, _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        var offset = start
        let most = observations.count &+ ceiling
        guard shape.hasPersons else {
            return scan(shape.body, configuration, scanner, nil, bytes, &offset, end, most, into: &observations) && offset == end
        }
        guard let persons = PHDList.open(bytes, &offset, end), persons.end == end else { return false }
        for _ in 0..<persons.count {
            guard let person = bytes.bigEndian16(offset) else { return false }
            offset += 2
            if shape.body == .grouped {
                guard group(configuration, scanner, person, bytes, &offset, end, most, into: &observations) else { return false }
            } else {
                guard scan(shape.body, configuration, scanner, person, bytes, &offset, end, most, into: &observations)
                else { return false }
            }
        }
        return offset == end
    }

    private static func scan(
        _ body: PHDEvent.Shape.Body, _ configuration: borrowing PHDConfiguration, _ scanner: Int?, _ person: UInt16?,
        _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ most: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard let list = PHDList.open(bytes, &offset, end) else { return false }
        for _ in 0..<list.count {
            let isRead: Bool
            switch body {
            case .fixed: isRead = fixed(configuration, person, bytes, &offset, list.end, into: &observations)
            case .variable: isRead = variable(configuration, person, bytes, &offset, list.end, into: &observations)
            case .grouped: isRead = group(configuration, scanner, person, bytes, &offset, list.end, most, into: &observations)
            }
            guard isRead, observations.count <= most else { return false }
        }
        return offset == list.end
    }

    @inline(__always)
    private static func fixed(
        _ configuration: borrowing PHDConfiguration, _ person: UInt16?, _ bytes: Span<UInt8>, _ offset: inout Int,
        _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard offset &+ 4 <= end, let head = bytes.bigEndian32(offset) else { return false }
        let handle = UInt16(truncatingIfNeeded: head >> 16)
        let start = offset
        let limit = offset &+ 4 &+ Int(head & 0xFFFF)
        guard limit <= end else { return false }
        let index = configuration.index(of: handle) ?? -1
        var observation = PHDObservation(handle: handle, object: index, person: person)
        offset &+= 4
        if index >= 0 {
            let map = configuration.objects[index].map
            guard observation.cut(configuration.items, map, bytes, &offset, limit) else { return false }
            if map.isEmpty { observation.isCut = true }
            observation.hasTrailingBytes = offset < limit
        }
        observation.raw = start..<limit
        offset = limit
        observations.append(observation)
        return true
    }

    private static func variable(
        _ configuration: borrowing PHDConfiguration, _ person: UInt16?, _ bytes: Span<UInt8>, _ offset: inout Int,
        _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard let handle = bytes.bigEndian16(offset) else { return false }
        let start = offset
        offset += 2
        var observation = PHDObservation(handle: handle, object: configuration.index(of: handle) ?? -1, person: person)
        guard PHDList.attributes(bytes, &offset, end, { observation.take($0, bytes, $1, $2) }) else { return false }
        observation.raw = start..<offset
        observations.append(observation)
        return true
    }

    /// One octet string with the values of all objects of the scanner's map, in its order and without handles.
    private static func group(
        _ configuration: borrowing PHDConfiguration, _ scanner: Int?, _ person: UInt16?, _ bytes: Span<UInt8>,
        _ offset: inout Int, _ end: Int, _ most: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard offset + 2 <= end, let length = bytes.bigEndian16(offset) else { return false }
        offset += 2
        let limit = offset + Int(length)
        guard limit <= end else { return false }
        for part in scanner.map({ configuration.scanners[$0].groups }) ?? [] {
            guard observations.count < most else { return false }
            let start = offset
            var observation = PHDObservation(handle: part.handle, object: configuration.index(of: part.handle) ?? -1, person: person)
            observation.lacksHandle = true
            guard observation.cut(configuration.items, part.map, bytes, &offset, limit) else { return false }
            observation.raw = start..<offset
            observations.append(observation)
            // Nothing is left for the others.
            if observation.isCut { break }
        }
        if offset < limit, let last = observations.indices.last { observations[last].hasTrailingBytes = true }
        offset = limit
        return true
    }
}
