/// The announcement of one cuff to Home Assistant. A pure state machine.
///
/// It fetches the retained message, adds the components of this run, and publishes it. If an earlier build has announced single
/// entities, these become components, so that they keep their ids, settings and history:
/// 1. publish the message, so that nothing is lost if a later step is not reached; Home Assistant ignores it for these entities
/// 2. publish `migrate_discovery` to the topics of the single entities; Home Assistant unloads them
/// 3. publish the message again; Home Assistant loads them as parts of the device
/// 4. clear the topics of the single entities
///
/// https://www.home-assistant.io/integrations/mqtt/#migration-from-single-component-to-device-based-discovery
struct Announcement: Sendable {
    private enum Stage: Sendable, Equatable {
        case unknown
        case fetching(Set<String>)
        case announcing
        case migrating
        case pausing(until: Double?)
        case clearing
        case settled
    }

    /// Home Assistant ignores a message for an entity that it is still unloading. Shorter than `Limits.farewell`, so that a run with one
    /// reading completes the steps.
    static let pause = 3.0

    private let slot: Slot
    private let settings: Settings
    private let discovery: String
    private var stage = Stage.unknown
    private var components: [HomeAssistant.Component] = []
    /// Components from the messages of single entities, until all fetches have ended.
    private var old: [HomeAssistant.Component] = []
    private var oldTopics: [String] = []
    /// Publications without an acknowledgement.
    private var unacknowledged = 0
    /// The user whose entities have no user number. The users are different persons, so this never changes.
    private var plainUser: Int?

    /// `nil` without discovery.
    init?(_ slot: Slot, _ settings: Settings) {
        guard let discovery = settings.discovery else { return nil }
        self.slot = slot
        self.settings = settings
        self.discovery = discovery
    }

    /// The retained messages are fetched.
    var isKnown: Bool {
        switch stage {
        case .unknown, .fetching: false
        default: true
        }
    }
    /// Home Assistant has all components.
    var isSettled: Bool { stage == .settled && unacknowledged == 0 }
    var wakeAt: Double? { if case .pausing(let until) = stage { until } else { nil } }

    /// The topic filters to fetch.
    mutating func begin() -> [String] {
        guard stage == .unknown else { return [] }
        let filters = [
            HomeAssistant.topic(slot.device, below: discovery), HomeAssistant.oldTopics(slot.device, below: discovery),
        ]
        stage = .fetching(Set(filters))
        return filters
    }

    mutating func fetched(_ filter: String, _ messages: [String: [UInt8]]) {
        guard case .fetching(var filters) = stage, filters.remove(filter) != nil else { return }
        for (topic, payload) in messages.sorted(by: { $0.key < $1.key }) where !payload.isEmpty {
            if topic == HomeAssistant.topic(slot.device, below: discovery) {
                components = HomeAssistant.components(in: payload)
            } else {
                oldTopics.append(topic)
                if let component = HomeAssistant.component(from: topic, payload) { old.append(component) }
            }
        }
        stage = .fetching(filters)
        guard filters.isEmpty else { return }
        for component in old where !components.contains(where: { $0.id == component.id }) { components.append(component) }
        old = []
        plainUser = plainUser ?? HomeAssistant.plainUser(components, of: slot.device)
        add(HomeAssistant.alertComponents(slot, settings.topics))
        stage = .announcing
    }

    /// Adds the entities of a person. `candidates`: those of this cuff whose names may omit the user and that have readings.
    mutating func add(_ slot: Slot, candidates: [Slot]) {
        plainUser = plainUser ?? candidates.map(\.user).max()
        add(HomeAssistant.components(for: slot, isPlain: slot.mayBePlain && slot.user == plainUser, settings.topics))
        if stage == .settled { stage = .announcing }
    }

    private mutating func add(_ new: [HomeAssistant.Component]) {
        for component in new {
            if let index = components.firstIndex(where: { $0.id == component.id }) {
                components[index] = component
            } else {
                components.append(component)
            }
        }
    }

    mutating func acknowledged() { unacknowledged -= 1 }

    /// The retained messages to publish now.
    mutating func advance(_ now: Double) -> [HomeAssistant.Message] {
        guard unacknowledged == 0 else { return [] }
        var messages: [HomeAssistant.Message] = []
        let topic = HomeAssistant.topic(slot.device, below: discovery)
        let announcement = HomeAssistant.Message(topic: topic, payload: HomeAssistant.payload(slot.device, serial: slot.serial, components))
        switch stage {
        case .unknown, .fetching, .settled: break
        case .announcing:
            messages = [announcement]
            stage = oldTopics.isEmpty ? .settled : .migrating
        case .migrating:
            messages = oldTopics.map { HomeAssistant.Message(topic: $0, payload: HomeAssistant.migration) }
            stage = .pausing(until: nil)
        case .pausing(nil): stage = .pausing(until: now + Self.pause)
        case .pausing(let until?):
            guard now >= until else { break }
            messages = [announcement]
            stage = .clearing
        case .clearing:
            messages = oldTopics.map { HomeAssistant.Message(topic: $0, payload: "") }
            oldTopics = []
            stage = .settled
        }
        unacknowledged = messages.count
        return messages
    }

    /// The connection was lost, and perhaps the retained messages.
    mutating func forget() {
        stage = .unknown
        components = []
        oldTopics = []
        old = []
        unacknowledged = 0
    }
}
