import CuffCore
import Dispatch
import Glibc

/// Small files that survive a crash: each is replaced atomically.
enum StateFile {
    /// Serialises access to the state files, because links share some.
    static let queue = DispatchQueue(label: "cuff.state-files")

    /// The longest file: a line or two.
    static let limit = 4096

    /// A name without characters that a file system may reject.
    static func name(_ prefix: String, for key: String) -> String {
        "\(prefix)-\(Hex.text(Array(withUnsafeBytes(of: XXHash64.hash(Array(key.utf8).span).bigEndian) { Array($0) }), separator: ""))"
    }

    static func read(_ path: String) -> String? {
        guard let descriptor = open(path) else { return nil }
        defer { close(descriptor) }
        return (try? Descriptor.chunk(descriptor, limit)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All bytes of a file; of one that is longer than `most`, only the first part, which also is longer than `most`.
    static func bytes(_ path: String, most: Int) -> [UInt8]? {
        guard let descriptor = open(path) else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= most, let chunk = try? Descriptor.chunk(descriptor, 1 << 16), !chunk.isEmpty { bytes += chunk }
        return bytes
    }

    /// `nil` if it does not exist or is not trusted.
    static func open(_ path: String) -> Int32? {
        // Non-blocking, because a pipe in its place would have no writer.
        guard let found = try? OwnFile.existing(path, O_RDONLY | O_NONBLOCK, owner: .userOrFolder) else { return nil }
        guard Descriptor.kind(found) == .regular else {
            close(found)
            return nil
        }
        return found
    }

    private static let parts = Locked(0)

    static func write(_ text: String, to path: String, durably: Bool = true) throws(IngestError) {
        makeFolders(above: path)
        let part = parts.withLock { parts in
            parts += 1
            return parts
        }
        let temporary = "\(path).\(getpid()).\(part).part"
        // Left by a crashed process with the same id.
        unlink(temporary)
        do throws(SystemFault) {
            let descriptor = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
            defer { close(descriptor) }
            try put(text, descriptor, durably: durably)
            adopt(descriptor, above: path)
            guard rename(temporary, path) == 0 else { throw SystemFault("rename") }
        } catch {
            unlink(temporary)
            throw .writing(path, error.number)
        }
        if durably {
            do throws(SystemFault) { try Descriptor.synchroniseFolder(of: path) } catch { throw .writing(path, error.number) }
        }
    }

    static func put(_ text: String, _ descriptor: Int32, durably: Bool = true) throws(SystemFault) {
        try Descriptor.writeAll(descriptor, Array(text.utf8))
        if durably { try Descriptor.synchronise(descriptor) }
    }

    /// Creates missing parent folders, mode 0700; errors show when the file is written.
    static func makeFolders(above path: String) {
        var folder = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            guard mkdir(folder, 0o700) == 0, let descriptor = try? Descriptor.open(folder, O_RDONLY | O_DIRECTORY) else { continue }
            adopt(descriptor, above: folder)
            close(descriptor)
            try? Descriptor.synchroniseFolder(of: folder)
        }
    }

    /// Files that root creates in a service's state folder must belong to the service, which could not read them otherwise.
    private static func adopt(_ descriptor: Int32, above path: String) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard stat(Descriptor.folder(of: path), &status) == 0, status.st_uid != 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
    }

    /// Returns whether there was one.
    static func remove(_ path: String) -> Bool {
        guard unlink(path) == 0 else { return false }
        try? Descriptor.synchroniseFolder(of: path)
        return true
    }

    /// Without links, so that two names of a device give the same key.
    static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
