/// A recording without what it says of persons: its bytes rewritten as its family's `Redaction` does, its header cut down to what a
/// reader of the bytes needs.
public struct CaptureRedaction: Sendable {
    /// The rewritten conversation, item by item as before.
    public private(set) var items: [CaptureItem] = []
    /// The fields that stay, and `changed`.
    public private(set) var header = CaptureHeader()
    /// What was rewritten.
    public private(set) var work: Redaction.Work
    /// The fields of the header that were left out.
    public private(set) var droppedFields: [String] = []
    /// Lines of events whose words no program wrote, and which were left out.
    public private(set) var droppedEvents = 0

    /// Fields of the header that stay as they are. `cuff` and `consent` are a person's words, so whoever sends the recording looks
    /// at them.
    public static let keptFields = ["driver", "cuff", "origin", "line", "consent"]
    private static let knownEvents: Set<String> = [
        CaptureEvent.framingError, .parityError, .overrun, .lineBreak, .unplugged, .silence,
    ].reduce(into: []) { $0.insert($1.text) }

    /// Rewrites a whole recording.
    public init(_ original: [CaptureItem], header: CaptureHeader, by redaction: Redaction, days: Int) {
        work = Redaction.Work(days: days)
        items = original.filter { item in
            guard case .event(let event) = item.content else { return true }
            return Self.knownEvents.contains(event.text)
        }
        droppedEvents = original.count - items.count
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
            // A frame that lost an escape may leave nothing of an item that held one byte of it.
            if part.isEmpty, lengths[index] > 0 {
                items.remove(at: place)
            } else {
                items[place].content = side == .fromCuff ? .fromCuff(part) : .toCuff(part)
            }
        }
    }

    /// What was changed, for the header and for a person. The shift is not told: whoever knows it knows the times.
    public var summary: String {
        var parts = Redaction.Kind.allCases.compactMap { kind in
            work.changes[kind].map { "\(kind.rawValue) (\($0)\(kind == .time ? ", shifted by whole days" : ""))" }
        }
        if !droppedFields.isEmpty { parts.append("header fields \(droppedFields.joined(separator: ", "))") }
        if droppedEvents > 0 { parts.append("notes (\(droppedEvents))") }
        return "anonymised: " + (parts.isEmpty ? "nothing had to be changed" : parts.joined(separator: ", "))
    }
}
