/// Gives every reading of one cuff its id, and recognises repetitions.
///
/// The id is a hash of the cuff's identity, the driver, the user slot, the record's bytes, and the cuff's record number or the occurrence
/// among equal records of the dump. Values that the host may correct are excluded, so that reading a memory twice gives the same ids.
///
/// A record without time, number or dump uses its receive time or, from a file, its place in the stream. Places are unique in a ledger,
/// whatever the host's clock does; only the protocol makes repetitions (`OutstandingRecords`), also if a cuff deletes acknowledged records
/// and the time of its next record has not advanced.
package struct ReadingLedger: Sendable {
    private var deviceSeed: UInt64
    private var ordinal: UInt64 = 0
    private var lastArrival: UInt64 = 0
    private var emitted = 0
    /// Readings before the present session; sessions count only their own.
    private var emittedBefore = 0
    /// Must be stored before a reading goes to the sinks, and before an acknowledgement is written.
    package private(set) var outstanding: OutstandingRecords
    private var recent = RecentHashes()
    /// The storage key of the cuff's readings; empty while unknown.
    package private(set) var device: String
    /// Repeated readings, not admitted again.
    package private(set) var duplicates = 0

    /// `outstanding` comes from an earlier ledger of the same cuff.
    package init(device: String, driver: DriverID, outstanding: OutstandingRecords = OutstandingRecords()) {
        self.device = device
        self.outstanding = outstanding
        self.outstanding.expectRepetitions()
        deviceSeed = Self.seed(device, driver)
    }

    /// Sets the reported identity for later readings; returns whether it changed.
    @discardableResult
    package mutating func identify(_ device: String, driver: DriverID) -> Bool {
        guard device != self.device else { return false }
        self.device = device
        deviceSeed = Self.seed(device, driver)
        return true
    }

    /// Sets the outstanding records of the identified cuff.
    package mutating func resume(_ left: OutstandingRecords) {
        outstanding = left
        outstanding.expectRepetitions()
    }

    /// Another session begins on the same line.
    package mutating func sessionBegins() {
        emittedBefore = emitted
        outstanding.expectRepetitions()
    }

    /// The next write acknowledges the session's first `through` readings; 0: only those of earlier sessions.
    package mutating func acknowledge(through: Int) {
        if through == 0 { outstanding.expectNothing() } else { outstanding.acknowledge(through: emittedBefore + through) }
    }

    /// Unacknowledged readings may be repeated; with `isLost`, also those of the last acknowledgement.
    package mutating func expectRepetitions(isLost: Bool) {
        if isLost { outstanding.acknowledgementLost() }
        outstanding.expectRepetitions()
    }

    /// Whether only its arrival distinguishes the record from an equal one.
    @inline(__always)
    static func restsOnArrival(_ reading: borrowing Reading) -> Bool {
        reading.clock.time == nil && reading.sequence == nil && reading.repetition != .inDump
    }

    private static func seed(_ device: String, _ driver: DriverID) -> UInt64 {
        XXHash64.hash(Array("\(driver)\u{0}\(device)".utf8).span)
    }

    /// Gives the reading its id; returns whether it is new. `received` is `nil` for bytes from a file.
    @inline(__always)
    package mutating func admit(_ reading: inout Reading, received: Timestamp?) -> Bool {
        name(&reading, received: received)
        return isNew(&reading)
    }

    @inline(__always)
    mutating func name(_ reading: inout Reading, received: Timestamp?) {
        reading.received = received
        ordinal &+= 1
        var seed = seed(of: reading)
        emitted &+= 1
        if case .time(let time) = reading.clock {
            reading.id.begin(time)
            if reading.repetition == .untilAcknowledged {
                seed = seed &+ place(of: reading, seed, received, stamp: time.wallSeconds) &* 0xC2B2_AE3D_27D4_EB4F
            }
        } else if Self.restsOnArrival(reading) {
            let place = place(of: reading, seed, received)
            seed = seed &+ place &* 0xC2B2_AE3D_27D4_EB4F
            reading.id.wallSeconds = received == nil ? nil : Int64(place / 1000)
        } else {
            reading.id.wallSeconds = nil
        }
        reading.id.hash = reading.raw.withBytesInPlace { XXHash64.hash($0, seed: seed) }
    }

    /// The parts of the id other than the record's bytes and arrival.
    @inline(__always)
    private func seed(of reading: borrowing Reading) -> UInt64 {
        var seed = deviceSeed
        if let user = reading.user { seed = seed &+ UInt64(truncatingIfNeeded: user) &* 0x9E37_79B9_7F4A_7C15 }
        seed ^= UInt64(reading.occurrence) << 48
        if let sequence = reading.sequence { seed ^= UInt64(sequence) &* 0xD6E8_FEB8_6659_FD93 }
        return seed
    }

    /// The arrival of the record, or of the one it repeats; strictly ascending.
    @inline(never)
    private mutating func place(
        of reading: borrowing Reading, _ seed: UInt64, _ received: Timestamp?, stamp: Int64? = nil
    ) -> UInt64 {
        guard let received else { return repeated(reading, seed, ordinal, stamp) }
        let arrival = max(UInt64(clamping: received.milliseconds), lastArrival &+ 1)
        lastArrival = arrival
        return repeated(reading, seed, arrival, stamp)
    }

    private mutating func repeated(_ reading: borrowing Reading, _ seed: UInt64, _ place: UInt64, _ stamp: Int64?) -> UInt64 {
        guard reading.repetition == .untilAcknowledged else { return place }
        let hash = reading.raw.withBytes { XXHash64.hash($0, seed: seed) }
        return outstanding.place(of: hash, number: emitted, fresh: place, stamp: stamp)
    }

    /// Whether the reading, which has its id, is new. Call once for each, in order.
    @inline(__always)
    mutating func isNew(_ reading: inout Reading) -> Bool {
        if reading.repetition == .withoutPulse { return isNewByPulse(&reading) }
        let key = reading.id.hash &+ UInt64(reading.revision) &* 0xA24B_AED4_963E_E407 &+ (reading.isPending ? 1 : 0)
        guard recent.insert(key) else {
            duplicates += 1
            return false
        }
        return true
    }

    /// `isNew` for records whose bytes do not contain the pulse; notes are kept under the hash of the bytes. A pulse known from the start
    /// is part of the id. A pulse that completes a stored reading keeps its id and raises its revision. A repetition without pulse is a
    /// duplicate.
    private mutating func isNewByPulse(_ reading: inout Reading) -> Bool {
        let pressures = reading.id.hash
        var note = PulseNote(reading)
        reading.id.hash = note.hash(pressures)
        if recent.insert(pressures, note: note.bits) { return true }
        let first = PulseNote(bits: recent.note(of: pressures))
        if note.contradicts(first) {
            if recent.insert(reading.id.hash, note: note.bits) { return true }
            let known = PulseNote(bits: recent.note(of: reading.id.hash))
            return replaces(note, known, under: reading.id.hash)
        }
        let isFuller = note.hasPulse && !first.hasPulse
        if first.isWithoutPulseInID || isFuller {
            note.isWithoutPulseInID = true
            reading.id.hash = pressures
        }
        guard isFuller else { return note.hasPulse == first.hasPulse ? replaces(note, first, under: pressures) : countDuplicate() }
        reading.revision = max(reading.revision, min(first.revision, Reading.highestRevision - 1) + 1)
        note.revision = reading.revision
        recent.setNote(note.bits, of: pressures)
        return true
    }

    private mutating func replaces(_ note: PulseNote, _ known: PulseNote, under hash: UInt64) -> Bool {
        guard note.order > known.order else { return countDuplicate() }
        recent.setNote(note.bits, of: hash)
        return true
    }

    private mutating func countDuplicate() -> Bool {
        duplicates += 1
        return false
    }
}

