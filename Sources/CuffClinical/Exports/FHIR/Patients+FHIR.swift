extension Patients {
    /// `Patient/p1`, `Patient?identifier=SYSTEM|VALUE` or a whole URL, escaped for a resource; `nil` for anything else.
    public static func reference(_ text: String) -> String? {
        guard let mark = text.firstIndex(where: { $0 == "/" || $0 == "?" }), mark > text.startIndex,
            text[..<mark].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == ":") }), text.index(after: mark) < text.endIndex
        else { return nil }
        // A conditional reference is a query string, where `+` means a blank.
        return FHIRCodes.escaped(text, keeping: "-._:|/?=&,%~")
    }

    /// Parses values of the command line: `Anna=Patient/p1`, `kitchen:1=Patient/p1`, `1=Patient/p1`, `0=Patient/p2` (readings without a
    /// user), or one `Patient/p1` for all readings. `nil` without any.
    /// - Throws: `ExportFault.notAReference`, or `subjectTwice` for two of one user.
    public init?(_ values: [String]) throws(ExportFault) {
        var references: [String: String] = [:]
        for value in values {
            // A reference has a slash or a question mark before its first `=`.
            let mark = value.firstIndex { "=/?".contains($0) }
            guard let mark, mark > value.startIndex, value[mark] == "=" else {
                guard let reference = Self.reference(value) else { throw .notAReference(value) }
                guard values.count == 1 else { throw .subjectTwice(value) }
                self = .everybody(reference)
                return
            }
            let name = value[..<mark]
            let isPossible = !name.allSatisfy(\.isNumber) || Int32(name) != nil
            guard isPossible, let reference = Self.reference(String(value[value.index(after: mark)...])) else {
                throw .notAReference(value)
            }
            guard references.updateValue(reference, forKey: Self.key(String(name))) == nil else { throw .subjectTwice(value) }
        }
        guard !references.isEmpty else { return nil }
        self = .persons(references)
    }

    /// A reference that is a search, which only a server can resolve; `nil` if all name a resource.
    var search: String? {
        switch self {
        case .everybody(let reference): reference.contains("?") ? reference : nil
        case .persons(let references): references.sorted { $0.key < $1.key }.map(\.value).first { $0.contains("?") }
        }
    }
}
