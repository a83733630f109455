/// One answer to a poll, or one part of it: the cuff's values and the clock.
struct IntelliVuePoll: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case whole, first, between, last
    }

    var invoke: UInt16
    var part: Part
    /// Counts the parts from 1; 0 for a whole answer.
    var count: UInt8
    var clock: DeviceTime?
    var cuffs = IntelliVueCuffs()

    /// Parses from behind the lengths of the message; `nil` if inconsistent, or the answer to another action.
    init?(_ rest: Span<UInt8>, part: (state: UInt8, count: UInt8)?) {
        guard let invoke = rest.bigEndian16(0), rest.bigEndian16(2) == 7, let length = rest.bigEndian16(4),
            Int(length) == rest.count - 6, rest.bigEndian16(6) == 0x21, let action = rest.bigEndian16(12),
            let own = rest.bigEndian16(14), Int(own) == rest.count - 16
        else { return nil }
        switch part?.state {
        case nil: self.part = .whole
        case 1: self.part = .first
        case 2: self.part = .between
        case 3: self.part = .last
        default: return nil
        }
        self.invoke = invoke
        count = part?.count ?? 0
        guard let lists = Self.listsOffset(action: action) else { return nil }
        clock = rest.count >= lists - 6 ? IntelliVueObject.time(rest, at: lists - 14)?.time : nil
        var object = IntelliVueObject()
        var found = IntelliVueCuffs()
        let isWhole = Self.walk(rest, from: lists) {
            object.receive(rest, $0, $1)
        } endOfObject: {
            found.receive(object)
            object = IntelliVueObject()
        }
        guard isWhole else { return nil }
        cuffs = found
    }

    /// The offset of the lists from the invoke id; the extended answer has a sequence number behind the poll number.
    static func listsOffset(action: UInt16?) -> Int? { action == 0x0C16 ? 36 : action == 0xF13B ? 38 : nil }

    /// Calls `attribute` with id and range of each attribute; `false` if a count or a length is wrong, or `attribute` returns it.
    static func walk(
        _ bytes: Span<UInt8>, from offset: Int, attribute: (UInt16, Range<Int>) -> Bool, endOfObject: () -> Void = {}
    ) -> Bool {
        var lists = IntelliVueLists(offset: offset, end: bytes.count)
        guard let contexts = lists.open(bytes), contexts.end == bytes.count else { return false }
        for _ in 0..<contexts.count {
            guard lists.skip(2), let objects = lists.open(bytes) else { return false }
            for _ in 0..<objects.count {
                guard lists.skip(2), let attributes = lists.open(bytes) else { return false }
                for _ in 0..<attributes.count {
                    guard let found = lists.attribute(bytes), attribute(found.id, found.range) else { return false }
                }
                guard lists.offset == attributes.end else { return false }
                endOfObject()
            }
            guard lists.offset == objects.end else { return false }
        }
        return lists.offset == contexts.end
    }
}

/// Reads nested lists, never beyond `end`.
private struct IntelliVueLists {
    var offset: Int
    let end: Int

    /// The count and end of a list. Every item has at least four bytes: a larger count is `nil`.
    mutating func open(_ bytes: Span<UInt8>) -> (count: Int, end: Int)? {
        guard let count = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2) else { return nil }
        offset += 4
        let listEnd = offset + Int(length)
        guard listEnd <= end, 4 * Int(count) <= Int(length) else { return nil }
        return (Int(count), listEnd)
    }

    mutating func skip(_ count: Int) -> Bool {
        guard offset + count <= end else { return false }
        offset += count
        return true
    }

    mutating func attribute(_ bytes: Span<UInt8>) -> (id: UInt16, range: Range<Int>)? {
        guard let id = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2) else { return nil }
        let start = offset + 4
        guard start + Int(length) <= end else { return nil }
        offset = start + Int(length)
        return (id, start..<offset)
    }
}

/// A value with its code, state and unit, as sent.
struct IntelliVueValue: Sendable, Equatable {
    var code, state, unit: UInt16
    var float: UInt32

    static let length = 10

    init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard let code = bytes.bigEndian16(offset), let state = bytes.bigEndian16(offset + 2),
            let unit = bytes.bigEndian16(offset + 4), let float = bytes.bigEndian32(offset + 6)
        else { return nil }
        self.code = code
        self.state = state
        self.unit = unit
        self.float = float
    }

    /// The value may be used: none of invalid, questionable, unavailable, calibration, test data.
    var isUsable: Bool { state & 0xF800 == 0 }

    /// The value, if any: signed exponent (8 bits) and mantissa (24). The special values have exponent 0.
    var digits: Digits? {
        guard isUsable, absence == .none else { return nil }
        return Digits(mantissa: Int64(Int32(bitPattern: float << 8) >> 8), exponent: Int8(bitPattern: UInt8(float >> 24)))
    }

    var absence: Absence {
        let special = Absence(float: float)
        return special == .none && !isUsable ? .notMeasured : special
    }

    var pressure: Pressure? {
        switch unit {
        case 0x0F20: digits.map { Pressure($0, .mmHg) }
        case 0x0F03: digits.map { Pressure($0, .kPa) }
        default: nil
        }
    }

    var flags: MeasurementFlags { MeasurementFlags(measurementStatus: state) }

    /// The value without its state, which changes with alarms.
    var raw: [UInt8] {
        IntelliVueMessage.word(Int(code)) + IntelliVueMessage.word(Int(unit)) + IntelliVueMessage.long(float)
    }
}

struct IntelliVueObject: Sendable, Equatable {
    /// Far more than a cuff's three; the rest is ignored.
    static let maximumValues = 16

    var values: [IntelliVueValue] = []
    var clock = DeviceClock.absent
    var stamp: [UInt8] = []

    mutating func receive(_ bytes: Span<UInt8>, _ id: UInt16, _ range: Range<Int>) -> Bool {
        switch id {
        case 0x0950:
            guard range.count == IntelliVueValue.length else { return false }
            add(bytes, range.lowerBound)
        case 0x094B:
            guard let count = bytes.bigEndian16(range.lowerBound), let length = bytes.bigEndian16(range.lowerBound + 2),
                range.count == Int(length) + 4, Int(length) == Int(count) * IntelliVueValue.length
            else { return false }
            for index in 0..<min(Int(count), Self.maximumValues) {
                add(bytes, range.lowerBound + 4 + index * IntelliVueValue.length)
            }
        case 0x0990:
            guard range.count == 8, let clock = Self.time(bytes, at: range.lowerBound) else { return false }
            self.clock = clock
            stamp = range.map { bytes[$0] }
        default: break
        }
        return true
    }

    private mutating func add(_ bytes: Span<UInt8>, _ offset: Int) {
        guard values.count < Self.maximumValues, let value = IntelliVueValue(bytes, at: offset) else { return }
        values.append(value)
    }

    /// Eight bytes of BCD; all FF: never set. `nil` beyond the end.
    static func time(_ bytes: Span<UInt8>, at offset: Int) -> DeviceClock? {
        guard let word = bytes.bigEndian64(offset) else { return nil }
        if word == .max { return .unset }
        let pairs = (0..<7).compactMap { bytes.bcd(offset + $0) }
        guard pairs.count == 7 else { return .impossible(nil) }
        return DeviceClock(
            DeviceTime(
                year: pairs[0] * 100 + pairs[1], month: pairs[2], day: pairs[3], hour: pairs[4], minute: pairs[5], second: pairs[6]))
    }
}
