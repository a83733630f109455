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

    /// Creates an entry.
    public init(_ name: String, _ support: Support) {
        self.name = name
        self.support = support
    }

    /// Every model of these lists, sorted by name without regard to case.
    public static func list(_ drivers: [CuffDriver], _ unreachable: [UnreachableCuff]) -> [CuffModel] {
        let models =
            drivers.flatMap { driver in driver.models.map { CuffModel($0, .driver(driver)) } }
            + unreachable.flatMap { cuff in cuff.models.map { CuffModel($0, .none(cuff)) } }
        let keyed = models.enumerated().map { (key: $1.name.lowercased(), place: $0, model: $1) }
        return keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.model)
    }

    /// Whether a user's words mean this model: USB ids of its driver, or words all found in its name or its driver's id, ignoring
    /// characters between letters and digits (`hem7131` finds `HEM-7131U`).
    public func isMeant(by words: [String]) -> Bool {
        if words.count == 1, let id = USBID(words[0].hasPrefix("usb:") ? words[0].dropFirst(4) : words[0][...]) {
            if case .driver(let driver) = support { return driver.claims.contains { $0.id == id } }
            return false
        }
        var text = Self.letters(name)
        if case .driver(let driver) = support { text += " " + Self.letters(driver.id.description) }
        let wanted = words.map(Self.letters).filter { !$0.isEmpty }
        return !wanted.isEmpty && wanted.allSatisfy { text.contains($0) }
    }

    /// Words for suggestions: the maker, and parts with a digit.
    public var words: [String] {
        let parts = name.split { $0 == " " || $0 == "/" || $0 == "," || $0 == "(" || $0 == ")" }.map { $0.lowercased() }
        return parts.enumerated().filter { $0 == 0 || $1.contains(where: \.isNumber) }.map(\.element)
    }

    private static func letters(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
