/// A recording without personal data: bytes rewritten by the family's `Redaction`, header reduced to what a reader of the bytes needs.
package struct CaptureRedaction: Sendable {
    /// The rewritten items, as many as before.
    package private(set) var items: [CaptureItem] = []
    /// The kept fields, and `changed`.
    package private(set) var header = CaptureHeader()
    /// The changes made.
    package private(set) var work: Redaction.Work
    /// Header fields that were removed.
    package private(set) var droppedFields: [String] = []
    /// The number of removed events with free text.
    package private(set) var droppedEvents = 0

    /// Header fields kept unchanged. `cuff` and `consent` are free text, so the sender of the recording must check them.
    package static let keptFields = ["driver", "cuff", "origin", "line", "consent"]
    /// In microseconds. No recording waits so long for its first byte.
    private static let year: Int64 = 31_536_000_000_000
    private static let knownEvents: Set<String> = [
        CaptureEvent.framingError, .parityError, .overrun, .lineBreak, .unplugged, .silence,
    ].reduce(into: []) { $0.insert($1.text) }

    /// Rewrites a whole recording; times are shifted by `days`. The times of items begin at 0 if they count from 1970.
    package init(_ original: [CaptureItem], header: CaptureHeader, by redaction: Redaction, days: Int) {
        work = Redaction.Work(days: days)
        items = original.filter { item in
            guard case .event(let event) = item.content else { return true }
            return Self.knownEvents.contains(event.text)
        }
        droppedEvents = original.count - items.count
        if let first = items.lazy.compactMap(\.time).first, first >= Self.year {
            for index in items.indices { items[index].time = items[index].time.map { max(0, $0 - first) } }
        }
        rewrite(.fromCuff, redaction)
        rewrite(.toCuff, redaction)
        for field in header.fields where field.key != "changed" {
            if Self.keptFields.contains(field.key) { self.header.fields.append(field) } else { droppedFields.append(field.key) }
        }
        let before = header["changed"].map { $0 + "; " } ?? ""
        self.header.fields.append(("changed", before + summary))
    }

    private mutating func rewrite(_ side: Redaction.Side, _ redaction: Redaction) {
        var indices: [Int] = []
        var bytes: [[UInt8]] = []
        for (index, item) in items.enumerated() {
            switch (item.content, side) {
            case (.fromCuff(let part), .fromCuff), (.toCuff(let part), .toCuff):
                indices.append(index)
                bytes.append(part)
            default: break
            }
        }
        let lengths = bytes.map(\.count)
        redaction.rewrite(&bytes, side, &work)
        guard bytes.count == indices.count else { return }
        for (index, (place, part)) in zip(indices, bytes).enumerated().reversed() {
            // A frame that lost an escape may leave an item empty.
            if part.isEmpty, lengths[index] > 0 {
                items.remove(at: place)
            } else {
                items[place].content = side == .fromCuff ? .fromCuff(part) : .toCuff(part)
            }
        }
    }

    /// A summary of the changes, for the header and the user. Omits the shift, which would reveal the times.
    package var summary: String {
        var parts = Redaction.Kind.allCases.compactMap { kind in
            work.changes[kind].map { "\(kind.rawValue) (\($0)\(kind == .time ? ", shifted by whole days" : ""))" }
        }
        // Not their names: a comment with a colon is a field.
        if !droppedFields.isEmpty { parts.append("header fields (\(droppedFields.count))") }
        if droppedEvents > 0 { parts.append("notes (\(droppedEvents))") }
        return "anonymised: " + (parts.isEmpty ? "nothing had to be changed" : parts.joined(separator: ", "))
    }
}
