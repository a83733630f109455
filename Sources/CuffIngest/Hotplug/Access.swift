import CuffCore

/// Who this process is to the kernel when it opens a node.
public struct ProcessIdentity: Sendable, Hashable {
    /// The effective user id.
    public var user: UInt32
    /// The name of the user, or the number where it has none.
    public var userName: String
    /// The group ids of the process: effective and supplementary.
    public var groups: Set<UInt32>
    /// The names of these groups, or their numbers.
    public var groupNames: [String]
    /// The capability to pass over permissions (root, usually).
    public var overridesAccess: Bool

    /// Sets each property as given.
    public init(
        user: UInt32, userName: String, groups: Set<UInt32>, groupNames: [String], overridesAccess: Bool = false
    ) {
        self.user = user
        self.userName = userName
        self.groups = groups
        self.groupNames = groupNames
        self.overridesAccess = overridesAccess
    }
}

/// One line of a POSIX access control list.
public struct AccessEntry: Sendable, Hashable {
    /// Whom an entry is about; the raw values are the kernel's.
    public enum Tag: UInt16, Sendable { case owner = 1, user = 2, owningGroup = 4, group = 8, mask = 16, other = 32 }
    /// Whom the entry is about.
    public var tag: Tag
    /// Read 4, write 2.
    public var permissions: UInt16
    /// The user or group id of a `user` or `group` entry; otherwise without meaning.
    public var id: UInt32

    /// Sets each property as given.
    public init(_ tag: Tag, permissions: UInt16, id: UInt32 = .max) {
        self.tag = tag
        self.permissions = permissions
        self.id = id
    }

    /// Reads the value of `system.posix_acl_access`: version 2, then entries of 8 bytes; `nil` when it is anything else.
    public static func list(_ bytes: [UInt8]) -> [AccessEntry]? {
        func number(_ offset: Int, _ count: Int) -> UInt32 {
            (0..<count).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
        }
        guard bytes.count >= 4, bytes.count % 8 == 4, number(0, 4) == 2 else { return nil }
        var entries: [AccessEntry] = []
        for offset in stride(from: 4, to: bytes.count, by: 8) {
            guard let tag = Tag(rawValue: UInt16(number(offset, 2))) else { return nil }
            entries.append(AccessEntry(tag, permissions: UInt16(number(offset + 2, 2)), id: number(offset + 4, 4)))
        }
        return entries
    }
}

/// A node's own side of the question.
public struct NodePermissions: Sendable, Hashable {
    /// The path of the node.
    public var node: String
    /// The user id of the owner.
    public var owner: UInt32
    /// The group id.
    public var group: UInt32
    /// The name of the owner, or the number where it has none.
    public var ownerName: String
    /// The name of the group, or the number where it has none.
    public var groupName: String
    /// The nine permission bits.
    public var mode: UInt16
    /// The POSIX ACL; empty where the node has none.
    public var entries: [AccessEntry]

    /// Sets each property as given.
    public init(
        node: String, owner: UInt32, group: UInt32, ownerName: String, groupName: String, mode: UInt16,
        entries: [AccessEntry] = []
    ) {
        self.node = node
        self.owner = owner
        self.group = group
        self.ownerName = ownerName
        self.groupName = groupName
        self.mode = mode
        self.entries = entries
    }

    /// `rw-rw----`
    public var modeText: String {
        String((0..<9).map { mode & (1 << UInt16(8 - $0)) != 0 ? Array("rwx")[$0 % 3] : "-" })
    }
}

/// A process that has the node open or locked.
public struct NodeHolder: Sendable, Hashable {
    /// How a process holds the node.
    public enum Hold: String, Sendable { case open, locked, lockFile = "lock file" }
    /// The process id.
    public var pid: Int32
    /// The name of the program.
    public var command: String
    /// How it holds the node.
    public var hold: Hold

    /// Sets each property as given.
    public init(pid: Int32, command: String, hold: Hold) {
        self.pid = pid
        self.command = command
        self.hold = hold
    }
}

/// Whether this process may open a node, and if not, why and what helps. The rules are the kernel's (acl(5)).
public enum Access: Sendable, Hashable {
    case granted
    case denied(NodePermissions, ProcessIdentity)
    case missing(String)
    case failed(String, errno: Int32)

    /// Judges by the rules of the kernel, from these facts alone: nothing is opened.
    public static func verdict(on node: NodePermissions, for process: ProcessIdentity) -> Access {
        mayReadAndWrite(node, process) ? .granted : .denied(node, process)
    }

    static func mayReadAndWrite(_ node: NodePermissions, _ process: ProcessIdentity) -> Bool {
        let wanted: UInt16 = 6
        if process.overridesAccess { return true }
        if process.user == node.owner { return node.mode >> 6 & wanted == wanted }
        // With a list, the group bits of the mode are the mask, and every named entry lies under it.
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
        // Being in a group that is refused ends the search; `other` is for those in none.
        if !groups.isEmpty { return groups.contains(where: grants) }
        return node.mode & wanted == wanted
    }

    /// The process may open the node for reading and writing.
    public var isGranted: Bool { self == .granted }

    /// One or two words for `cuff list`.
    public var word: String {
        switch self {
        case .granted: "ok"
        case .denied: "denied"
        case .missing: "missing"
        case .failed: "error"
        }
    }

    /// What is the matter; `nil` when nothing is.
    public var reason: String? {
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
