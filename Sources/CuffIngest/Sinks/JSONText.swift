/// Whether bytes are one whole JSON object, without building anything of it.
enum JSONText {
    /// Objects and arrays within each other; lines of this program have three.
    private static let deepest = 64

    static func isObject(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.first == 0x7B, text.last == 0x7D, let base = text.baseAddress else { return false }
        var scanner = Scanner(base.assumingMemoryBound(to: UInt8.self), text.count)
        return scanner.isObject()
    }

    private struct Scanner {
        private enum Next { case value, valueOrEnd, key, keyOrEnd, comma }

        private let bytes: UnsafePointer<UInt8>
        private let count: Int
        private var index = 0
        private var depth = 0
        /// A bit for each level, the innermost lowest: 1 is an object.
        private var objects: UInt64 = 0

        init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
            self.bytes = bytes
            self.count = count
        }

        mutating func isObject() -> Bool {
            var next = Next.value
            while index < count {
                let byte = bytes[index]
                index += 1
                switch (byte, next) {
                case (0x20, _): continue
                case (0x7B, .value), (0x7B, .valueOrEnd):
                    guard open(1) else { return false }
                    next = .keyOrEnd
                case (0x5B, .value), (0x5B, .valueOrEnd):
                    guard open(0) else { return false }
                    next = .valueOrEnd
                case (0x7D, .keyOrEnd),
                    (0x7D, .comma) where objects & 1 == 1, (0x5D, .valueOrEnd),
                    (0x5D, .comma) where objects & 1 == 0:
                    (depth, objects) = (depth - 1, objects >> 1)
                    if depth == 0 { return index == count }
                    next = .comma
                case (0x2C, .comma): next = objects & 1 == 1 ? .key : .value
                case (0x22, .key), (0x22, .keyOrEnd):
                    guard string(), index < count, bytes[index] == 0x3A else { return false }
                    index += 1
                    next = .value
                case (0x22, .value), (0x22, .valueOrEnd):
                    guard string() else { return false }
                    next = .comma
                case (_, .value), (_, .valueOrEnd):
                    guard word() else { return false }
                    next = .comma
                default: return false
                }
            }
            return false
        }

        private mutating func open(_ bit: UInt64) -> Bool {
            guard depth < JSONText.deepest else { return false }
            (depth, objects) = (depth + 1, objects << 1 | bit)
            return true
        }

        /// Behind the opening quotation mark.
        private mutating func string() -> Bool {
            while index < count {
                let byte = bytes[index]
                index += byte == 0x5C ? 2 : 1
                if byte == 0x22 { return true }
                if byte < 0x20 { return false }
            }
            return false
        }

        /// A number, `true`, `false` or `null`, of which one byte is read already.
        private mutating func word() -> Bool {
            let start = index - 1
            while index < count, bytes[index] != 0x20, bytes[index] != 0x2C, bytes[index] != 0x7D, bytes[index] != 0x5D { index += 1 }
            let word = UnsafeBufferPointer(start: bytes + start, count: index - start)
            if word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) || word.elementsEqual("null".utf8) { return true }
            return word.allSatisfy { $0 &- 0x30 < 10 || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) } && word.contains { $0 &- 0x30 < 10 }
        }
    }
}
