/// Limits log messages about unknown frames (monitors send fifty a second). They have no bytes, which are personal data.
package struct IgnoredFrames: Sendable {
    /// Per kind; the last message announces that no more follow.
    package static let limit = 10
    /// Kinds are fixed sentences and places, so there are few; no messages beyond this.
    static let maximumKinds = 1000

    private var counts: [String: Int] = [:]

    package init() {}

    /// The sentence to log; `nil` if the kind's limit is reached.
    package mutating func sentence(for diagnostic: Diagnostic) -> String? {
        guard case .ignored(let why, let bytes) = diagnostic else { return nil }
        return sentence(why.description, bytes.count)
    }

    /// `kind`: what was ignored and, with several cuffs, which cuff.
    package mutating func sentence(_ kind: String, _ bytes: Int) -> String? {
        guard counts[kind] != nil || counts.count < Self.maximumKinds else { return nil }
        let count = counts[kind, default: 0] + 1
        guard count <= Self.limit else { return nil }
        counts[kind] = count
        let ending = count == Self.limit ? "; further ones only with --verbose" : ""
        return "ignored \(kind), \(bytes) bytes\(ending)"
    }
}
