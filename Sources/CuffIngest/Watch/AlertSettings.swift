import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// What a watch raises alerts by.
public struct AlertSettings: Sendable, Hashable {
    /// The rules.
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
