import RemoteSink

struct Entry: Sendable {
    let line: ReadingLine
    let slot: Slot
    let key: Newness
    /// It may be the newest reading, so it is only safe when the retained one is not older.
    var needsState = false

    /// An alert, not a reading; never retained as the newest.
    var isAlert: Bool { line.type == "alert" }

    func topic(_ topics: Topics) -> String {
        isAlert ? slot.alert(topics) : line.isDeletion ? slot.deleted(topics) : slot.reading(topics)
    }
}

struct SlotState: Sendable {
    enum Phase: Sendable, Equatable { case unknown, fetching, announcing, ready }
    var phase = Phase.unknown
    var isFetched = false
    /// The retained message, as acknowledged.
    var confirmed: Newness?
    var newest: Newness?
    var newestLine = ""
    var isPublishing = false
    /// Acknowledged readings that wait for the retained message.
    var waiting: [Entry] = []

    /// Whether it is now the newest reading, so that it is only safe when the retained one is not older. Older readings
    /// are not retained.
    mutating func accept(_ entry: Entry) -> Bool {
        if newest.map({ $0 < entry.key }) ?? true {
            newest = entry.key
            newestLine = entry.line.json
        }
        return newest == entry.key
    }

    /// The newest reading was deleted: the deletion replaces it, so that it is no longer shown. The reading before it is not
    /// known here, so nothing is shown until a newer reading comes.
    mutating func accept(deletion entry: Entry) -> Bool {
        guard newest?.id == entry.key.id else { return false }
        let isNewest = accept(entry)
        // Templates evaluate to `None`, which Home Assistant shows as unknown.
        if isNewest { newestLine = entry.line.json.dropLast() + #","systolic_mmHg":null,"diastolic_mmHg":null}"# }
        return isNewest
    }

    mutating func retained(_ line: ReadingLine?) {
        isFetched = true
        // A message that is empty or not a reading is replaced.
        confirmed = line.map { Newness($0) }
        guard let line, newest.map({ $0 < Newness(line) }) ?? true else { return }
        newest = Newness(line)
        newestLine = line.json
    }

    /// The message that the broker does not retain yet.
    var unpublished: Newness? {
        guard phase == .ready, !isPublishing, let newest, confirmed.map({ $0 < newest }) ?? true else { return nil }
        return newest
    }

    func isRetained(_ key: Newness) -> Bool { confirmed.map { !($0 < key) } ?? false }

    /// Returns the readings that waited for it.
    mutating func confirm(_ newness: Newness) -> [Entry] {
        isPublishing = false
        confirmed = newness
        let safe = waiting.filter { !(newness < $0.key) }
        waiting = waiting.filter { newness < $0.key }
        return safe
    }

    /// The connection was lost, and perhaps the retained messages.
    mutating func forget() {
        phase = .unknown
        confirmed = nil
        isPublishing = false
    }
}
