import CuffCore

/// The users of a selection of readings. User slots of cuffs are different persons, so values are never combined across them, and
/// output that does not name the user must be of one user only.
package struct Persons: Sendable, Hashable {
    /// Ascending; `nil`, for readings without a user, comes last.
    package let users: [Int?]

    init(users: [Int?]) { self.users = users }

    /// The users of the selected readings. Throws if the database is unreadable.
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

    package static func heading(_ user: Int?) -> String { user.map { "User \($0)" } ?? "Without a user" }

    /// Throws if there are several.
    func requireOne(for what: String) throws(IngestError) {
        guard !isOne else { return }
        throw IngestError(SelectionFault.severalPersons(what: what, whose: sentence, hasUnnamed: users.contains(nil)))
    }

    func each(_ selection: ReadingSelection) -> [(user: Int?, selection: ReadingSelection)] {
        guard !isOne else { return [(users.first ?? nil, selection)] }
        return users.map { user in
            var own = selection
            (own.user, own.isWithoutUser) = (user, user == nil)
            return (user, own)
        }
    }
}

/// `2`, or `none` for readings without a user.
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
