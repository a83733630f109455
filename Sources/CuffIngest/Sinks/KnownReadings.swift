import CuffCore

/// Which readings a file already holds: a set of 64-bit keys, eight bytes and a little each.
struct KnownReadings: Sendable {
    private var slots: [UInt64] = []
    private(set) var count = 0

    /// The key of one state of a reading: a completed one is another line than the pending one before it.
    static func key(hash: UInt64, revision: UInt8, isPending: Bool) -> UInt64 {
        let key = hash &+ UInt64(revision) &* 0xA24B_AED4_963E_E407 &+ (isPending ? 1 : 0)
        return key == 0 ? 1 : key
    }

    static func key(of reading: borrowing Reading) -> UInt64 {
        key(hash: reading.id.hash, revision: reading.revision, isPending: reading.isPending)
    }

    func contains(_ key: UInt64) -> Bool {
        guard !slots.isEmpty else { return false }
        var slot = place(key)
        while slots[slot] != 0 {
            if slots[slot] == key { return true }
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        return false
    }

    /// Whether the key was not there yet.
    mutating func insert(_ key: UInt64) -> Bool {
        if count * 5 >= slots.count * 4 { grow() }
        var slot = place(key)
        while slots[slot] != 0 {
            if slots[slot] == key { return false }
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        slots[slot] = key
        count += 1
        return true
    }

    /// Forgets keys again whose lines did not get written. Rare, so the whole set is laid out anew.
    mutating func remove(_ keys: [UInt64]) {
        guard !keys.isEmpty else { return }
        let gone = Set(keys)
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count)
        count = 0
        for key in old where key != 0 && !gone.contains(key) { _ = insert(key) }
    }

    /// Keys are hashes already; their high bits choose the slot.
    private func place(_ key: UInt64) -> Int { Int(key.multipliedFullWidth(by: UInt64(slots.count)).high) }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: max(1024, old.count / 2 * 3))
        for key in old where key != 0 {
            var slot = place(key)
            while slots[slot] != 0 { slot = slot + 1 == slots.count ? 0 : slot + 1 }
            slots[slot] = key
        }
    }
}
