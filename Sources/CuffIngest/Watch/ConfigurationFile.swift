import CuffCore
import Glibc

/// Reads a configuration. Because it can run programs, it must belong to this user or root.
enum ConfigurationFile {
    static let limit = 1 << 20

    /// Throws if it is not a regular file, belongs to another user, is writable by others or too long.
    static func text(_ path: String) throws(IngestError) -> String {
        let descriptor = try Descriptor.forReading(path, O_NONBLOCK)
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
        if isShared { mkdir(Descriptor.folder(of: path), 0o755) }
        StateFile.makeFolders(above: path)
        try OutputFile.write(text, to: path, mode: isShared ? 0o644 : nil)
    }

    private static func bytes(_ descriptor: Int32, _ path: String) throws(IngestError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk: [UInt8]
            do throws(SystemFault) { chunk = try Descriptor.chunk(descriptor, 16384) } catch { throw .reading(path, error.number) }
            if chunk.isEmpty { return bytes }
            bytes += chunk
            guard bytes.count <= limit else { throw IngestError(ConfigurationFault.tooLong(path, most: limit)) }
        }
    }
}
