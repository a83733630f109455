import RemoteSink

/// Where things are published.
struct Topics: Sendable, Equatable {
    var prefix: String
    var gateway: String

    var base: String { "\(prefix)/\(gateway)" }
    var status: String { "\(base)/status" }

    /// One level of a topic: wildcards, slashes, blanks and control characters become `_`.
    static func level(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar {
            case "+", "#", "/": result += "_"
            case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .control: result += "_"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// One user of one cuff: what has a newest reading.
struct Slot: Sendable, Hashable {
    /// As in topics.
    let device: String
    /// 0 where the cuff has none, or did not tell.
    let user: Int
    /// As the cuff tells it, if it does.
    let serial: String?

    init(_ reading: ReadingLine) {
        serial = reading.device.flatMap { $0.isEmpty ? nil : $0 }
        let name = Topics.level(serial ?? reading.driver)
        device = name.isEmpty ? "unknown" : name
        user = reading.user ?? 0
    }

    private func topic(_ topics: Topics, _ word: String) -> String { "\(topics.base)/\(device)/u\(user)/\(word)" }
    /// The newest reading, retained.
    func state(_ topics: Topics) -> String { topic(topics, "state") }
    /// Every reading.
    func reading(_ topics: Topics) -> String { topic(topics, "reading") }
    /// Deletions. Not beside the readings: who waits for readings, such as an automation, must not take one for a reading.
    func deleted(_ topics: Topics) -> String { topic(topics, "deleted") }
    /// Alerts of the user's rules; they are the cuff's and not a user's, because some are about readings that did not come.
    func alert(_ topics: Topics) -> String { "\(topics.base)/\(device)/alert" }
}

/// Which of two lines is the newer one: ids begin with the cuff's own time.
struct Newness: Sendable, Comparable {
    let id: String
    let revision: Int

    init(_ reading: ReadingLine) {
        id = reading.id
        revision = reading.revision
    }

    static func < (left: Newness, right: Newness) -> Bool {
        left.id == right.id ? left.revision < right.revision : left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }
}
