extension AlertState {
    /// The raised alerts, the latest first.
    package var standing: [StandingAlert] {
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
