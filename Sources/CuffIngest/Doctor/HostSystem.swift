import Glibc

/// What a problem report says of this computer.
package enum HostSystem {
    package static var names: (name: String, release: String, machine: String, host: String) {
        var names = utsname()
        uname(&names)
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let lines = String(decoding: SmallFile.bytes("/etc/os-release") ?? [], as: UTF8.self).split(separator: "\n")
        let name = lines.first { $0.hasPrefix("PRETTY_NAME=") }.map { String($0.dropFirst(12).filter { $0 != "\"" }) }
        return (name ?? text(names.sysname), text(names.release), text(names.machine), text(names.nodename))
    }

    /// The last lines of the service's log; `nil` if this user may not read it. Limited to five seconds and 100 lines: a journal may be
    /// large and on a slow disk.
    package static var serviceLog: String? {
        guard let pipe = popen("timeout 5 journalctl --unit=cuff --lines=100 --no-pager --output=short-iso --no-hostname 2>/dev/null", "re")
        else { return nil }
        defer { pclose(pipe) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, pipe)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
