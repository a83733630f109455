import CuffCore

/// Splits XML into tags, for exports with all values in attributes: text between elements is blank. It supports neither entities nor
/// namespaces, and does not check nesting. It takes chunks, and keeps at most one tag in memory.
struct XMLScanner {
    enum Token {
        /// The bytes are the name and the attributes.
        case start(isEmpty: Bool)
        /// The bytes are the name.
        case end
        /// Not allowed by the format; the scanner continues after it.
        case malformed(String)
    }

    /// Apple's longest tag, a Record with its device, has less than a kilobyte.
    static let longestTag = 65536
    private var pending: [UInt8] = []
    private var isInDocumentType = false
    private var isInComment = false
    /// No tag is incomplete.
    var isAtEnd: Bool { pending.isEmpty && !isInComment && !isInDocumentType }

    mutating func read(
        _ bytes: Span<UInt8>, _ take: (Token, Span<UInt8>) throws(ImportFault) -> Void
    ) throws(ImportFault) {
        guard !pending.isEmpty else {
            let used = try scan(bytes, take)
            pending = bytes.part(used, bytes.count - used)
            return
        }
        var joined = pending
        pending = []
        joined.reserveCapacity(joined.count + bytes.count)
        bytes.withUnsafeBufferPointer { joined.append(contentsOf: $0) }
        let used = try scan(joined.span, take)
        pending = joined.span.part(used, joined.count - used)
    }

    /// Returns the number of bytes scanned.
    private mutating func scan(
        _ bytes: Span<UInt8>, _ take: (Token, Span<UInt8>) throws(ImportFault) -> Void
    ) throws(ImportFault) -> Int {
        var index = 0
        while index < bytes.count {
            if isInComment || isInDocumentType {
                guard let end = skipDeclaration(bytes, from: index) else { return max(index, bytes.count - 2) }
                index = end
                continue
            }
            guard bytes[index] == 0x3C else {
                let end = bytes.firstOffset(of: 0x3C, from: index) ?? bytes.count
                if !Self.isBlank(bytes, index..<end) { try take(.malformed("text between elements"), bytes.extracting(index..<index)) }
                index = end
                continue
            }
            switch Self.tagEnd(bytes, from: index + 1) {
            case .open:
                guard bytes.count - index <= Self.longestTag else {
                    try take(.malformed("a tag longer than \(Self.longestTag) bytes"), bytes.extracting(index..<index))
                    return bytes.count
                }
                return index
            case .broken(let next):
                try take(.malformed("a tag is not closed"), bytes.extracting(index..<index))
                index = next
            case .declaration:
                if bytes.count - index < 4 { return index }
                isInComment = bytes.matches("<!--", at: index)
                if isInComment {
                    index += 4
                } else {
                    // A document type ends at its `>`, or with the `]>` of its list.
                    guard let end = bytes.firstOffset(of: 0x3E, from: index) else { return index }
                    let list = bytes.firstOffset(of: 0x5B, from: index)
                    isInDocumentType = list.map { $0 < end } ?? false
                    index = isInDocumentType ? end : end + 1
                }
            case .closed(let end):
                try tag(bytes.extracting((index + 1)..<end), take)
                index = end + 1
            }
        }
        return index
    }

    private func tag(_ bytes: Span<UInt8>, _ take: (Token, Span<UInt8>) throws(ImportFault) -> Void) throws(ImportFault) {
        guard let first = bytes.byte(0) else { return try take(.malformed("an empty tag"), bytes) }
        if first == 0x3F { return }
        if first == 0x2F { return try take(.end, bytes.extracting(1..<bytes.count)) }
        let isEmpty = bytes[bytes.count - 1] == 0x2F
        try take(.start(isEmpty: isEmpty), bytes.extracting(0..<(bytes.count - (isEmpty ? 1 : 0))))
    }

    /// The index after a comment or a document type with its declarations.
    private mutating func skipDeclaration(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while let end = bytes.firstOffset(of: 0x3E, from: index) {
            index = end + 1
            let before: UInt8 = isInComment ? 0x2D : 0x5D
            let isEnd = end >= 2 && bytes[end - 1] == before && (!isInComment || bytes[end - 2] == before)
            guard isEnd else { continue }
            (isInComment, isInDocumentType) = (false, false)
            return index
        }
        return nil
    }

    private enum TagEnd { case closed(Int), open, broken(Int), declaration }

    /// The `>` that ends a tag is outside quotes; a `<` within a tag is forbidden, so it shows damage.
    private static func tagEnd(_ bytes: Span<UInt8>, from start: Int) -> TagEnd {
        if bytes.byte(start) == 0x21 { return .declaration }
        return bytes.withUnsafeBufferPointer { bytes in
            var index = start
            var quote: UInt8 = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte == 0x3C { return .broken(index) }
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == 0x3E {
                    return .closed(index)
                } else if byte == 0x22 || byte == 0x27 {
                    quote = byte
                }
                index &+= 1
            }
            return .open
        }
    }

    private static func isBlank(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where bytes[index] > 0x20 {
            // A byte order mark before the first tag.
            guard index < 3, bytes.matches("\u{FEFF}") else { return false }
        }
        return true
    }

    /// The range of an attribute's value in a start tag; `nil` if the attribute is missing.
    static func attribute(_ name: StaticString, _ tag: Span<UInt8>) -> Range<Int>? {
        let length = name.utf8CodeUnitCount
        var index = 0
        while let equals = tag.firstOffset(of: 0x3D, from: index) {
            // Blanks may surround the equals sign.
            var (start, open) = (equals, equals + 1)
            while start > 0, tag[start - 1] <= 0x20 { start -= 1 }
            while open < tag.count, tag[open] <= 0x20 { open += 1 }
            guard let quote = tag.byte(open), quote == 0x22 || quote == 0x27, let end = tag.firstOffset(of: quote, from: open + 1) else {
                return nil
            }
            start -= length
            if start > 0, tag.matches(name, at: start), tag[start - 1] <= 0x20 { return (open + 1)..<end }
            index = end + 1
        }
        return nil
    }
}
