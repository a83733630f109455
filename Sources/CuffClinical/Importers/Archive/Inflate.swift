/// Decompresses DEFLATE (RFC 1951) in chunks: memory holds the window and a chunk, whatever the size of the data.
struct Inflate {
    /// The longest distance of a back reference (RFC 1951, 2).
    private static let window = 32768
    /// The size of the pieces of output.
    private static let chunk = 65536

    private struct Code {
        /// Indexed by the next ten bits: the length in the low four bits, the symbol above; 0 if the code is longer or unused.
        var fast = [UInt16](repeating: 0, count: 1024)
        var count = [UInt16](repeating: 0, count: 16)
        var symbols: [UInt16] = []

        init?(_ lengths: ArraySlice<UInt8>) {
            for length in lengths { count[Int(length)] += 1 }
            count[0] = 0
            var left = 1
            for length in 1...15 {
                left = left << 1 - Int(count[length])
                guard left >= 0 else { return nil }
            }
            var offsets = [Int](repeating: 0, count: 16)
            var codes = [Int](repeating: 0, count: 16)
            for length in 1..<15 {
                offsets[length + 1] = offsets[length] + Int(count[length])
                codes[length + 1] = (codes[length] + Int(count[length])) << 1
            }
            symbols = [UInt16](repeating: 0, count: lengths.count)
            for (symbol, length) in lengths.enumerated() where length != 0 {
                let bits = Int(length)
                symbols[offsets[bits]] = UInt16(symbol)
                offsets[bits] += 1
                if bits <= 10 {
                    // Bits come lowest first, codes highest first.
                    var reversed = 0
                    for bit in 0..<bits where codes[bits] >> bit & 1 != 0 { reversed |= 1 << (bits - 1 - bit) }
                    for entry in stride(from: reversed, to: 1024, by: 1 << bits) { fast[entry] = UInt16(symbol << 4 | bits) }
                }
                codes[bits] += 1
            }
        }
    }

    /// Where the decoder continues with the next input.
    private enum State { case header, stored(Int), block(Code, Code), end }

    private var state = State.header
    private var isLast = false
    private var input: [UInt8] = []
    private var position = 0
    private var bits: UInt64 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    /// The last block has ended.
    var isFinished: Bool { if case .end = state { true } else { false } }

