/// xxHash, 64 bits (github.com/Cyan4973/xxHash, `doc/xxhash_spec.md`), for reading ids; not cryptographic. Check values of the
/// specification's test program: XXH64("", 0) = EF46DB3751D8E999, XXH64("abc", 0) = 44BC2CF5AD770999.
package struct XXHash64: Sendable {
    private static let p1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let p2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let p3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let p4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let p5: UInt64 = 0x27D4_EB2F_1656_67C5

    @inline(__always)
    private static func rotate(_ x: UInt64, _ n: UInt64) -> UInt64 { x << n | x >> (64 - n) }

    @inline(__always)
    private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
        rotate(accumulator &+ input &* p2, 31) &* p1
    }

    @inline(__always)
    private static func merge(_ accumulator: UInt64, _ value: UInt64) -> UInt64 {
        (accumulator ^ round(0, value)) &* p1 &+ p4
    }

    /// The 64-bit hash of the bytes. Different seeds give unrelated hashes of the same bytes.
    @inline(__always)
    package static func hash(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// The 64-bit hash of a buffer, which is only read during the call.
    @inline(__always)
    package static func hash(_ data: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        guard let base = data.baseAddress, data.count > 0 else { return finish(seed &+ p5) }
        let total = UInt64(truncatingIfNeeded: data.count)
        // The longest and most frequent record stored inline: a constant length lets the compiler unroll the loop.
        if data.count == 64 { return blocks(base, 64, seed) }
        if data.count >= 32 { return long(base, data.count, seed) }
        return rest(base, base + data.count, seed &+ p5 &+ total)
    }

    @inline(never)
    private static func long(_ base: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 { blocks(base, count, seed) }

    @inline(__always)
    private static func blocks(_ base: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
        var position = base
        let end = base + count
        @inline(__always)
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: position.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var v1 = seed &+ p1 &+ p2
        var v2 = seed &+ p2
        var v3 = seed
        var v4 = seed &- p1
        repeat {
            v1 = round(v1, word(0))
            v2 = round(v2, word(8))
            v3 = round(v3, word(16))
            v4 = round(v4, word(24))
            position += 32
        } while end - position >= 32
        var result = rotate(v1, 1) &+ rotate(v2, 7) &+ rotate(v3, 12) &+ rotate(v4, 18)
        result = merge(result, v1)
        result = merge(result, v2)
        result = merge(result, v3)
        result = merge(result, v4)
        return rest(position, end, result &+ UInt64(truncatingIfNeeded: count))
    }

    @inline(__always)
    private static func rest(_ base: UnsafeRawPointer, _ end: UnsafeRawPointer, _ sum: UInt64) -> UInt64 {
        var position = base
        var result = sum
        while end - position >= 8 {
            let word = UInt64(littleEndian: position.loadUnaligned(as: UInt64.self))
            result = rotate(result ^ round(0, word), 27) &* p1 &+ p4
            position += 8
        }
        if end - position >= 4 {
            let half = UInt64(UInt32(littleEndian: position.loadUnaligned(as: UInt32.self)))
            result = rotate(result ^ half &* p1, 23) &* p2 &+ p3
            position += 4
        }
        while position < end {
            result = rotate(result ^ UInt64(position.load(as: UInt8.self)) &* p5, 11) &* p1
            position += 1
        }
        return finish(result)
    }

    @inline(__always)
    private static func finish(_ accumulator: UInt64) -> UInt64 {
        var result = accumulator
        result ^= result >> 33
        result = result &* p2
        result ^= result >> 29
        result = result &* p3
        return result ^ result >> 32
    }
}