/// The latest hashes, in two generations of 2048: between 2048 and 4096 readings. The largest documented cuff memory holds 250 records, so
/// a memory read twice is recognised. Each generation is a table behind a filter of 32,768 bits, so that only one in sixteen new hashes
/// needs the table.
struct RecentHashes: Sendable {
    private static let filter = 512
    private static let slots = 8192
    private var young = [UInt64](repeating: 0, count: filter + slots)
    private var old = [UInt64](repeating: 0, count: filter + slots)
    /// Notes of the hashes, slot by slot; empty until used.
    private var youngNotes: [UInt64] = []
    private var oldNotes: [UInt64] = []
    private var count = 0

    /// Inserts the hash; returns whether it was new.
    @inline(__always)
    mutating func insert(_ hash: UInt64) -> Bool {
        let hash = hash == 0 ? 1 : hash
        let word = Int(truncatingIfNeeded: hash >> 32) & (Self.filter - 1)
        let bit: UInt64 = 1 &<< (hash >> 48)
        if old[word] & bit != 0, old[Self.slot(of: hash, in: old)] != 0 { return false }
        let slot = Self.slot(of: hash, in: young)
        if young[word] & bit != 0, young[slot] != 0 { return false }
        young[word] |= bit
        young[slot] = hash
        count += 1
        if count == 2048 { turn() }
        return true
    }

