import CuffCore

/// Whose readings are meant. The user slots of cuffs are different persons: nothing adds them up unless a name joins them.
public enum ReadingOwner: Sendable, Hashable {
    /// A name of the configuration, whatever the case of its letters; it may be bound to slots of several cuffs.
    case person(String)
    /// The readings of this user slot, of whatever cuff.
    case user(Int)
    /// Readings without a user.
    case noUser

    /// One selection for each slot that is meant. Throws a usage error for a name that the configuration does not have.
    func selections(
        _ selection: ReadingSelection, _ configuration: () throws(IngestError) -> CuffConfiguration
    ) throws(IngestError) -> [ReadingSelection] {
        var own = selection
        switch self {
        case .user(let number): own.user = number
        case .noUser: own.isWithoutUser = true
        case .person(let name):
            let slots = try configuration().users(named: name).filter { selection.device == nil || $0.device == selection.device }
            guard !slots.isEmpty else { throw IngestError(SelectionFault.unknownPerson(name)) }
            return slots.map { slot in
                var own = selection
                (own.device, own.user) = (slot.device, slot.slot)
                return own
            }
        }
        return [own]
    }
}
