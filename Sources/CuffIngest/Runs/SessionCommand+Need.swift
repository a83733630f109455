import CuffCore

extension Capabilities {
    /// What a cuff without this capability cannot do, for messages.
    fileprivate var refusalWords: String {
        switch self {
        case .storedReadings: "give stored readings"
        case .measure: "be started remotely"
        case .stop: "be stopped remotely"
        case .readClock: "send their clock"
        case .setClock: "have their clock set"
        case .information: "report model or serial number"
        case .schedule: "measure on a schedule of their own"
        case .erase: "be erased remotely"
        default: words.joined(separator: ", ")
        }
    }
}

extension CuffDriver {
    /// Throws for unknown options, which would be ignored silently otherwise.
    func permit(options: [String: String], ofSimulator: Bool = false) throws(IngestError) {
        let known = ofSimulator ? self.options.merging(simulatorOptions) { a, _ in a } : self.options
        guard let unknown = options.keys.sorted().first(where: { known[$0] == nil }) else { return }
        throw IngestError(CommandFault.unknownOption(id.description, option: unknown, known: known.keys.sorted()))
    }

    /// - Throws: The ``refusal(of:)`` of a command that the family does not support, of status `usage`.
    public func require(_ command: SessionCommand) throws(IngestError) {
        if let refusal = refusal(of: command) { throw refusal }
    }

    /// Why the family does not support the command; `nil` if it does.
    public func refusal(of command: SessionCommand) -> IngestError? {
        switch CommandRefusal(command, capabilities: capabilities, users: nil) {
        case nil, .users?: nil
        case .noUsers?: IngestError(CommandFault.noUsers(id.description))
        case .notOffered(let capability)?:
            IngestError(
                CommandFault.unsupported(
                    id.description, need: capability.refusalWords, supported: capabilities.words,
                    sendsUnasked: capabilities.contains(.push)))
        }
    }
}
