/// The persons of some readings, sorted. Output that does not name the person of each value must be of one person only.
public struct Persons: Sendable, Hashable {
    /// Each once, ascending.
    public let all: [Person]

    /// These persons, in any order.
    public init(_ persons: some Sequence<Person>) { all = Set(persons).sorted() }

    /// At most one.
    public var isOne: Bool { all.count < 2 }

    /// Whether the unnamed persons are of several cuffs, so that the cuff is part of their headings.
    package var namesCuffs: Bool { Set(all.filter { $0.name == nil }.map(\.cuff)).count > 1 }

    /// The heading of one person's part: the cuff is named if the unnamed persons are of several cuffs.
    public func heading(_ person: Person) -> String { person.text(ofSeveralCuffs: namesCuffs) }

    /// The heading; `nil` for the only person, unless that one has a name.
    public func neededHeading(_ person: Person) -> String? { isOne && person.name == nil ? nil : heading(person) }

    /// `Anna, user 1, and readings without a user`
    public var sentence: String {
        let texts = all.map { person in
            let text = heading(person)
            if person.name != nil { return text }
            if text == Person.unnamed(slot: nil, cuff: nil).text(ofSeveralCuffs: false) { return "readings without a user" }
            if person == .unnamed(slot: nil, cuff: Household.typedIn) { return "readings typed in without a user" }
            return person.slot == nil ? "readings of \(text)" : "u" + text.dropFirst()
        }
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " and " + last
    }
}
