/// One model of cuff, and its driver or the reason for its absence.
public struct CuffModel: Sendable {
    /// The driver of a model, or the reason for its absence.
    public enum Support: Sendable {
        case driver(CuffDriver)
        case none(UnreachableCuff)
    }

    /// The maker's name, then the model.
    public var name: String
    /// The driver, or the reason for its absence.
    public var support: Support

    /// Every model of these lists, sorted by name without regard to case.
    public static func list(_ drivers: [CuffDriver], _ unreachable: [UnreachableCuff]) -> [CuffModel] {
        let models =
            drivers.flatMap { driver in driver.models.map { CuffModel(name: $0, support: .driver(driver)) } }
            + unreachable.flatMap { cuff in cuff.models.map { CuffModel(name: $0, support: .none(cuff)) } }
        let keyed = models.enumerated().map { (key: $1.name.lowercased(), place: $0, model: $1) }
        return keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.model)
    }

    /// How well words match a model; the least is the best.
    package enum Match: Sendable, Comparable {
        /// Each is a word of the name or the driver's id, or the USB id of the driver.
        case whole
        /// Each is the beginning of a word.
        case beginning
        /// Each is somewhere in the name, ignoring what is neither a letter nor a digit.
        case part
    }

    /// The models that match all of the words, as well as any of the list does: `m7` finds the model `M7`, but not `HEM-7131U`.
    public static func search(_ words: [String], in models: [CuffModel]) -> [CuffModel] {
        let found = models.compactMap { model in model.match(words).map { (model, $0) } }
        let best = found.map(\.1).min()
        return found.filter { $0.1 == best }.map(\.0)
    }

    /// The only model of a driver with all of these words; `nil` for the driver's id.
    package static func named(_ text: String, of driver: CuffDriver) -> String? {
        let words = text.split(separator: " ").map(String.init)
        guard text != driver.id.description else { return nil }
        let found = driver.models.filter { CuffModel(name: $0, support: .driver(driver)).match(words) == .whole }
        return found.count == 1 ? found.first : nil
    }

    /// How well all of a user's words match this model; `nil` if one does not. `hem7131u` and `7131u` are words of `HEM-7131U`;
    /// `bm 58` and `bm58` are the same.
    package func match(_ words: [String]) -> Match? {
        if words.count == 1, let id = USBID(words[0].hasPrefix("usb:") ? words[0].dropFirst(4) : words[0][...]) {
            guard case .driver(let driver) = support, driver.claims.contains(where: { $0.id == id }) else { return nil }
            return .whole
        }
        let wanted = words.flatMap { $0.split(separator: " ") }.map { Self.letters($0) }.filter { !$0.isEmpty }
        guard !wanted.isEmpty else { return nil }
        var own = Self.tokens(name)
        if case .driver(let driver) = support { own.formUnion(Self.tokens(driver.id.description)) }
        if Self.matches(wanted, own, ==) { return .whole }
        if Self.matches(wanted, own, { $1.hasPrefix($0) }) { return .beginning }
        var text = Self.letters(name)
        if case .driver(let driver) = support { text += " " + Self.letters(driver.id.description) }
        return wanted.allSatisfy { text.contains($0) } ? .part : nil
    }

    /// Two neighbours may be one word of the name: `bm 58`.
    private static func matches(_ wanted: [String], _ own: Set<String>, _ isMatch: (String, String) -> Bool) -> Bool {
        var rest = wanted[...]
        while let word = rest.popFirst() {
            if own.contains(where: { isMatch(word, $0) }) { continue }
            guard let next = rest.popFirst(), own.contains(where: { isMatch(word + next, $0) }) else { return false }
        }
        return true
    }

    /// Lower-case words, the parts of `HEM-7131U`, and two neighbours as one word: `BM 96`.
    private static func tokens(_ name: String) -> Set<String> {
        let words = name.lowercased().split { $0 == " " || $0 == "/" || $0 == "," || $0 == "(" || $0 == ")" }
        var tokens = Set(words.map { letters($0) })
        for word in words { tokens.formUnion(word.split { !$0.isLetter && !$0.isNumber }.map(String.init)) }
        for (word, next) in zip(words, words.dropFirst()) where next.first?.isNumber == true {
            tokens.insert(letters(word) + letters(next))
        }
        tokens.remove("")
        return tokens
    }

    /// Words for suggestions: the maker, and parts with a digit.
    public var words: [String] {
        let parts = name.split { $0 == " " || $0 == "/" || $0 == "," || $0 == "(" || $0 == ")" }.map { $0.lowercased() }
        return parts.enumerated().filter { $0 == 0 || $1.contains(where: \.isNumber) }.map(\.element)
    }

    private static func letters(_ text: some StringProtocol) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
