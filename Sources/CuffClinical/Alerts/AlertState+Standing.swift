import CuffCore

/// An alert that was raised and not cleared, for people who look now.
public struct StandingAlert: Sendable, Hashable {
    /// The rule's name and its condition, as the user wrote them.
    public var rule: String, condition: String
    /// The time of the latest reading it rests on, or when the missed one was due.
    public var since: Timestamp
    /// The cuff; `nil` after a restart until its next reading.
    public var device: String?
    /// Who it is about: a name, or `user 1`; `nil` where that is not known.
    public var person: String?

    /// Sets each property as given.
    public init(rule: String, condition: String, since: Timestamp, device: String? = nil, person: String? = nil) {
        self.rule = rule
        self.condition = condition
        self.since = since
        self.device = device
        self.person = person
    }
}

extension AlertState {
    /// What stands now, the latest first.
    public var standing: [StandingAlert] {
        var found: [StandingAlert] = []
        for rule in rules {
            let silent = Dictionary(plans.values.map { (Self.key(rule, $0.plan), $0.plan.key) }, uniquingKeysWith: { first, _ in first })
            for (key, track) in tracks where key.rule == rule.identity {
                guard let standing = track.standing else { continue }
                found.append(
                    StandingAlert(
                        rule: rule.name, condition: rule.condition, since: standing.since, device: track.origin?.device ?? silent[key],
                        person: track.origin?.person))
            }
        }
        return found.sorted { ($1.since, $0.rule, $0.device ?? "") < ($0.since, $1.rule, $1.device ?? "") }
    }
}
