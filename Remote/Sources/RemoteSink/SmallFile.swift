import Glibc

/// Whole files of a few kilobytes.
public enum SmallFile {
    /// `nil` if it cannot be read or is longer.
    public static func text(_ path: String, limit: Int) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return text(file, limit: limit)
    }

    static func text(_ file: Int32, limit: Int) -> String? {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(file, &room, room.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0, bytes.count + count <= limit else { return nil }
            guard count > 0 else { return String(validating: bytes, as: UTF8.self) }
            bytes += room[..<count]
        }
    }

    /// Mode 0600; durable when it returns.
    public static func replace(_ path: String, with text: String) throws(ConfigurationFault) {
        func fault(_ what: String) -> ConfigurationFault {
            ConfigurationFault("cannot \(what) \(path): \(String(cString: strerror(errno)))")
        }
        let part = "\(path).\(getpid()).part"
        unlink(part)
        let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw fault("create") }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
        }
        let isWhole = rest.isEmpty && fsync(file) == 0
        close(file)
        guard isWhole, rename(part, path) == 0 else {
            defer { unlink(part) }
            throw fault("write")
        }
        let slash = path.lastIndex(of: "/")
        let folder = open(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}
