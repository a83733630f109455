import CuffCore

/// Whose a reading is, in the view of a `Household`. It is never stored with the reading.
public enum Person: Sendable, Hashable, Comparable {
    /// A person of the configuration.
    case named(String)
    /// A user slot of one cuff to which no name is bound; `slot` is `nil` for readings without one. `cuff` is `nil` if the same slot of
    /// all cuffs is one person, which only the user can ask for (`Household.joinsCuffs`).
    case unnamed(slot: Int?, cuff: String?)

    /// The owner of an empty result.
    package static let unknown = Person.unnamed(slot: nil, cuff: nil)

    /// The person of a reading outside of a household: by the name in it, else by its slot and cuff.
    public init(name: String?, slot: Int?, device: String, driver: String) {
        self = name.map { .named($0) } ?? .unnamed(slot: slot, cuff: Household.cuff(device: device, driver: driver))
    }

    /// The name; `nil` for an unnamed slot.
    public var name: String? { if case .named(let name) = self { name } else { nil } }
    /// The user slot of an unnamed person; `nil` for a name and for readings without a slot.
    public var slot: Int? { if case .unnamed(let slot, _) = self { slot } else { nil } }
    /// The cuff of an unnamed person; `nil` for a name.
    public var cuff: String? { if case .unnamed(_, let cuff) = self { cuff } else { nil } }

    /// For people. The cuff is named if `ofSeveralCuffs`: among unnamed persons of one cuff the slot is enough.
    public func text(ofSeveralCuffs: Bool) -> String {
        switch self {
        case .named(let name): return name
        case .unnamed(let slot, let cuff):
            guard ofSeveralCuffs, let cuff else { return slot.map { "User \($0)" } ?? "Without a user" }
            let isTyped = cuff == Household.typedIn
            guard let slot else { return isTyped ? "Typed in, without a user" : cuff }
            return isTyped ? "User \(slot), typed in" : "User \(slot) of \(cuff)"
        }
    }

    /// Names first; then by cuff and slot, readings without a slot last.
    public static func < (a: Person, b: Person) -> Bool {
        switch (a, b) {
        case (.named(let a), .named(let b)): a < b
        case (.named, .unnamed): true
        case (.unnamed, .named): false
        case (.unnamed(let slot, let cuff), .unnamed(let otherSlot, let otherCuff)):
            (cuff ?? "", slot ?? .max) < (otherCuff ?? "", otherSlot ?? .max)
        }
    }
}

extension TextBuffer {
    /// The keys of a JSON line that say whose it is: `person`, or `user` and `cuff`.
    mutating func appendOwner(_ person: Person?) {
        if let name = person?.name { append(key: "person", name) }
        if let slot = person?.slot { append(key: "user", slot) }
        if let cuff = person?.cuff { append(key: "cuff", cuff) }
    }
}