    private static let base: [UInt16] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
    private static let extra: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
    private static let distances: [UInt16] = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289,
        16385,
        24577,
    ]
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Takes the next compressed bytes and passes the decompressed ones on. Throws if the data violate the format.
    mutating func read(_ bytes: Span<UInt8>, isEnd: Bool, _ take: (Span<UInt8>) throws(ImportFault) -> Void) throws(ImportFault) {
        input.removeFirst(position)
        position = 0
        bytes.withUnsafeBufferPointer { input.append(contentsOf: $0) }
        while true {
            // A block's header needs 320 bytes at most, a symbol six: without them more input is awaited.
            let isShort = !isEnd && input.count - position < 512
            if isShort || isFinished { break }
            guard try step(isEnd: isEnd) else { throw .damaged("its compressed data are damaged") }
            if output.count >= Self.window + Self.chunk { try flush(keeping: Self.window, take) }
        }
        try flush(keeping: isEnd || isFinished ? 0 : Self.window, take)
    }

    /// Output before this index was passed on, and is kept for back references.
    private var handed = 0

    private mutating func flush(keeping window: Int, _ take: (Span<UInt8>) throws(ImportFault) -> Void) throws(ImportFault) {
        if handed < output.count { try take(output.span.extracting(handed..<output.count)) }
        let surplus = output.count - window
        if surplus > 0 { output.removeFirst(surplus) }
        handed = output.count
    }

    private mutating func fill() {
        while bitCount <= 48, position < input.count {
            bits |= UInt64(input[position]) << UInt64(bitCount)
            position += 1
            bitCount += 8
        }
    }

    private mutating func number(_ count: Int) -> Int? {
        fill()
        guard bitCount >= count else { return nil }
        let value = Int(bits & (1 << UInt64(count) - 1))
        bits >>= UInt64(count)
        bitCount -= count
        return value
    }

    private mutating func symbol(_ code: Code) -> Int? {
        fill()
        let entry = code.fast[Int(bits & 1023)]
        if entry != 0 {
            let length = Int(entry & 15)
            guard bitCount >= length else { return nil }
            bits >>= UInt64(length)
            bitCount -= length
            return Int(entry >> 4)
        }
        var value = 0, first = 0, index = 0
        for length in 1...15 {
            guard bitCount >= length else { return nil }
            value |= Int(bits >> UInt64(length - 1) & 1)
            let count = Int(code.count[length])
            if value - count < first {
                bits >>= UInt64(length)
                bitCount -= length
                return Int(code.symbols[index + value - first])
            }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private mutating func step(isEnd: Bool) throws(ImportFault) -> Bool {
        switch state {
        case .end: return true
        case .header: return readHeader()
        case .stored(let left):
            var left = left
            // First the whole bytes that are already in `bits`.
            while left > 0, bitCount >= 8 {
                output.append(UInt8(truncatingIfNeeded: number(8) ?? 0))
                left -= 1
            }
            let count = min(left, input.count - position, Self.chunk)
            output += input[position..<(position + count)]
            position += count
            left -= count
            if left == 0 { state = isLast ? .end : .header } else { state = .stored(left) }
            return left == 0 || !isEnd || input.count > position
        case .block(let literals, let distances): return readSymbols(literals, distances, isEnd: isEnd)
        }
    }

    private mutating func readSymbols(_ literals: Code, _ distances: Code, isEnd: Bool) -> Bool {
        while output.count < Self.window + Self.chunk, isEnd || input.count - position >= 512 {
            guard let symbol = symbol(literals) else { return false }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 {
                state = isLast ? .end : .header
                return true
            }
            guard symbol < 286, let more = number(Int(Self.extra[symbol - 257])), let place = self.symbol(distances), place < 30,
                let far = number(place < 2 ? 0 : place / 2 - 1)
            else { return false }
            let length = Int(Self.base[symbol - 257]) + more
            let distance = Int(Self.distances[place]) + far
            guard distance <= output.count else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return true
    }

    private mutating func readHeader() -> Bool {
        guard let last = number(1), let type = number(2) else { return false }
        isLast = last == 1
        switch type {
        case 0:
            _ = number(bitCount % 8)
            guard let length = number(16), let check = number(16), length ^ check == 0xFFFF else { return false }
            state = length == 0 ? (isLast ? .end : .header) : .stored(length)
            return true
        case 1:
            let lengths = (0..<288).map { UInt8($0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8) }
            guard let literals = Code(lengths[...]), let distances = Code([UInt8](repeating: 5, count: 30)[...]) else { return false }
            state = .block(literals, distances)
            return true
        case 2: return readCodes()
        default: return false
        }
    }

    private mutating func readCodes() -> Bool {
        guard let literals = number(5), let distances = number(5), let count = number(4), literals < 30, distances < 30 else {
            return false
        }
        var lengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<(count + 4) {
            guard let length = number(3) else { return false }
            lengths[Self.order[index]] = UInt8(length)
        }
        guard let code = Code(lengths[...]) else { return false }
        let total = literals + 257 + distances + 1
        var all: [UInt8] = []
        while all.count < total {
            guard let symbol = symbol(code) else { return false }
            switch symbol {
            case 0..<16: all.append(UInt8(symbol))
            case 16:
                guard let before = all.last, let more = number(2) else { return false }
                all += [UInt8](repeating: before, count: 3 + more)
            case 17:
                guard let more = number(3) else { return false }
                all += [UInt8](repeating: 0, count: 3 + more)
            default:
                guard let more = number(7) else { return false }
                all += [UInt8](repeating: 0, count: 11 + more)
            }
        }
        guard all.count == total, let first = Code(all[..<(literals + 257)]), let second = Code(all[(literals + 257)...]) else {
            return false
        }
        state = .block(first, second)
        return true
    }
}
