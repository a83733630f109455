import CUdev
import CuffCore
import Glibc

/// Reads from the system what `Access` judges.
extension Access {
    /// Whether this process may open the node. Nothing is opened.
    public static func look(at path: String) -> Access {
        switch NodePermissions.look(at: path) {
        case .success(let node): verdict(on: node, for: .current())
        case .failure(let fault) where fault.errno == ENOENT: .missing(path)
        case .failure(let fault): .failed(fault.call, errno: fault.errno)
        }
    }
}

extension NodePermissions {
    /// A system call that failed, with its errno.
    public struct Fault: Error { var call: String, errno: Int32 }

    /// Owner, mode and ACL of a node, by stat(2) and getxattr(2). Nothing is opened.
    public static func look(at path: String) -> Result<NodePermissions, Fault> {
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
    /// The identity of this process at this moment.
    public static func current() -> ProcessIdentity {
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
    /// Who has the node open or locked, as far as this process may see: other people's processes are hidden from it
    /// unless it is root.
    public static func look(at path: String) -> [NodeHolder] {
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

    /// The old way of terminal programs: `/var/lock/LCK..ttyUSB0` holds the number of the process.
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

/// The process table as /proc shows it.
enum Processes {
    static func all() -> [Int32] { Folder.names("/proc").compactMap { Int32($0) } }

    static func command(of pid: Int32) -> String? { SmallFile.lines("/proc/\(pid)/comm").first.map(String.init) }

    /// The device numbers of its open character devices.
    static func openFiles(of pid: Int32) -> [dev_t] {
        Folder.names("/proc/\(pid)/fd").compactMap { name in
            var status = stat()
            guard stat("/proc/\(pid)/fd/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
            return status.st_rdev
        }
    }

    /// Numbers of the processes of these names.
    static func named(_ names: Set<String>) -> [(pid: Int32, name: String)] {
        all().compactMap { pid in command(of: pid).flatMap { names.contains($0) ? (pid, $0) : nil } }
    }
}

enum Folder {
    static func names(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
            }
        }
        return names
    }
}

/// Files of /proc and of configuration size.
enum SmallFile {
    /// At most 1 MiB: `/proc/locks` of a busy server is the largest of these.
    static func bytes(_ path: String, limit: Int = 1 << 20) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count < limit {
            let count = read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    static func lines(_ path: String) -> [Substring] {
        String(decoding: bytes(path) ?? [], as: UTF8.self).split(separator: "\n")
    }
}

enum Names {
    static func user(_ id: uid_t) -> String {
        var entry = passwd()
        var room = [CChar](repeating: 0, count: 4096)
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(id, &entry, &room, room.count, &found) == 0, found != nil, let name = entry.pw_name else {
            return String(id)
        }
        return String(cString: name)
    }

    static func group(_ id: gid_t) -> String {
        var entry = group_entry()
        var room = [CChar](repeating: 0, count: 16384)
        var found: UnsafeMutablePointer<group_entry>?
        guard getgrgid_r(id, &entry, &room, room.count, &found) == 0, found != nil, let name = entry.gr_name else {
            return String(id)
        }
        return String(cString: name)
    }
}

private typealias group_entry = Glibc.group
