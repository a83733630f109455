import RemoteSink

/// A reading on its way.
struct Entry: Sendable {
    let line: ReadingLine
    let slot: Slot
    let key: Newness
    /// It is a candidate for the newest one, so it is safe only when the retained one is not older.
    var needsState = false

    /// A rule of the user was raised or cleared; it is no reading, and never the newest of anything.
    var isAlert: Bool { line.type == "alert" }

    func topic(_ topics: Topics) -> String {
        isAlert ? slot.alert(topics) : line.isDeletion ? slot.deleted(topics) : slot.reading(topics)
    }
}

/// What is known of one user of one cuff.
struct SlotState: Sendable {
    enum Phase: Sendable, Equatable { case unknown, fetching, announcing(Int), ready }
    var phase = Phase.unknown
    /// What the broker retains is known.
    var isFetched = false
    /// What the broker retains for certain.
    var confirmed: Newness?
    var newest: Newness?
    var newestLine = ""
    var isPublishing = false
    /// Acknowledged as readings; they wait for the retained one.
    var waiting: [Entry] = []

    /// Whether it is now the newest one, so that it is safe only when the retained one is not older. Of an older one than the
    /// newest nothing is to be retained.
    mutating func accept(_ entry: Entry) -> Bool {
        if newest.map({ $0 < entry.key }) ?? true {
            newest = entry.key
            newestLine = entry.line.json
        }
        return newest == entry.key
    }

    /// The newest reading is deleted: the notice takes its place, so that nobody is shown it any more. What came before it is not
    /// known here, so nothing is shown until a newer reading comes.
    mutating func accept(deletion entry: Entry) -> Bool {
        guard newest?.id == entry.key.id else { return false }
        let isNewest = accept(entry)
        // What a template finds there is `None`, which Home Assistant shows as unknown.
        if isNewest { newestLine = entry.line.json.dropLast() + #","systolic_mmHg":null,"diastolic_mmHg":null}"# }
        return isNewest
    }

    mutating func retained(_ line: ReadingLine?) {
        isFetched = true
        // What somebody else put there, or an empty message, is no reading: it is replaced.
        confirmed = line.map { Newness($0) }
        guard let line, newest.map({ $0 < Newness(line) }) ?? true else { return }
        newest = Newness(line)
        newestLine = line.json
    }

    /// What the broker is to retain and does not.
    var unpublished: Newness? {
        guard phase == .ready, !isPublishing, let newest, confirmed.map({ $0 < newest }) ?? true else { return nil }
        return newest
    }

    func isRetained(_ key: Newness) -> Bool { confirmed.map { !($0 < key) } ?? false }

    /// Answers which readings waited for it.
    mutating func confirm(_ newness: Newness) -> [Entry] {
        isPublishing = false
        confirmed = newness
        let safe = waiting.filter { !(newness < $0.key) }
        waiting = waiting.filter { newness < $0.key }
        return safe
    }

    /// The connection is gone, and perhaps what the broker retained.
    mutating func forget() {
        phase = .unknown
        confirmed = nil
        isPublishing = false
    }
}
