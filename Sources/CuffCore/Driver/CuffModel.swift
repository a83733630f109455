/// One model of cuff, and what becomes of it here.
public struct CuffModel: Sendable {
    /// Which driver reads a model, or why none does.
    public enum Support: Sendable {
        /// The driver that reads it.
        case driver(CuffDriver)
        /// Why no driver reads it.
        case none(UnreachableCuff)
    }

    /// As the maker calls it, with the maker's name first.
    public var name: String
    /// The driver, or why there is none.
    public var support: Support

    /// Sets each property as given.
    public init(_ name: String, _ support: Support) {
        self.name = name
        self.support = support
    }

    /// Every model of these lists, by name; capital letters make no difference to the order.
    public static func list(_ drivers: [CuffDriver], _ unreachable: [UnreachableCuff]) -> [CuffModel] {
        let models =
            drivers.flatMap { driver in driver.models.map { CuffModel($0, .driver(driver)) } }
            + unreachable.flatMap { cuff in cuff.models.map { CuffModel($0, .none(cuff)) } }
        let keyed = models.enumerated().map { (key: $1.name.lowercased(), place: $0, model: $1) }
        return keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.model)
    }

    /// Whether it is what somebody means who writes these words: USB ids of its driver, or words that are all found in its name
    /// or its driver's id, whatever stands between letters and digits (`hem7131` finds `HEM-7131U`).
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

    /// Words that a name can be found by, for suggestions: the maker, and parts with a digit in them.
    public var words: [String] {
        let parts = name.split { $0 == " " || $0 == "/" || $0 == "," || $0 == "(" || $0 == ")" }.map { $0.lowercased() }
        return parts.enumerated().filter { $0 == 0 || $1.contains(where: \.isNumber) }.map(\.element)
    }

    /// Letters and digits alone, in lower case.
    private static func letters(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
