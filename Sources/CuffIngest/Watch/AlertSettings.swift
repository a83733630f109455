import CuffClinical
import CuffCore

/// The alert configuration of a watch.
package struct AlertSettings: Sendable, Hashable {
    package var rules: [AlertRule] = []
    /// Who is who.
    package var household = Household()

    /// No rules.
    package init() {}

    package init(_ configuration: CuffConfiguration) {
        rules = configuration.alerts.map(\.rule)
        household = configuration.household
    }
}
