import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// The alert configuration of a watch.
public struct AlertSettings: Sendable, Hashable {
    package var rules: [AlertRule] = []
    /// Who is who.
    package var household = Household()

    /// No rules.
    public init() {}

    package init(_ configuration: CuffConfiguration) {
        rules = configuration.alerts.map(\.rule)
        household = configuration.household
    }
}
