/// The patients of the readings at a server, as ids or references. Never guessed: a person who is not listed has no patient.
public enum Patients: Sendable, Hashable {
    /// One patient for all readings.
    case everybody(String)
    /// By the name of a person in lower case, by `cuff:slot` (or the cuff alone), or by the number of a slot of one cuff; 0 for readings
    /// without a slot. A person with a name is found by that alone.
    case persons([String: String])

    /// The patient of this person; `nil` if none is listed.
    public func patient(of person: Person) -> String? {
        switch self {
        case .everybody(let patient): patient
        case .persons(let patients): patients[key(person)]
        }
    }

    /// The key by which a person is listed, or would be.
    func key(_ person: Person) -> String {
        switch person {
        case .named(let name): return name.lowercased()
        case .unnamed(let slot, let cuff):
            let place = cuff.map { Self.key(Household.place(cuff: $0, slot: slot)) }
            if case .persons(let patients) = self, let place, patients[place] != nil { return place }
            return "\(slot ?? 0)"
        }
    }

    /// A key as it was written: places of cuffs keep their case, names do not, and a number has no leading zeros.
    public static func key(_ text: String) -> String {
        if text.contains(":") { return text }
        return Int(text).map { "\($0)" } ?? text.lowercased()
    }

    /// Persons who would become one patient.
    public func indistinct(among persons: Persons) -> Persons {
        guard case .persons = self else { return persons }
        let byKey = Dictionary(grouping: persons.all.filter { patient(of: $0) != nil }) { key($0) }
        return Persons(byKey.values.filter { $0.count > 1 }.flatMap { $0 })
    }

    /// The persons so far, in a run that sends readings as they come. A patient listed by the number of a slot is of one cuff: the same slot
    /// of another cuff is another person. At most one person for each key of the list.
    public struct Seen: Sendable {
        private var first: [String: Person] = [:]

        /// Without persons.
        public init() {}

        /// An earlier person who has the same patient and is another person; `nil` if there is none.
        public mutating func other(than person: Person, in patients: Patients) -> Person? {
            guard person.name == nil, case .persons = patients, patients.patient(of: person) != nil else { return nil }
            let key = patients.key(person)
            guard let known = first[key] else {
                first[key] = person
                return nil
            }
            return known == person ? nil : known
        }
    }
}
