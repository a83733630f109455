/// One observation of one object, as positions in its APDU. A plain value, so that a whole report is read before anything is emitted: a
/// report with inconsistent lists must not give half of its readings.
struct PHDObservation: Sendable {
    /// The person number for an unknown person: docs/PHD.md §6.1.
    static let unknownPerson: UInt16 = 0xFFFF

    let handle: UInt16
    /// The object's index in the configuration; -1 for an unknown object.
    let object: Int
    let person: Int32?
    /// The attribute of the value; 0 for no value.
    private(set) var attribute: UInt16 = 0
    private(set) var status: UInt16 = 0
    /// Overrides for this observation only; 0 = as configured.
    private(set) var unit: UInt16 = 0
    private(set) var term: UInt16 = 0
    /// Offset and length of the value; for a compound without its count and length.
    private(set) var value = 0
    private(set) var length = 0
    private(set) var count = 0
    /// Where a list of the components' metrics begins, and its count.
    private(set) var metrics = 0
    private(set) var metricCount = 0
    var stamp = PHDStamp.none
    private(set) var stampPlaces = 0..<0
    var raw = 0..<0
    /// The stamps of a stored entry, outside `raw`.
    var stampBytes = 0..<0
    /// Of a stored entry without a stamp: the handle of its store, and its segment.
    var segment: (store: UInt16, instance: UInt16)?
    /// The data ended before its map did.
    var isCut = false
    var hasTrailingBytes = false
    /// The bytes do not begin with the object's handle (grouped reports, stored entries).
    var lacksHandle = false

    init(handle: UInt16, object: Int, person: UInt16?) {
        self.handle = handle
        self.object = object
        self.person = person == Self.unknownPerson ? nil : person.map { Int32($0) }
    }

    var valuePlaces: Range<Int> { value..<(value + length) }

    /// Splits values by a map; stops at the end of the data. `false` if inner lengths disagree.
    mutating func cut(
        _ items: [PHDConfiguration.MapItem], _ map: Range<Int>, _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int
    ) -> Bool {
        for index in map {
            let item = items[index]
            guard offset &+ Int(item.length) <= end else {
                isCut = true
                return true
            }
            guard read(item.attribute, bytes, offset, Int(item.length)) else { return false }
            offset &+= Int(item.length)
        }
        return true
    }

    mutating func read(_ id: UInt16, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> Bool {
        switch id {
        case PHDAttribute.basicNumeric, PHDAttribute.simpleOID: return readValue(id, offset, length, length == 2)
        case PHDAttribute.simpleNumeric: return readValue(id, offset, length, length == 4)
        case PHDAttribute.numeric: return readValue(id, offset, length, length == 10)
        case PHDAttribute.compoundBasicNumeric: return readCompound(id, bytes, offset, length, width: 2)
        case PHDAttribute.compoundSimpleNumeric: return readCompound(id, bytes, offset, length, width: 4)
        case PHDAttribute.compoundNumeric: return readCompound(id, bytes, offset, length, width: 10)
        case PHDAttribute.simpleBits, PHDAttribute.basicBits: return readValue(id, offset, length, length == 2 || length == 4)
        case PHDAttribute.simpleText, PHDAttribute.simpleSamples: return readValue(id, offset, length, true)
        case PHDAttribute.enumeration: return readValue(id, offset, length, length >= 8)
        case PHDAttribute.absoluteStamp: return readStamp(.absolute, bytes, offset, length)
        case PHDAttribute.baseOffsetStamp: return readStamp(.baseOffset, bytes, offset, length)
        case PHDAttribute.highResolutionStamp: return readStamp(.highResolution, bytes, offset, length)
        case PHDAttribute.relativeStamp: return readStamp(.relative, bytes, offset, length)
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
        default: break  // other attributes have their own length and are skipped
        }
        return true
    }

    private mutating func readValue(_ id: UInt16, _ offset: Int, _ length: Int, _ fits: Bool) -> Bool {
        attribute = id
        value = offset
        self.length = length
        return fits
    }

    private mutating func readStamp(_ kind: PHDStamp.Kind, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> Bool {
        guard length == (kind == .relative ? 4 : 8), offset + length <= bytes.count else { return false }
        let read = PHDStamp(kind, bytes, offset)
        if stamp.kind != .none, stamp.isPreferred(to: read) { return true }
        stamp = read
        stampPlaces = offset..<(offset + length)
        return true
    }

    private mutating func readCompound(
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
