/// A key, with the comma before it, and its value: for what few lines have. The usual keys are inlined.
extension ByteWriter {
    mutating func put(_ key: StaticString, decimal number: Int64) {
        put(key)
        put(decimal: number)
    }

    mutating func put(_ key: StaticString, json text: String) {
        put(key)
        put(jsonString: text)
    }

    /// `key` includes the word's first quote.
    mutating func put(_ key: StaticString, word: StaticString) {
        put(key)
        put(word)
        put(0x22)
    }
}

/// What few readings have, in JSON: apart from the usual keys, which are inlined.
extension ReadingLine {
    @inline(never)
    static func longest(_ additions: ReadingAdditions) -> Int {
        let metadata = additions.metadata.isEmpty ? 0 : printed(JSONOutput(additions.metadata).string)
        return printed(additions.person) + metadata + (additions.remarks?.longestPrinted ?? 0)
    }

    @inline(never)
    func put(_ additions: ReadingAdditions, _ writer: inout ByteWriter) {
        if let person = additions.person { writer.put(",\"person\":", json: person) }
        if let remarks = additions.remarks { put(remarks, &writer) }
        if !additions.metadata.isEmpty { put(additions.metadata, &writer) }
    }

    private func put(_ remarks: Remarks, _ writer: inout ByteWriter) {
        for (key, text) in remarks.all {
            switch key {
            case .note: writer.put(",\"note\":", json: text)
            case .medication: writer.put(",\"medication\":", json: text)
            case .posture: writer.put(",\"posture\":", json: text)
            case .arm: writer.put(",\"arm\":", json: text)
            }
        }
    }

    private func put(_ metadata: [String: String], _ writer: inout ByteWriter) {
        writer.put(",\"metadata\":")
        var object = JSONOutput(metadata).string
        object.withUTF8 { if let start = $0.baseAddress { writer.put(start, $0.count) } }
    }
}
