import CuffCore

extension SessionCommand {
    /// What a driver must be able to do for this command, with the words for saying that it cannot.
    var need: (capability: Capabilities, words: String)? {
        switch self {
        case .follow: nil
        case .readMemory: (.storedReadings, "give stored readings")
        case .measure: (.measure, "be told to measure")
        case .stop: (.stop, "be told to stop")
        case .readClock: (.readClock, "tell its clock")
        case .setClock: (.setClock, "have its clock set")
        case .information: (.information, "tell about itself")
        case .schedule: (.schedule, "measure on a schedule of its own")
        case .clear: (.erase, "erase its memory on request")
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
    /// Refuses options that the family does not have: a word that nobody reads would be believed to have an effect.
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
        // Without it everybody's readings would come, or go.
        if command.user != nil, !capabilities.contains(.users) {
            return IngestError(
                .usage, "a cuff of \(id) cannot be asked for one user", why: "its driver does not tell users apart",
                hint: "leave out --user; where readings name their user, `cuff show --user NUMBER` chooses")
        }
        guard let need = command.need, !capabilities.contains(need.capability) else { return nil }
        return IngestError(
            .usage, "a cuff of \(id) cannot \(need.words)",
            why: "it can: \(capabilities.words.isEmpty ? "nothing on request" : capabilities.words.joined(separator: ", "))",
            hint: capabilities.contains(.push) ? "`cuff read DEVICE --driver \(id) --follow` listens to what it sends by itself" : "")
    }
}
