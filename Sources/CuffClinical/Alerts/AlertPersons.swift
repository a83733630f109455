import CuffCore

/// The names of the persons at each cuff's user slots.
package struct AlertPersons: Sendable, Hashable {
    package var names: [String: [Int: String]]

    package init(_ names: [String: [Int: String]] = [:]) { self.names = names }

    /// The name of a slot's user; `nil` if none is configured.
    package func name(device: String, user: Int32?) -> String? { user.flatMap { names[device]?[Int($0)] } }

    func isMeant(_ person: String, device: String, user: Int32?) -> Bool {
        if person == "none" { return user == nil }
        if let number = Int(person) { return user.map { Int($0) == number } ?? false }
        return name(device: device, user: user)?.lowercased() == person.lowercased()
    }
}
