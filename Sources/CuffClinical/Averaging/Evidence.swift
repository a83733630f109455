/// The grade of a number in this program's tables.
public enum Evidence: String, Sendable, Hashable, CaseIterable {
    /// Read in the guideline itself or in a summary of the society that made it.
    case guideline
    /// Computed here from numbers that were read in the guideline.
    case derived
    /// Read in another publication.
    case secondary
    /// Some of several numbers are from memory; printed only with this remark.
    case partly = "partly_unverified"
    /// From memory, not compared with any text; printed only with this remark.
    case unverified

    /// The text printed after a number.
    public var words: StaticString {
        switch self {
        case .guideline: "read in the guideline"
        case .derived: "derived here from the guideline's table of equivalents"
        case .secondary: "read in another publication"
        case .partly: "partly from memory, not checked against the guideline"
        case .unverified: "from memory, not checked against the guideline"
        }
    }

    /// A shorter text.
    public var shortWords: StaticString {
        switch self {
        case .guideline: "guideline's text"
        case .derived: "derived"
        case .secondary: "second-hand"
        case .partly: "partly from memory"
        case .unverified: "from memory"
        }
    }

    /// Whether a number of this grade must not be printed without the remark.
    public var needsRemark: Bool { self == .partly || self == .unverified }

    /// One grade for several numbers: the weakest, or `partly` if only some are from memory.
    public static func summary(_ grades: [Evidence]) -> Evidence {
        guard grades.contains(where: \.needsRemark) else {
            return grades.contains(.secondary) ? .secondary : grades.contains(.derived) ? .derived : .guideline
        }
        return grades.allSatisfy { $0 == .unverified } ? .unverified : .partly
    }
}
