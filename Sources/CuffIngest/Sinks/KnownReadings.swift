import CLinux
import CuffCore
import Glibc

/// Which readings a file already holds, in memory that does not grow with their number.
///
/// The latest keys stand in a small table; older ones lie sorted in nameless files beside the sink's own (16 bytes a key,
/// gone with the process), which are merged pairwise, so that ten million keys are some ten files. Most new readings never
/// ask a file: a Bloom filter says that their key cannot be there. Keys are ordered by the time that begins an id, so that
/// a memory that is read again in its order finds one block after the other.
///
/// Not Sendable: it belongs to one sink.
final class KnownReadings {
    /// One state of a reading: a completed one is another line than the pending one before it.
    struct Key: Hashable, Comparable {
        var time: UInt64
        var hash: UInt64

        /// `YYYYMMDDTHHMMSS-` and 16 hexadecimal digits.
        static let idLength = 32

        init(_ id: Reading.ID, revision: UInt8, isPending: Bool) {
            time = id.sortKey
            hash = id.hash &+ UInt64(revision) &* 0xA24B_AED4_963E_E407 &+ (isPending ? 1 : 0)
        }

        init(_ reading: borrowing Reading) { self.init(reading.id, revision: reading.revision, isPending: reading.isPending) }

        @inline(__always)
        static func < (a: Key, b: Key) -> Bool { a.time != b.time ? a.time < b.time : a.hash < b.hash }
    }

    /// Keys kept in memory: 256 KiB, and 128 KiB of places.
    static let youngLimit = 1 << 14
    /// 4 MiB. With four probes one in six thousand new readings asks the files in vain at a million keys, and at ten
    /// million one in four.
    private static let bloomWords = 1 << 19

    private let folder: String
    private let limit: Int
    private var young: [Key] = []
    /// Places of `young`, plus one; 0 is empty.
    private var slots: [UInt32]
    /// How many of `young` are on disk in the sink's own file.
    private var kept = 0
    private var bloom: [UInt64] = []
    private var runs: [SortedKeys] = []

    /// `path` is the sink's file: the nameless ones lie in the same folder.
    init(near path: String, limit: Int = KnownReadings.youngLimit) {
        folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        self.limit = limit
        slots = [UInt32](repeating: 0, count: 1024)
    }

    /// How many keys there are.
    var count: Int { runs.reduce(young.count) { $0 + $1.count } }

    /// Whether the key was not there yet; it is from now on, until `forget`.
    func insert(_ key: Key) throws(IngestError) -> Bool {
        if !runs.isEmpty, mayBeOld(key) {
            for run in runs where try run.contains(key) { return false }
        }
        if (young.count + 1) * 2 > slots.count { grow() }
        var slot = place(key)
        while slots[slot] != 0 {
            if young[Int(slots[slot]) - 1] == key { return false }
            slot = (slot + 1) & (slots.count - 1)
        }
        young.append(key)
        slots[slot] = UInt32(young.count)
        return true
    }

    /// What was inserted so far is in the sink's file.
    func keep() {
        kept = young.count
        guard kept >= limit else { return }
        // Without room for the file the keys stay in memory, and the next call tries again.
        guard let run = try? SortedKeys(young.sorted(), folder: folder) else { return }
        markAsOld()
        runs.append(run)
        young.removeAll(keepingCapacity: true)
        kept = 0
        for index in slots.indices { slots[index] = 0 }
        merge()
    }

    /// What was inserted since `keep` did not get into the sink's file.
    func forget() {
        guard kept < young.count else { return }
        young.removeSubrange(kept...)
        layOut()
    }

    // MARK: The young

    private func place(_ key: Key) -> Int {
        Int(truncatingIfNeeded: (key.hash ^ key.time) &* 0x9E37_79B9_7F4A_7C15 >> 32) & (slots.count - 1)
    }

