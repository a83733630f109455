import CuffCore

/// Whether this process may open a node, and if not, why. By the kernel's rules (acl(5)).
package enum Access: Sendable, Hashable {
    case granted
    case denied(NodePermissions, ProcessIdentity)
    case missing(String)
    case failed(String, errno: Int32)

    package static func verdict(on node: NodePermissions, for process: ProcessIdentity) -> Access {
        mayReadAndWrite(node, process) ? .granted : .denied(node, process)
    }

    static func mayReadAndWrite(_ node: NodePermissions, _ process: ProcessIdentity) -> Bool {
        let wanted: UInt16 = 6
        if process.overridesAccess { return true }
        if process.user == node.owner { return node.mode >> 6 & wanted == wanted }
        // With an ACL, the group bits of the mode are the mask, which limits every named entry.
        let mask = node.entries.first { $0.tag == .mask }?.permissions ?? 7
        func grants(_ entry: AccessEntry) -> Bool { entry.permissions & mask & wanted == wanted }
        if let own = node.entries.first(where: { $0.tag == .user && $0.id == process.user }) { return grants(own) }
        var groups = node.entries.filter {
            $0.tag == .group && process.groups.contains($0.id)
                || $0.tag == .owningGroup && process.groups.contains(node.group)
        }
        if node.entries.isEmpty, process.groups.contains(node.group) {
            groups = [AccessEntry(.owningGroup, permissions: node.mode >> 3 & 7)]
        }
        // A matching group without permission ends the search; `other` applies only without a matching group.
        if !groups.isEmpty { return groups.contains(where: grants) }
        return node.mode & wanted == wanted
    }

    package var isGranted: Bool { self == .granted }

    /// One or two words for `cuff list`.
    package var word: String {
        switch self {
        case .granted: "ok"
        case .denied: "denied"
        case .missing: "missing"
        case .failed: "error"
        }
    }

    package var reason: String? {
        switch self {
        case .granted: nil
        case .denied(let node, let process):
            "the port belongs to \(node.ownerName):\(node.groupName) (\(node.modeText)); this process runs as "
                + "\(process.userName), groups: \(process.groupNames.joined(separator: " "))"
        case .missing(let path): "\(path) does not exist"
        case .failed(let call, let errno): "\(call) failed with error \(errno)"
        }
    }
}