    mutating func insert(_ hash: UInt64, note: UInt64) -> Bool {
        guard insert(hash) else { return false }
        if youngNotes.isEmpty {
            youngNotes = [UInt64](repeating: 0, count: Self.slots)
            oldNotes = youngNotes
        }
        setNote(note, of: hash)
        return true
    }

    mutating func setNote(_ note: UInt64, of hash: UInt64) {
        let hash = hash == 0 ? 1 : hash
        let slot = Self.slot(of: hash, in: young)
        if young[slot] != 0 {
            youngNotes[slot - Self.filter] = note
        } else {
            oldNotes[Self.slot(of: hash, in: old) - Self.filter] = note
        }
    }

    func note(of hash: UInt64) -> UInt64 {
        guard !youngNotes.isEmpty else { return 0 }
        let hash = hash == 0 ? 1 : hash
        let slot = Self.slot(of: hash, in: young)
        if young[slot] != 0 { return youngNotes[slot - Self.filter] }
        let former = Self.slot(of: hash, in: old)
        return old[former] != 0 ? oldNotes[former - Self.filter] : 0
    }

    @inline(never)
    private mutating func turn() {
        swap(&young, &old)
        swap(&youngNotes, &oldNotes)
        for index in young.indices { young[index] = 0 }
        count = 0
    }

    /// The slot of the hash, or the free one for it.
    @inline(__always)
    private static func slot(of hash: UInt64, in table: [UInt64]) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & (slots - 1)
        while table[filter + slot] != 0, table[filter + slot] != hash { slot = (slot + 1) & (slots - 1) }
        return filter + slot
    }
}

/// Numbers equal records within one dump, so that equal measurements stay distinct.
public struct DumpOccurrences: Sendable {
    private var seen: [UInt64: UInt16] = [:]
    /// Nothing marked yet; use one value per dump.
    public init() {}

    /// The readings of a row of records, marked; `nil` if one is no record.
    static func readings(
        _ bytes: Span<UInt8>, _ range: Range<Int>, each length: Int, _ decode: (Span<UInt8>) -> Reading?
    ) -> [Reading]? {
        var occurrences = DumpOccurrences()
        var readings: [Reading] = []
        for start in stride(from: range.lowerBound, to: range.upperBound, by: length) {
            guard start + length <= bytes.count, var reading = decode(bytes.extracting(start..<(start + length))) else { return nil }
            occurrences.mark(&reading)
            readings.append(reading)
        }
        return readings
    }

    /// Sets `repetition` to `inDump`, and `occurrence` to the number of equal records (bytes and user) before.
    public mutating func mark(_ reading: inout Reading) {
        let user = UInt64(truncatingIfNeeded: reading.user ?? -1)
        let hash = reading.raw.withBytes { XXHash64.hash($0, seed: user) }
        reading.repetition = .inDump
        reading.occurrence = seen[hash] ?? 0
        seen[hash] = reading.occurrence &+ 1
    }
}