    private func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        layOut()
    }

    private func layOut() {
        for index in slots.indices { slots[index] = 0 }
        for (index, key) in young.enumerated() {
            var slot = place(key)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    // MARK: The old

    private func merge() {
        while runs.count > 1, runs[runs.count - 1].count * 2 > runs[runs.count - 2].count {
            let (a, b) = (runs[runs.count - 2], runs[runs.count - 1])
            guard let merged = try? SortedKeys(a, b, folder: folder) else { return }
            runs.removeLast(2)
            runs.append(merged)
        }
    }

    @inline(__always)
    private static func bits(_ key: Key, _ body: (Int, UInt64) -> Bool) -> Bool {
        // A key's hash is a good hash already; two halves of it give four probes.
        var probe = key.hash ^ key.time &* 0x9E37_79B9_7F4A_7C15
        let step = (probe >> 25 ^ probe << 39) | 1
        for _ in 0..<4 {
            let bit = Int(truncatingIfNeeded: probe >> 16) & (bloomWords * 64 - 1)
            if !body(bit >> 6, 1 << UInt64(bit & 63)) { return false }
            probe = probe &+ step
        }
        return true
    }

    private func mayBeOld(_ key: Key) -> Bool {
        bloom.withUnsafeBufferPointer { words in Self.bits(key) { words[$0] & $1 != 0 } }
    }

    private func markAsOld() {
        if bloom.isEmpty { bloom = [UInt64](repeating: 0, count: Self.bloomWords) }
        bloom.withUnsafeMutableBufferPointer { words in
            for key in young {
                _ = Self.bits(key) {
                    words[$0] |= $1
                    return true
                }
            }
        }
    }
}

/// Sorted keys in a nameless file, with the first key of each block in memory: a look-up reads one block at most.
final class SortedKeys {
    typealias Key = KnownReadings.Key

    let count: Int
    private let descriptor: Int32
    private var fences: [Key]
    private var block = [Key]()
    private var blockNumber = -1

    /// 16 KiB: ten million keys have 160 KiB of fences.
    private static let blockKeys = 1024

    init(_ keys: [Key], folder: String) throws(IngestError) {
        descriptor = try Self.open(folder)
        count = keys.count
        fences = stride(from: 0, to: keys.count, by: Self.blockKeys).map { keys[$0] }
        // From here on every property is set, and deinit closes the descriptor of an initialiser that throws.
        do throws(SystemFault) { try Self.append(keys, descriptor) } catch {
            throw .writing("a file in \(folder)", error.number)
        }
    }

    /// Both in one, block by block.
    init(_ a: SortedKeys, _ b: SortedKeys, folder: String) throws(IngestError) {
        descriptor = try Self.open(folder)
        count = a.count + b.count
        fences = []
        try merge(a, b, folder)
    }

    deinit { Glibc.close(descriptor) }

    private func merge(_ a: SortedKeys, _ b: SortedKeys, _ folder: String) throws(IngestError) {
        var (left, right) = (Reader(a), Reader(b))
        var output: [Key] = []
        output.reserveCapacity(Self.blockKeys)
        while true {
            let key: Key
            switch (try left.peek(), try right.peek()) {
            case (nil, nil):
                do throws(SystemFault) { try Self.append(output, descriptor) } catch { throw .writing("a file in \(folder)", error.number) }
                return
            case (let one?, nil): key = one; left.next()
            case (nil, let other?): key = other; right.next()
            case (let one?, let other?):
                if one < other { key = one; left.next() } else { key = other; right.next() }
            }
            if output.isEmpty { fences.append(key) }
            output.append(key)
            if output.count == Self.blockKeys {
                do throws(SystemFault) { try Self.append(output, descriptor) } catch { throw .writing("a file in \(folder)", error.number) }
                output.removeAll(keepingCapacity: true)
            }
        }
    }

    private struct Reader {
        let keys: SortedKeys
        var index = 0
        init(_ keys: SortedKeys) { self.keys = keys }
        mutating func peek() throws(IngestError) -> Key? {
            guard index < keys.count else { return nil }
            try keys.load(index / SortedKeys.blockKeys)
            return keys.block[index % SortedKeys.blockKeys]
        }
        mutating func next() { index += 1 }
    }

    func contains(_ key: Key) throws(IngestError) -> Bool {
        guard let first = fences.first, !(key < first) else { return false }
        var (low, high) = (0, fences.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if key < fences[middle] { high = middle } else { low = middle }
        }
        try load(low)
        (low, high) = (0, block.count)
        while low < high {
            let middle = (low + high) / 2
            if block[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < block.count && block[low] == key
    }

    private func load(_ number: Int) throws(IngestError) {
        guard number != blockNumber else { return }
        let size = MemoryLayout<Key>.stride
        let wanted = min(Self.blockKeys, count - number * Self.blockKeys)
        if block.count != wanted { block = [Key](repeating: fences[0], count: wanted) }
        blockNumber = -1
        var done = 0
        while done < wanted * size {
            let got = block.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + done }, wanted * size - done, off_t(number * Self.blockKeys * size + done))
            }
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { throw .reading("the list of known readings", got < 0 ? errno : EIO) }
            done += got
        }
        blockNumber = number
    }

    private static func append(_ keys: [Key], _ descriptor: Int32) throws(SystemFault) {
        var fault: SystemFault?
        keys.withUnsafeBytes { bytes in
            do throws(SystemFault) { try Descriptor.writeAll(descriptor, bytes) } catch { fault = error }
        }
        if let fault { throw fault }
    }

    private static func open(_ folder: String) throws(IngestError) -> Int32 {
        var number = EOPNOTSUPP
        for place in [folder, "/var/tmp", "/tmp"] {
            let descriptor = clinux_open_unnamed(place)
            if descriptor >= 0 { return descriptor }
            number = -descriptor
        }
        throw .writing("a file in \(folder)", number)
    }
}
