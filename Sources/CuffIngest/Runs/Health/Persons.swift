import CuffClinical
import CuffCore

extension Persons {
    /// Throws if there are several.
    func requireOne(for what: String) throws(IngestError) {
        guard !isOne else { return }
        throw IngestError(SelectionFault.severalPersons(what: what, persons: self))
    }
}

/// `Anna`, `2`, or `none` for readings without a user slot.
package enum UserChoice: Sendable, Hashable {
    case name(String)
    case number(Int)
    case none

    /// Any other text than `none` and numbers from 0 on is a name.
    package init(_ text: String) {
        if text == "none" {
            self = .none
        } else if let number = Int(text), (0...Int(Int32.max)).contains(number) {
            self = .number(number)
        } else {
            self = .name(text)
        }
    }
}

extension Household {
    /// The person of this name; throws a usage error with the known names.
    package func known(_ name: String) throws(IngestError) -> String {
        guard let known = self.name(name) else { throw IngestError(SelectionFault.unknownPerson(name, known: names)) }
        return known
    }

    /// The slot of a cuff that `read --user` means; `nil` for a cuff without slots that is this person's.
    package func slot(of choice: UserChoice, at cuff: String) throws(IngestError) -> Int? {
        switch choice {
        case .number(let number): return number
        case .none: throw IngestError(SelectionFault.unknownPerson("none", known: names))
        case .name(let name):
            let name = try known(name)
            let places = places(of: name)
            if places.contains(cuff) { return nil }
            let slots = places.compactMap { place -> Int? in
                let parts = place.split(separator: ":").map(String.init)
                guard let slot = parts.last.flatMap({ Int($0) }), Self.place(cuff: cuff, slot: slot) == place else { return nil }
                return slot
            }
            guard let slot = slots.first, slots.count == 1 else {
                throw IngestError(SelectionFault.notOneSlot(name, cuff: cuff, slots: slots))
            }
            return slot
        }
    }
}

extension ReadingSelection {
    /// Narrows the selection to a person, to one slot of every cuff, or to readings without a slot; `nil` changes nothing.
    package mutating func choose(_ choice: UserChoice?) throws(IngestError) {
        switch choice {
        case .name(let name)?: person = .named(try household.known(name))
        case .number(let number)?: user = number
        case .none?: isWithoutUser = true
        case nil: break
        }
    }
}
