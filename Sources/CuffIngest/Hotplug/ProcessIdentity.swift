import CuffCore

/// Who this process is to the kernel when it opens a node.
package struct ProcessIdentity: Sendable, Hashable {
    package var user: UInt32
    package var userName: String
    /// The group ids of the process: effective and supplementary.
    package var groups: Set<UInt32>
    package var groupNames: [String]
    /// The capability to pass over permissions (root, usually).
    package var overridesAccess: Bool = false
}
