import CuffCore

extension Diagnostic {
    /// The diagnostic with its cuff in front: several cuffs report at once.
    func at(_ place: String) -> Diagnostic {
        switch self {
        case .note, .announced: .note("\(place): \(sentence)")
        // A record's bytes are a person's reading: they are logged at debug level only.
        case .ignored(let why, let bytes): .note("\(place): \(why), \(bytes.count) bytes")
        case .skipped, .warning: .warning("\(place): \(sentence)")
        }
    }
}
