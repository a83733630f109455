/// The patients of the readings, as references. Never guessed: a user slot that is not listed has no patient.
public enum FHIRSubject: Sendable, Hashable {
    /// One patient for all user slots.
    case everybody(String)
    /// By user slot; 0 for readings without one.
    case slots([Int: String])

    /// The patient of this user slot; `nil` if none is listed.
    public func reference(user: Int?) -> String? {
        switch self {
        case .everybody(let reference): reference
        case .slots(let references): references[user ?? 0]
        }
    }

    /// `Patient/p1`, `Patient?identifier=SYSTEM|VALUE` or a whole URL, escaped for a resource; `nil` for anything else.
    public static func reference(_ text: String) -> String? {
        guard let mark = text.firstIndex(where: { $0 == "/" || $0 == "?" }), mark > text.startIndex,
            text[..<mark].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == ":") }), text.index(after: mark) < text.endIndex
        else { return nil }
        // A conditional reference is a query string, where `+` means a blank.
        return FHIRCodes.escaped(text, keeping: "-._:|/?=&,%~")
    }

    /// Parses values of the command line: `1=Patient/p1`, `0=Patient/p2` (readings without a user), or one `Patient/p1` for all readings.
    /// `nil` without any.
    public init?(_ values: [String]) throws(ExportFault) {
        var slots: [Int: String] = [:]
        for value in values {
            let digits = value.prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty, value.dropFirst(digits.count).first == "=" else {
                guard let reference = Self.reference(value) else { throw .notAReference(value) }
                guard values.count == 1 else { throw .subjectTwice(value) }
                self = .everybody(reference)
                return
            }
            // The largest slot is a 32-bit number, as cuffs send it.
            guard let slot = Int(digits), slot <= Int(Int32.max), let reference = Self.reference(String(value.dropFirst(digits.count + 1)))
            else { throw .notAReference(value) }
            guard slots.updateValue(reference, forKey: slot) == nil else { throw .subjectTwice(value) }
        }
        guard !slots.isEmpty else { return nil }
        self = .slots(slots)
    }

    /// A reference that is a search, which only a server can resolve; `nil` if all name a resource.
    var search: String? {
        switch self {
        case .everybody(let reference): reference.contains("?") ? reference : nil
        case .slots(let references): references.sorted { $0.key < $1.key }.map(\.value).first { $0.contains("?") }
        }
    }
}
