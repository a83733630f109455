import CuffCore

extension Diagnostic {
    /// The same, saying whose it is: several cuffs speak at once.
    func at(_ place: String) -> Diagnostic {
        switch self {
        case .note, .announced: .note("\(place): \(sentence)")
        // A record's own bytes are somebody's reading: they are told at the level of debug alone.
        case .ignored(let why, let bytes): .note("\(place): \(why), \(bytes.count) bytes")
        case .skipped, .warning: .warning("\(place): \(sentence)")
        }
    }
}
