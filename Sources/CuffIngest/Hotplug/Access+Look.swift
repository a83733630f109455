import CUdev
import CuffCore
import Glibc

/// Collects the facts for `Access`.
extension Access {
    /// Whether this process may open the node, without opening it.
    package static func look(at path: String) -> Access {
        switch NodePermissions.look(at: path) {
        case .success(let node): verdict(on: node, for: .current())
        case .failure(let fault) where fault.errno == ENOENT: .missing(path)
        case .failure(let fault): .failed(fault.call, errno: fault.errno)
        }
    }
}

extension NodePermissions {
    package struct Fault: Error { var call: String, errno: Int32 }

    /// Owner, mode and ACL of a node, by stat(2) and getxattr(2).
    package static func look(at path: String) -> Result<NodePermissions, Fault> {
        var status = stat()
        guard stat(path, &status) == 0 else { return .failure(Fault(call: "stat", errno: errno)) }
        var bytes = [UInt8](repeating: 0, count: 4096)  // some 500 entries; udev writes one per seated person
        let count = getxattr(path, "system.posix_acl_access", &bytes, bytes.count)
        return .success(
            NodePermissions(
                node: path, owner: status.st_uid, group: status.st_gid, ownerName: Names.user(status.st_uid),
                groupName: Names.group(status.st_gid), mode: UInt16(status.st_mode & 0o777),
                entries: count > 0 ? AccessEntry.list(Array(bytes.prefix(count))) ?? [] : []))
    }
}

extension ProcessIdentity {
    package static func current() -> ProcessIdentity {
        var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        let count = getgroups(Int32(groups.count), &groups)
        groups = Array(groups.prefix(Int(max(count, 0))))
        if !groups.contains(getegid()) { groups.insert(getegid(), at: 0) }
        return ProcessIdentity(
            user: geteuid(), userName: Names.user(geteuid()), groups: Set(groups), groupNames: groups.map(Names.group),
            overridesAccess: overridesAccess())
    }

    /// CAP_DAC_OVERRIDE is bit 1 of the effective set.
    private static func overridesAccess() -> Bool {
        let line = SmallFile.lines("/proc/self/status").first { $0.hasPrefix("CapEff:") }
        guard let field = line?.split(separator: "\t").last, let set = UInt64(field, radix: 16) else {
            return geteuid() == 0
        }
        return set & 2 != 0
    }
}

extension NodeHolder {
    /// The processes that have the node open or locked. Without root, other users' processes are not visible.
    package static func look(at path: String) -> [NodeHolder] {
        var status = stat()
        guard stat(path, &status) == 0 else { return lockFiles(path) }
        var holders = lockFiles(path)
        for pid in Processes.all() where pid != getpid() {
            guard Processes.openFiles(of: pid).contains(where: { $0 == status.st_rdev }) else { continue }
            holders.append(NodeHolder(pid: pid, command: Processes.command(of: pid) ?? "?", hold: .open))
        }
        let inode = String(status.st_ino)
        for line in SmallFile.lines("/proc/locks") {
            let fields = line.split(separator: " ")
            guard let flock = fields.firstIndex(where: { $0 == "FLOCK" || $0 == "POSIX" || $0 == "OFDLCK" }),
                fields.count > flock + 4, let pid = Int32(fields[flock + 3]), pid != getpid(),
                fields[flock + 4].split(separator: ":").last.map(String.init) == inode,
                !holders.contains(where: { $0.pid == pid && $0.hold == .locked })
            else { continue }
            holders.append(NodeHolder(pid: pid, command: Processes.command(of: pid) ?? "?", hold: .locked))
        }
        return holders
    }

    /// Lock files of terminal programs: `/var/lock/LCK..ttyUSB0` holds the process id.
    private static func lockFiles(_ path: String) -> [NodeHolder] {
        guard let name = path.split(separator: "/").last else { return [] }
        for folder in ["/var/lock", "/run/lock", "/var/spool/uucp"] {
            let words = SmallFile.lines("\(folder)/LCK..\(name)").first?.split(separator: " ") ?? []
            guard let pid = words.first.flatMap({ Int32($0) }), kill(pid, 0) == 0 || errno == EPERM else { continue }
            return [NodeHolder(pid: pid, command: Processes.command(of: pid) ?? "?", hold: .lockFile)]
        }
        return []
    }
}
