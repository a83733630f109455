/// Splits the monitor's bytes into lines and counted documents, which are parsed while they arrive, in constant memory.
struct UscomReader: Sendable {
    enum Item {
        case line(String)
        case document(UscomDocument)
        case skipped(Int, FrameFault)
    }

    /// The list of 100 numbers is the longest line.
    private static let longestLine = 1024

    private struct Counted {
        var left: Int
        let length: Int
        let expected: UInt8
        var check = UscomCheck()
        var document = UscomDocument()
        /// The first bytes of the present line of the document.
        var line: [UInt8] = []
    }

    private var line: [UInt8] = []
    private var skipped = 0
    private var counted: Counted?
    private(set) var frames = 0

    mutating func read(_ bytes: [UInt8]) -> [Item] {
        var items: [Item] = []
        for byte in bytes {
            if counted != nil { countIn(byte, &items) } else { lineIn(byte, &items) }
        }
        return items
    }

    mutating func finish() -> Item? {
        let left = line.count + skipped + (counted.map { $0.length - $0.left } ?? 0)
        self = UscomReader()
        return left > 0 ? .skipped(left, .incomplete) : nil
    }

    private mutating func countIn(_ byte: UInt8, _ items: inout [Item]) {
        guard var now = counted else { return }
        counted = nil
        now.check.add(byte)
        now.document.add(byte)
        now.left -= 1
        if byte == 0x0A { now.line = [] } else if now.line.count < UscomHead.mark.count { now.line.append(byte) }
        // The head of the next document: this one was cut off.
        if byte == UscomHead.mark.last, now.line == UscomHead.mark {
            line = now.line
            return items.append(.skipped(now.length - now.left - line.count, .incomplete))
        }
        guard now.left == 0 else { return counted = now }
        guard now.check.value == now.expected else { return items.append(.skipped(now.length, .badCheck)) }
        frames += 1
        items.append(.document(now.document))
    }

    private mutating func lineIn(_ byte: UInt8, _ items: inout [Item]) {
        switch byte {
        case 0x0A:
            if line.last == 0x0D { line.removeLast() }
            defer { line = [] }
            guard skipped == 0 else {
                items.append(.skipped(skipped + line.count + 1, .badCharacter))
                return skipped = 0
            }
            guard !line.isEmpty else { return }
            let text = String(decoding: line, as: UTF8.self)
            if let head = UscomHead(line[...]) {
                counted = Counted(left: head.length, length: head.length, expected: head.check)
            } else {
                frames += Self.isKnown(text) ? 1 : 0
                items.append(.line(text))
            }
        case _ where (0x20...0x7E ~= byte || byte == 0x0D) && line.count < Self.longestLine && skipped == 0: line.append(byte)
        default:
            skipped += line.count + 1
            line = []
        }
    }

    private static func isKnown(_ line: String) -> Bool {
        if line.hasPrefix("IDs_") || line.hasPrefix("<Feature") || line.hasPrefix("ver") { return true }
        let parts = line.split(separator: " ")
        guard parts.count >= 2, parts[0].utf8.count == 1, "MPpFDTS".contains(parts[0]) else { return false }
        return parts[1].utf8.allSatisfy { $0 &- 0x30 < 10 }
    }

    /// Lines of the documented kinds and whole documents, for `cuff identify`.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var reader = UscomReader()
        var found = FoundFrames()
        var start = 0
        for (index, byte) in bytes.enumerated() {
            let items = reader.read([byte])
            for item in items {
                switch item {
                case .line(let text) where !isKnown(text): break
                case .line, .document: found.ranges.append(start..<index + 1)
                case .skipped: break
                }
            }
            // The head of a document belongs to it.
            if !items.isEmpty || byte == 0x0A && reader.counted == nil { start = index + 1 - reader.line.count }
        }
        return found
    }

    /// A document with its check computed again; `nil` for anything else.
    @Sendable static func repaired(_ frame: [UInt8], _ original: [UInt8]) -> [UInt8]? {
        guard let end = frame.firstIndex(of: 0x0A), let head = UscomHead(frame[...end]), frame.count == end + 1 + head.length else {
            return nil
        }
        var repaired = frame
        repaired.replaceSubrange(head.digits, with: Array("\(UscomCheck.of(Array(frame[(end + 1)...])))".utf8))
        return repaired
    }
}
