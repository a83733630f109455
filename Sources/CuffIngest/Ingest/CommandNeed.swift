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
        throw IngestError(
            .usage, "unknown option `\(unknown)` of \(id)",
            why: known.isEmpty ? "it has no options" : "known are \(known.keys.sorted().joined(separator: ", "))",
            hint: "`cuff drivers \(id)` explains them")
    }

    /// Refuses a command the family cannot obey, before any device is opened.
    public func require(_ command: SessionCommand) throws(IngestError) {
        if let refusal = refusal(of: command) { throw refusal }
    }

    /// Why the family cannot obey; `nil` where it can.
    public func refusal(of command: SessionCommand) -> IngestError? {
        // Without users the readings of all persons would be read, or erased.
        if command.user != nil, !capabilities.contains(.users) {
            return IngestError(
                .usage, "\(id) cuffs cannot be asked for one user", why: "the driver does not tell users apart",
                hint: "leave out --user; where readings name their user, `cuff show --user NUMBER` chooses")
        }
        guard let need = command.need, !capabilities.contains(need.capability) else { return nil }
        return IngestError(
            .usage, "\(id) cuffs cannot \(need.words)",
            why: "supported are \(capabilities.words.isEmpty ? "nothing on request" : capabilities.words.joined(separator: ", "))",
            hint: capabilities.contains(.push) ? "`cuff read DEVICE --driver \(id) --follow` receives what they send unasked" : "")
    }
}
