import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// The alert configuration of a watch.
public struct AlertSettings: Sendable, Hashable {
    package var rules: [AlertRule] = []
    /// The persons, by cuff and user.
    package var persons = AlertPersons()

    /// No rules.
    public init() {}

    package init(_ configuration: CuffConfiguration) {
        rules = configuration.alerts.map(\.rule)
        persons = configuration.persons
    }
}
