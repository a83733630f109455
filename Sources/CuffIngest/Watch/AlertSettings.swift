import CuffClinical

package struct AlertSettings: Sendable, Hashable {
    package var rules: [AlertRule] = []
    package var household = Household()

    package init() {}

    package init(_ configuration: CuffConfiguration) {
        rules = configuration.alerts.map(\.rule)
        household = configuration.household
    }
}
