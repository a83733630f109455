import CuffCore
import Glibc

/// Reads a configuration. Because it can run programs, it must belong to this user or root.
enum ConfigurationFile {
    static let limit = 1 << 20

    /// Throws if it is not a regular file, belongs to another user, is writable by others or too long.
    static func text(_ path: String) throws(IngestError) -> String {
        let descriptor: Int32
        do throws(SystemFault) { descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK) } catch {
            throw .reading(path, error.number)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .reading(path, errno) }
        // Inherited descriptors such as /dev/stdin are trusted, whoever owns the pipe.
        let isGiven = OwnFile.isDescriptor(path)
        guard status.st_mode & S_IFMT == S_IFREG || isGiven && status.st_mode & S_IFMT == S_IFIFO else {
            throw IngestError(ConfigurationFault.notAFile(path))
        }
        if !isGiven {
            guard status.st_uid == geteuid() || status.st_uid == 0 else {
                throw IngestError(ConfigurationFault.foreignOwner(path, user: status.st_uid))
            }
            guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { throw IngestError(ConfigurationFault.writableByOthers(path)) }
        }
        return String(decoding: try bytes(descriptor, path), as: UTF8.self)
    }

    /// Replaces the file atomically. It is readable by its owner only, but the machine's file by everybody, because the service
    /// has a user of its own.
    static func write(_ text: String, to path: String) throws(IngestError) {
        let isShared = path.hasPrefix("/etc/")
        if isShared { mkdir(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }, 0o755) }
        StateFile.makeFolders(above: path)
        let output = try OutputFile(path, replaces: true)
        var buffer = TextBuffer(capacity: text.utf8.count)
        buffer.append(string: text)
        try output.append(&buffer)
        try output.finish()
        if isShared, chmod(path, 0o644) != 0 { throw .writing(path, errno) }
    }

    private static func bytes(_ descriptor: Int32, _ path: String) throws(IngestError) -> [UInt8] {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(descriptor, &room, room.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                Descriptor.wait(descriptor, for: Int16(POLLIN))
                continue
            }
            guard count >= 0 else { throw .reading(path, errno) }
            if count == 0 { return bytes }
            bytes += room.prefix(count)
            guard bytes.count <= limit else { throw IngestError(ConfigurationFault.tooLong(path, most: limit)) }
        }
    }
}
