/// Gives every reading of one cuff its id and recognises the ones that came before.
///
/// The id is a hash over the cuff's identity, the driver, the user slot and the record's own bytes, with the cuff's
/// number of the record or its place among equal ones in the same dump. Nothing the host may later correct goes into it,
/// so that reading the same memory twice gives the same ids. A pushed reading with neither time nor number takes its
/// receive time instead, or, where there is none (a file), its place in the stream.
public struct ReadingLedger: Sendable {
    private var deviceSeed: UInt64
    private var ordinal: UInt64 = 0
    private var recent = RecentHashes()
    public private(set) var device: String
    public private(set) var duplicates = 0

    public init(device: String, driver: DriverID) {
        self.device = device
        deviceSeed = Self.seed(device, driver)
    }

    /// The cuff told who it is; readings from now on are its own.
    public mutating func identify(_ device: String, driver: DriverID) {
        guard device != self.device else { return }
        self.device = device
        deviceSeed = Self.seed(device, driver)
    }

    private static func seed(_ device: String, _ driver: DriverID) -> UInt64 {
        XXHash64.hash(Array("\(driver)\u{0}\(device)".utf8).span)
    }

    /// Names the reading; answers whether it is new. `received` is nil for bytes from a file.
    @inline(__always)
    public mutating func admit(_ reading: inout Reading, received: Timestamp?) -> Bool {
        name(&reading, received: received)
        return isNew(reading.id.hash, revision: reading.revision, isPending: reading.isPending)
    }

    /// Gives the reading its id.
    @inline(__always)
    mutating func name(_ reading: inout Reading, received: Timestamp?) {
        reading.received = received
        ordinal &+= 1
        var seed = deviceSeed
        if let user = reading.user { seed = seed &+ UInt64(truncatingIfNeeded: user) &* 0x9E37_79B9_7F4A_7C15 }
        seed ^= UInt64(reading.occurrence) << 48
        if let sequence = reading.sequence { seed ^= UInt64(sequence) &* 0xD6E8_FEB8_6659_FD93 }
        switch reading.clock {
        case .time(let time): reading.id.begin(time)
        case .absent, .unset, .impossible:
            if reading.sequence == nil && reading.origin != .memory {
                let place = received.map { UInt64(bitPattern: $0.milliseconds) } ?? ordinal
                seed = seed &+ place &* 0xC2B2_AE3D_27D4_EB4F
            }
            reading.id.wallSeconds =
                reading.origin == .memory ? nil : received.map { $0.milliseconds / 1000 }
        }
        reading.id.hash = reading.raw.withBytesInPlace { XXHash64.hash($0, seed: seed) }
    }

    /// Whether a reading that has its id came for the first time; asked once for each, in their order.
    @inline(__always)
    mutating func isNew(_ hash: UInt64, revision: UInt8, isPending: Bool) -> Bool {
        let key = hash &+ UInt64(revision) &* 0xA24B_AED4_963E_E407 &+ (isPending ? 1 : 0)
        guard recent.insert(key) else {
            duplicates += 1
            return false
        }
        return true
    }
}

/// A bounded set of the latest hashes: two generations of 2048, so between 2048 and 4096 readings back. The largest
/// documented cuff memory holds 250 records, so a whole memory read twice is recognised.
struct RecentHashes: Sendable {
    private static let slots = 8192
    private var young = [UInt64](repeating: 0, count: slots)
    private var old = [UInt64](repeating: 0, count: slots)
    private var count = 0

    /// Whether the hash was not there yet.
    @inline(__always)
    mutating func insert(_ hash: UInt64) -> Bool {
        let hash = hash == 0 ? 1 : hash
        if Self.contains(old, hash) { return false }
        var slot = Int(truncatingIfNeeded: hash) & (Self.slots - 1)
        while young[slot] != 0 {
            if young[slot] == hash { return false }
            slot = (slot + 1) & (Self.slots - 1)
        }
        young[slot] = hash
        count += 1
        if count == 2048 { turn() }
        return true
    }

    @inline(never)
    private mutating func turn() {
        swap(&young, &old)
        for index in young.indices { young[index] = 0 }
        count = 0
    }

    @inline(__always)
    private static func contains(_ table: [UInt64], _ hash: UInt64) -> Bool {
        var slot = Int(truncatingIfNeeded: hash) & (slots - 1)
        while table[slot] != 0 {
            if table[slot] == hash { return true }
            slot = (slot + 1) & (slots - 1)
        }
        return false
    }
}

/// Numbers equal records within one dump, so that two equal measurements stay two.
public struct DumpOccurrences: Sendable {
    private var seen: [UInt64: UInt16] = [:]
    public init() {}

    public mutating func mark(_ reading: inout Reading) {
        let user = UInt64(truncatingIfNeeded: reading.user ?? -1)
        let hash = reading.raw.withBytes { XXHash64.hash($0, seed: user) }
        reading.occurrence = seen[hash] ?? 0
        seen[hash] = reading.occurrence &+ 1
    }
}
