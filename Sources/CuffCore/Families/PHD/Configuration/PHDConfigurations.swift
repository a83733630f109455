/// The configuration of this association, those remembered, and how far each is trusted.
struct PHDConfigurations: Sendable {
    struct Offer: Sendable {
        var invoke: UInt16
        var id: UInt16
        var bytes: [UInt8]
        var configuration: PHDConfiguration
    }

    private enum Provenance {
        case builtIn
        case fresh
        /// Sent in an earlier association, or built in without a recording; may not fit this agent.
        case doubtful
    }

    /// Refused configurations before the manager releases: docs/PHD.md §4.2, policy.
    static let offerLimit = 5
    /// How often a configuration of this association is doubted: policy.
    private static let doubtLimit = 2
    /// Size limit of a remembered configuration: the longest of any agent in the sources has 300 bytes.
    private static let sizeLimit = 8192
    private static let memoryLimit = 256
    /// Associations without a usable configuration before the next one is refused. Policy: each costs the agent's battery `offerLimit`
    /// offers and brings no reading.
    static let uselessLimit = 3
    /// Agents counted for that; a line has one.
    private static let uselessCeiling = 64

    private(set) var current = PHDConfiguration()
    private(set) var id: UInt16 = 0
    private var provenance = Provenance.builtIn
    private var offer: Offer?
    private var offers = 0
    /// A report contradicted the configuration; the association is given up after a pause.
    private var endsSoon = false

    private var memory: [String: [UInt8]]
    /// Keys of remembered configurations that contradicted a report.
    private var mistrusted: Set<String> = []
    /// Keys of those that were doubted and sent again unchanged.
    private var affirmed: Set<String> = []
    /// Consecutive associations without a usable configuration, by agent.
    private var useless: [String: Int] = [:]
    private var doubts = 0

    init(_ memory: [String: [UInt8]]) { self.memory = memory }

    /// A report may contradict this configuration, and the agent can be asked for it.
    @inline(__always)
    var isDoubtful: Bool { provenance == .doubtful }
    var isFresh: Bool { provenance == .fresh }

    func known(_ id: UInt16, key: String) -> PHDConfiguration? {
        guard !mistrusted.contains(key) else { return nil }
        if let bytes = memory[key], let configuration = PHDConfiguration(bytes), configuration.isUsable { return configuration }
        return PHDStandardConfiguration.configuration(id)
    }

    private mutating func remember(_ key: String, _ value: [UInt8], into actions: inout SessionActions) {
        guard memory[key] != value, memory.count < Self.memoryLimit || memory[key] != nil else { return }
        memory[key] = value
        actions.append(.remember(key: key, value: value))
    }

    mutating func rememberClockWish(_ wants: Bool, of device: String, into actions: inout SessionActions) {
        let key = SessionContext.clockWishKey(device)
        // Unknown means no.
        if wants || memory[key] == [1] { remember(key, [wants ? 1 : 0], into: &actions) }
    }

    mutating func remember(_ accepted: Offer, key: String, into actions: inout SessionActions) {
        if mistrusted.remove(key) != nil, memory[key] == accepted.bytes { affirmed.insert(key) }
        if accepted.bytes.count <= Self.sizeLimit { remember(key, accepted.bytes, into: &actions) }
    }

    mutating func adopt(_ configuration: PHDConfiguration, _ id: UInt16, isFresh: Bool, key: String) {
        (current, self.id) = (configuration, id)
        let isDoubtful = memory[key] != nil ? !affirmed.contains(key) : PHDDeviceType.configuration(id)?.isRecorded == false
        provenance = isFresh ? .fresh : isDoubtful ? .doubtful : .builtIn
    }

    mutating func propose(_ offer: Offer) { self.offer = offer }

    mutating func takeOffer(_ invoke: UInt16?) -> Offer? {
        guard let found = offer, found.invoke == invoke else { return nil }
        offer = nil
        return found
    }

    mutating func refuse() -> Int {
        offers += 1
        return offers
    }

    mutating func mistrust(_ key: String) { if mistrusted.count < Self.memoryLimit { mistrusted.insert(key) } }

    /// `mistrust` for a configuration contradicted by a report; `false` after the second doubt, because bytes may have been damaged.
    mutating func doubt(_ key: String) -> Bool {
        guard !isFresh || doubts < Self.doubtLimit else { return false }
        if isFresh, !mistrusted.contains(key) { doubts += 1 }
        mistrust(key)
        return true
    }

    mutating func endSoon() { endsSoon = true }

    /// The pause is over. Returns whether to give the association up.
    mutating func endDoubt() -> Bool {
        defer { endsSoon = false }
        return endsSoon
    }

    func isUseless(_ device: String) -> Bool { useless[device, default: 0] >= Self.uselessLimit }

    mutating func noteUsefulness(_ device: String?) {
        guard let device else { return }
        if !current.objects.isEmpty || !current.stores.isEmpty {
            useless[device] = nil
        } else if offers > 0, useless.count < Self.uselessCeiling || useless[device] != nil {
            useless[device, default: 0] += 1
        }
        (offer, offers, endsSoon) = (nil, 0, false)
    }

    mutating func leave() { current = PHDConfiguration() }
}
