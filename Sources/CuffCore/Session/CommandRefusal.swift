/// Why a command is refused before anything is written: by `FinishingSession` for every session, and by a run before it opens the device.
package enum CommandRefusal: Sendable, Hashable {
    case notOffered(Capabilities)
    /// The memory does not distinguish persons, so that all their readings would be read or erased.
    case noUsers
    /// The memory has only these users.
    case users(ClosedRange<Int>)

    /// `nil` if the command is allowed. `users` is `nil` if their number is unknown.
    package init?(_ command: SessionCommand, capabilities: Capabilities, users: ClosedRange<Int>?) {
        if let user = command.user {
            if !capabilities.contains(.users) {
                self = .noUsers
                return
            }
            if let users, !users.contains(user) {
                self = .users(users)
                return
            }
        }
        guard let capability = command.capability, !capabilities.contains(capability) else { return nil }
        self = .notOffered(capability)
    }

    /// In English, lower case, without a full stop.
    package var sentence: String {
        switch self {
        case .notOffered(let capability): "this driver does not offer \(capability.words.joined(separator: ", "))"
        case .noUsers: "this cuff does not tell users apart"
        case .users(let users): "this cuff has the users \(users.lowerBound) to \(users.upperBound)"
        }
    }
}

extension SessionCommand {
    /// The required capability; `nil`: none.
    package var capability: Capabilities? {
        switch self {
        case .follow: nil
        case .readMemory: .storedReadings
        case .measure: .measure
        case .stop: .stop
        case .readClock: .readClock
        case .setClock: .setClock
        case .information: .information
        case .schedule: .schedule
        case .clear: .erase
        }
    }

    fileprivate var user: Int? {
        switch self {
        case .readMemory(let user), .clear(let user): user
        default: nil
        }
    }
}
