import RemoteSink

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

    /// `form` is a text with replaced characters: a checksum of the text (FNV-1a, 32 bits) keeps it apart from others.
    static func distinct(_ text: String, _ form: String) -> String {
        guard form != text else { return text }
        let sum = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return "\(form)-\(String(sum, radix: 16))"
    }
}

/// One person of one cuff: a name, or a user slot without a name.
struct Slot: Sendable, Hashable {
    /// As a topic level.
    let device: String
    /// 0 if the cuff has no users or did not report one, and for a person with a name.
    let user: Int
    let person: String?
    /// The serial number, if the cuff reports one.
    let serial: String?

    init(_ reading: ReadingLine) {
        serial = reading.device.flatMap { $0.isEmpty ? nil : $0 }
        let name = Topics.level(serial ?? reading.driver)
        device = name.isEmpty ? "unknown" : name
        person = reading.person
        user = person == nil ? reading.user ?? 0 : 0
    }

    /// The topic level of the person: `u1`, or `p-Anna`. Different names have different levels.
    var place: String { person.map { "p-" + Topics.distinct($0, Topics.level($0)) } ?? "u\(user)" }
    /// Whether its entity names may omit the user.
    var mayBePlain: Bool { person == nil && (user == 0 || user == 1) }

    private func topic(_ topics: Topics, _ word: String) -> String { "\(topics.base)/\(device)/\(place)/\(word)" }
    func state(_ topics: Topics) -> String { topic(topics, "state") }
    func reading(_ topics: Topics) -> String { topic(topics, "reading") }
    /// Deletions. A separate topic, so that an automation does not mistake one for a reading.
    func deleted(_ topics: Topics) -> String { topic(topics, "deleted") }
    /// Alerts of the user's rules. By cuff, not by user, because some report missing readings.
    func alert(_ topics: Topics) -> String { "\(topics.base)/\(device)/alert" }
}

/// Compares which of two lines is newer: ids start with the cuff's time.
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
