import CuffCore

package struct AccessEntry: Sendable, Hashable {
    /// The raw values are the kernel's.
    package enum Tag: UInt16, Sendable { case owner = 1, user = 2, owningGroup = 4, group = 8, mask = 16, other = 32 }
    package var tag: Tag
    /// Read 4, write 2.
    package var permissions: UInt16
    /// The user or group id of a `user` or `group` entry.
    package var id: UInt32

    package init(_ tag: Tag, permissions: UInt16, id: UInt32 = .max) {
        self.tag = tag
        self.permissions = permissions
        self.id = id
    }

    /// Parses `system.posix_acl_access`: version 2, then entries of 8 bytes; `nil` for anything else.
    package static func list(_ bytes: [UInt8]) -> [AccessEntry]? {
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

package struct NodePermissions: Sendable, Hashable {
    package var node: String
    package var owner: UInt32
    package var group: UInt32
    package var ownerName: String
    package var groupName: String
    package var mode: UInt16
    package var entries: [AccessEntry] = []

    /// Whether the group, and everybody, has these permissions (read 4, write 2), entries of an access list aside.
    package func grants(_ permissions: Int) -> (group: Bool, all: Bool) {
        (Int(mode) >> 3 & permissions == permissions, Int(mode) & permissions == permissions)
    }

    /// `rw-rw----`
    package var modeText: String {
        String((0..<9).map { mode & (1 << UInt16(8 - $0)) != 0 ? Array("rwx")[$0 % 3] : "-" })
    }
}

package struct NodeHolder: Sendable, Hashable {
    package enum Hold: String, Sendable { case open, locked, lockFile = "lock file" }
    package var pid: Int32
    package var command: String
    package var hold: Hold
}
