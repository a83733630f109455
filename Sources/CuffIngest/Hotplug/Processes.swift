import CuffCore
import Glibc

/// The process table in /proc.
enum Processes {
    static func all() -> [Int32] { Folder.names("/proc").compactMap { Int32($0) } }

    static func command(of pid: Int32) -> String? { SmallFile.lines("/proc/\(pid)/comm").first.map(String.init) }

    /// The device numbers of its open files.
    static func openFiles(of pid: Int32) -> [dev_t] {
        Folder.names("/proc/\(pid)/fd").compactMap { name in
            var status = stat()
            guard stat("/proc/\(pid)/fd/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
            return status.st_rdev
        }
    }
}

package enum Folder {
    static func names(_ path: String) -> [String] { entries(path, most: .max).map(\.name) }

    package static func entries(_ path: String, most: Int) -> [(name: String, isFolder: Bool)] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var entries: [(name: String, isFolder: Bool)] = []
        while entries.count < most, let entry = readdir(folder) {
            let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { entries.append((String(cString: $0), isFolder)) }
            }
        }
        return entries
    }
}

/// Reads files of /proc and configuration files.
enum SmallFile {
    /// At most 1 MiB: the largest of these is `/proc/locks` of a busy server.
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
    static func user(_ id: uid_t) -> String { entry(of: id) { entry in entry.pw_name.map { String(cString: $0) } } ?? String(id) }

    /// What `body` makes of the user's entry in the user database; `nil` without one.
    static func entry<Value>(of user: uid_t, _ body: (passwd) -> Value?) -> Value? {
        var entry = passwd()
        var room = [CChar](repeating: 0, count: 4096)
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(user, &entry, &room, room.count, &found) == 0, found != nil else { return nil }
        return body(entry)
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
