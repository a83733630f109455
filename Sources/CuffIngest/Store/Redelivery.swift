import CuffClinical

/// How changed and deleted readings are given again to the sinks that have them: whose they are, and what each sink may have.
package struct Redelivery: Sendable, Hashable {
    package var household = Household()
    /// By the place of the sink (`SinkSpec.place`); sinks without limits are not listed.
    package var consents: [String: SinkConsent] = [:]
}
