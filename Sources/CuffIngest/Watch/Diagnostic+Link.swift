import CuffCore

extension Diagnostic {
    /// Prefixes the cuff, because several cuffs report at once.
    func at(_ place: String) -> Diagnostic {
        switch self {
        case .note, .announced: .note("\(place): \(sentence)")
        // The bytes may be a person's reading: they are logged at debug level only.
        case .ignored(let why, let bytes): .note("\(place): \(why), \(bytes.count) bytes")
        case .skipped, .warning: .warning("\(place): \(sentence)")
        }
    }
}
