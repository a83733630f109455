package struct ProcessIdentity: Sendable, Hashable {
    package var user: UInt32
    package var userName: String
    /// Effective and supplementary.
    package var groups: Set<UInt32>
    package var groupNames: [String]
    /// CAP_DAC_OVERRIDE, usually root's.
    package var overridesAccess: Bool = false
}
