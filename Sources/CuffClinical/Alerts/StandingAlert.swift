import CuffCore

package struct StandingAlert: Sendable, Hashable {
    /// The rule's name and its condition, as the user wrote them.
    package var rule: String, condition: String
    /// The time of its latest reading, or when the missing one was due.
    package var since: Timestamp
    /// The cuff; `nil` after a restart until its next reading.
    package var device: String?
    /// The person: a name, or `user 1`; `nil` if unknown.
    package var person: String?

    package init(rule: String, condition: String, since: Timestamp, device: String? = nil, person: String? = nil) {
        self.rule = rule
        self.condition = condition
        self.since = since
        self.device = device
        self.person = person
    }
}
