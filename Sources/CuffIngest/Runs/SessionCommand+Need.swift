import CuffCore

extension SessionCommand {
    /// What a driver must be able to do for this command, with the words of the refusal.
    var need: (capability: Capabilities, words: String)? {
        switch self {
        case .follow: nil
        case .readMemory: (.storedReadings, "give stored readings")
        case .measure: (.measure, "be started remotely")
        case .stop: (.stop, "be stopped remotely")
        case .readClock: (.readClock, "send their clock")
        case .setClock: (.setClock, "have their clock set")
        case .information: (.information, "report model or serial number")
        case .schedule: (.schedule, "measure on a schedule of their own")
        case .clear: (.erase, "be erased remotely")
        }
    }
}

extension SessionCommand {
    /// The one user that is meant.
    fileprivate var user: Int? {
        switch self {
        case .readMemory(let user), .clear(let user): user
        default: nil
        }
    }
}

extension CuffDriver {
    /// Refuses options that the family does not have; silently ignored, they would seem to have an effect.
    func permit(options: [String: String], ofSimulator: Bool = false) throws(IngestError) {
        let known = ofSimulator ? self.options.merging(simulatorOptions) { a, _ in a } : self.options
        guard let unknown = options.keys.sorted().first(where: { known[$0] == nil }) else { return }
        throw IngestError(CommandFault.unknownOption(id.description, option: unknown, known: known.keys.sorted()))
    }

    /// Refuses a command the family cannot obey, before any device is opened.
    public func require(_ command: SessionCommand) throws(IngestError) {
        if let refusal = refusal(of: command) { throw refusal }
    }

    /// Why the family cannot obey; `nil` where it can.
    public func refusal(of command: SessionCommand) -> IngestError? {
        // Without users the readings of all persons would be read, or erased.
        if command.user != nil, !capabilities.contains(.users) {
            return IngestError(CommandFault.noUsers(id.description))
        }
        guard let need = command.need, !capabilities.contains(need.capability) else { return nil }
        return IngestError(
            CommandFault.unsupported(
                id.description, need: need.words, supported: capabilities.words, sendsUnasked: capabilities.contains(.push)))
    }
}
