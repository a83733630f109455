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

extension CuffDriver {
    /// Refuses a command the family cannot obey, before any device is opened.
    public func require(_ command: SessionCommand) throws(IngestError) {
        if let refusal = refusal(of: command) { throw refusal }
    }

    /// Why the family cannot obey; `nil` where it can.
    public func refusal(of command: SessionCommand) -> IngestError? {
        guard let need = command.need, !capabilities.contains(need.capability) else { return nil }
        return IngestError(
            .usage, "a cuff of \(id) cannot \(need.words)",
            why: "it can: \(capabilities.words.isEmpty ? "nothing on request" : capabilities.words.joined(separator: ", "))",
            cure: capabilities.contains(.push) ? "`cuff read DEVICE --driver \(id) --follow` listens to what it sends by itself" : "")
    }
}
