/// The records of both users as far as they have been read, by address.
struct OmronEEPROMMemory: Sendable {
    static let start = 0x02AC
    static let recordLength = 14
    /// The slots of the larger model.
    static let slots = 2 * OmronEEPROMLayout.hundred.rawValue
    static let end = start + slots * recordLength
    /// Slots that are user 1's in either model.
    static let certainSlots = OmronEEPROMLayout.sixty.rawValue
    /// Where the memory of the smaller model ends.
    static let smallEnd = start + 2 * OmronEEPROMLayout.sixty.rawValue * recordLength
    /// Where user 1's part of the larger model's memory ends.
    static let largeFirstEnd = start + OmronEEPROMLayout.hundred.rawValue * recordLength

    enum Content: Equatable {
        /// Not all of its bytes have been read.
        case unknown
        case empty
        case record
        /// Neither empty nor a record with a possible date.
        case unreadable
    }

    private var bytes = [UInt8](repeating: 0, count: slots * recordLength)
    private var isKnown = [Bool](repeating: false, count: slots * recordLength)

    /// Keeps what an answer holds of the records; returns the slots that it touches.
    mutating func store(_ data: [UInt8], at address: Int) -> Range<Int> {
        let first = max(address, Self.start)
        let last = min(address + data.count, Self.end)
        guard first < last else { return 0..<0 }
        bytes.replaceSubrange(first - Self.start..<last - Self.start, with: data[first - address..<last - address])
        isKnown.replaceSubrange(first - Self.start..<last - Self.start, with: repeatElement(true, count: last - first))
        return (first - Self.start) / Self.recordLength..<(last - Self.start + Self.recordLength - 1) / Self.recordLength
    }

    /// The whole bytes of a slot; `nil` while some are missing.
    func record(_ slot: Int) -> [UInt8]? {
        let range = slot * Self.recordLength..<(slot + 1) * Self.recordLength
        guard slot >= 0, slot < Self.slots, isKnown[range].allSatisfy({ $0 }) else { return nil }
        return Array(bytes[range])
    }

    func content(_ slot: Int) -> Content {
        guard let record = record(slot) else { return .unknown }
        if OmronEEPROMRecord.isEmpty(record) { return .empty }
        return OmronEEPROMRecord.reading(record, user: 1)?.clock.time == nil ? .unreadable : .record
    }

    /// Whether what is known can be the memory of this model: each user's slots are filled from the first one on, and user 2's
    /// first slot is empty or holds a record.
    func fits(_ layout: OmronEEPROMLayout) -> Bool {
        for user in 1...2 {
            var isPastEnd = false
            for slot in layout.slots(of: user) {
                switch content(slot) {
                case .unknown: break
                case .empty: isPastEnd = true
                case .record, .unreadable: if isPastEnd { return false }
                }
            }
        }
        return hasReadableStart(layout)
    }

    /// Whether what is known can only be the memory of the other model.
    func contradicts(_ layout: OmronEEPROMLayout) -> Bool { !fits(layout) && fits(layout == .sixty ? .hundred : .sixty) }

    /// Whether user 2's first slot, where it has been read, is empty or holds a record.
    func hasReadableStart(_ layout: OmronEEPROMLayout) -> Bool { content(layout.slots(of: 2).lowerBound) != .unreadable }

    /// The model as the records show it; `nil` where both are possible and would give a record to different users, or neither
    /// is.
    var layout: OmronEEPROMLayout? {
        switch (fits(.sixty), fits(.hundred)) {
        case (true, false): return .sixty
        case (false, true): return .hundred
        case (false, false): return nil
        case (true, true):
            let isFilled = (Self.certainSlots..<Self.slots).contains { content($0) == .record || content($0) == .unreadable }
            return isFilled ? nil : .sixty
        }
    }
}

/// Decoding of one slot.
enum OmronEEPROMRecord {
    static func isEmpty(_ record: [UInt8]) -> Bool { record.prefix(3).allSatisfy { $0 == 0xFF } }

    /// The measurement of a slot that is not empty; `nil` where it can hold none.
    static func reading(_ record: [UInt8], user: Int) -> Reading? {
        let bytes = record.span
        guard bytes.count == OmronEEPROMMemory.recordLength, let day = bytes.bigEndian16(4), let time = bytes.bigEndian16(6),
            bytes[0] > 0
        else { return nil }
        var flags: MeasurementFlags = []
        if day & 0x8000 != 0 { flags.insert(.bodyMovement) }
        if day & 0x4000 != 0 { flags.insert(.irregularPulse) }
        let stamp = DeviceTime(
            year: 2000 + Int(bytes[2]), month: Int(day >> 10 & 0x0F), day: Int(day >> 5 & 0x1F), hour: Int(day & 0x1F),
            minute: Int(time >> 6 & 0x3F), second: min(59, Int(time & 0x3F)))
        return Reading(
            .bloodPressure(.mmHg(Int(bytes[1]) + 25, Int(bytes[0]), pulseOrZero: Int(bytes[3]))), driver: "omron-eeprom",
            user: Int32(user), flags: flags, clock: DeviceClock(stamp), origin: .memory, raw: RawBytes(record))
    }
}
