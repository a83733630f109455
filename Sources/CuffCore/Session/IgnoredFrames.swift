/// What is logged at the default level about whole frames that were not understood: their number, and never their bytes,
/// which are personal data. A monitor that sends fifty unknown frames a second must not fill a log.
public struct IgnoredFrames: Sendable {
    /// Of each kind; the last message says that no more are logged.
    public static let limit = 10
    /// Kinds are sentences of this program and places, so there are few; beyond this nothing is said.
    static let maximumKinds = 1000

    private var counts: [String: Int] = [:]

    /// Nothing has been said yet.
    public init() {}

    /// The sentence to be said, or `nil` where enough was said of this kind.
    public mutating func sentence(for diagnostic: Diagnostic) -> String? {
        guard case .ignored(let why, let bytes) = diagnostic else { return nil }
        return sentence(why.description, bytes.count)
    }

    /// `kind` says what was ignored and, where there are several cuffs, whose it was.
    public mutating func sentence(_ kind: String, _ bytes: Int) -> String? {
        guard counts[kind] != nil || counts.count < Self.maximumKinds else { return nil }
        let count = counts[kind, default: 0] + 1
        guard count <= Self.limit else { return nil }
        counts[kind] = count
        let ending = count == Self.limit ? "; further ones only with --verbose" : ""
        return "ignored \(kind), \(bytes) bytes\(ending)"
    }
}
