/// Whose readings are meant. The user slots of cuffs are different persons, unless a name of the configuration joins them.
public enum ReadingOwner: Sendable, Hashable {
    /// A name of the configuration, in any case of its letters; it may be bound to several cuffs.
    case person(String)
    /// The readings of this user slot.
    case user(Int)
    /// Readings without a user.
    case noUser

    var choice: UserChoice {
        switch self {
        case .person(let name): .name(name)
        case .user(let number): .number(number)
        case .noUser: .none
        }
    }
}
