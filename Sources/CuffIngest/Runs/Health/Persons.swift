import CuffCore

/// Whose readings a selection holds. The user slots of cuffs are different persons: nothing may add them up, and what cannot say
/// whose a value is must not hold more than one.
package struct Persons: Sendable, Hashable {
    /// Ascending; `nil`, for readings that tell no user, comes last.
    package let users: [Int?]

    /// These users, ascending, `nil` last.
    init(users: [Int?]) { self.users = users }

    /// The users of the selected readings. Throws where the database cannot be read.
    package init(_ store: Store, _ selection: ReadingSelection, kinds: Set<ReadingSelection.Kind>? = nil) throws(IngestError) {
        var selection = selection
        if let kinds { selection.kinds = kinds }
        users = try store.users(selection)
    }

    package var isOne: Bool { users.count < 2 }

    /// `users 1, 2, and readings without a user`.
    var sentence: String {
        let numbers = users.compactMap { $0 }.map(String.init)
        let named = numbers.isEmpty ? "" : "\(numbers.count == 1 ? "user" : "users") \(numbers.joined(separator: ", "))"
        guard users.contains(nil) else { return named }
        return named.isEmpty ? "readings without a user" : "\(named), and readings without a user"
    }

    /// As it stands above one person's part.
    package static func heading(_ user: Int?) -> String { user.map { "User \($0)" } ?? "Without a user" }

    /// Refuses what could not say whose a value is.
    func requireOne(for what: String) throws(IngestError) {
        guard !isOne else { return }
        throw IngestError(SelectionFault.severalPersons(what: what, whose: sentence, hasUnnamed: users.contains(nil)))
    }

    /// The selection once for each person.
    func each(_ selection: ReadingSelection) -> [(user: Int?, selection: ReadingSelection)] {
        guard !isOne else { return [(users.first ?? nil, selection)] }
        return users.map { user in
            var own = selection
            (own.user, own.isWithoutUser) = (user, user == nil)
            return (user, own)
        }
    }
}

/// `2`, or `none` for readings that tell no user.
package enum UserChoice: Sendable, Hashable {
    case number(Int)
    case none

    /// `nil` for anything but `none` or a number from 0 on.
    package init?(_ text: String) {
        if text == "none" {
            self = .none
        } else if let number = Int(text), (0...Int(Int32.max)).contains(number) {
            self = .number(number)
        } else {
            return nil
        }
    }
}

extension ReadingSelection {
    /// Narrows the selection to one user, or to readings without one; `nil` changes nothing.
    package mutating func choose(_ choice: UserChoice?) {
        switch choice {
        case .number(let number)?: user = number
        case .none?: isWithoutUser = true
        case nil: break
        }
    }
}
