import CuffClinical

/// How changed and deleted readings are given again to the sinks that have them: whose they are, and what each sink may have.
public struct Redelivery: Sendable, Hashable {
    /// Names the persons.
    public var household = Household()
    /// By the name of the sink; sinks without limits are not listed.
    public var consents: [String: SinkConsent] = [:]

    /// Without names and limits.
    public init() {}
}
