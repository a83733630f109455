import CuffCore

/// The person of each reading, for everything that groups, averages, draws, exports or delivers readings.
///
/// A name is bound to user slots of cuffs, or to cuffs without slots. A slot without a name is a person of that cuff only. Readings are
/// stored with cuff and slot, so a name that is bound later also holds for earlier readings.
public struct Household: Sendable, Hashable {
    /// The names of all persons, sorted.
    public private(set) var names: [String] = []
    /// Names by `cuff:slot`, or by `cuff` for readings without a slot.
    private var bound: [String: String] = [:]
    /// The same slot of all cuffs is one person, unless it has a name. Only on request (`--together`).
    public var joinsCuffs = false
    /// All readings are this person's, because the user says so of a measurement; `nil`: as bound.
    public var everyone: String?

    /// Readings whose person a user said, which are stored with that (`cuff edit ID --user NAME`).
    package var moved: [Reading.ID: String] = [:]

    /// The cuff of readings that a person typed in.
    public static let typedIn = ManualEntry.driver.description

    /// Without names.
    public init() {}

    /// Adds a person, and the name for a place: `kitchen:1` is user slot 1 of the cuff `kitchen`, `wrist` a cuff without slots. A place that
    /// has a name keeps it. Names that differ only in case, or in blanks around them, are one person's. Returns the name at the place.
    @discardableResult
    public mutating func bind(_ name: String, to place: String? = nil) -> String {
        let name = Self.trimmed(name)
        let known = self.name(name) ?? name
        if self.name(name) == nil {
            names.append(name)
            names.sort()
        }
        guard let place else { return known }
        if let holder = bound[place] { return holder }
        bound[place] = known
        return known
    }

    /// The person of this name as it is written in the configuration; `nil` if it is unknown. Case is ignored.
    public func name(_ text: String) -> String? {
        let wanted = Self.trimmed(text).lowercased()
        return names.first { $0.lowercased() == wanted }
    }

    /// No reading would get a name.
    public var isEmpty: Bool { names.isEmpty && everyone == nil && moved.isEmpty }

    /// The places of each person, sorted.
    public func places(of name: String) -> [String] { bound.filter { $0.value == name }.keys.sorted() }

    /// The name of a cuff in a place: the identity of its readings, else their driver.
    public static func cuff(device: String, driver: some CustomStringConvertible) -> String {
        device.isEmpty ? driver.description : device
    }

    /// `kitchen:1`, or `wrist`.
    public static func place(cuff: String, slot: Int?) -> String { slot.map { "\(cuff):\($0)" } ?? cuff }

    /// Whose a reading of this cuff and slot is. `said` is a name that was said of the reading itself, and goes before all else.
    public func person(cuff: String, slot: Int?, said: String? = nil) -> Person {
        if let everyone { return .named(everyone) }
        if let said { return .named(name(said) ?? said) }
        if !bound.isEmpty, let name = bound[Self.place(cuff: cuff, slot: slot)] { return .named(name) }
        return .unnamed(slot: slot, cuff: joinsCuffs ? nil : cuff)
    }

    /// Whose a reading is. `device` is the identity under which it is stored.
    public func person(of reading: Reading, device: String) -> Person {
        person(
            cuff: Self.cuff(device: device, driver: reading.driver), slot: reading.user.map { Int($0) },
            said: reading.person ?? (moved.isEmpty ? nil : moved[reading.id]))
    }

    /// A name without the blanks around it.
    package static func trimmed(_ name: String) -> String {
        let rest = name.drop { $0.isWhitespace }
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
    }

    /// Why a text is not a person's name; `nil` if it is one.
    package static func refusal(of name: String) -> String? {
        if trimmed(name) != name { return "a person's name has no blanks around it" }
        if name.isEmpty || name.lowercased() == "none" || Int(name) != nil { return "a person's name is neither a number nor `none`" }
        if name.contains(":") { return "a person's name has no colon" }
        guard name.utf8.count <= Reading.longestPerson, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return "a person's name has at most \(Reading.longestPerson) bytes, and no control characters"
        }
        return nil
    }
}
