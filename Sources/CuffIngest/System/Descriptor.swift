import CLinux
import Glibc

struct SystemFault: Error, Equatable, Sendable {
    var call: String
    var number: Int32

    init(_ call: String, _ number: Int32 = errno) {
        self.call = call
        self.number = number
    }

    /// The kernel's text, such as `No space left on device`.
    static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}

/// System calls on descriptors; EINTR and short counts are handled.
enum Descriptor {
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemFault) -> Int32 {
        while true {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw SystemFault("open") }
        }
    }

    /// Closes a descriptor with a `flock`. A process that is being started has a copy of the descriptor until it runs its program, and
    /// with it the lock, unless the lock is released first.
    static func closeLocked(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// One read; 0: end of file, `nil`: nothing available yet.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemFault) -> Int? {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw SystemFault("read")
            }
        }
    }

    /// A chunk of at most `size` bytes; empty at the end. The descriptor must be readable or blocking.
    static func chunk(_ descriptor: Int32, _ size: Int) throws(SystemFault) -> [UInt8] {
        var fault: SystemFault?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            do throws(SystemFault) {
                while true {
                    if let got = try read(descriptor, into: UnsafeMutableRawBufferPointer(buffer)) {
                        count = got
                        return
                    }
                    wait(descriptor, for: Int16(POLLIN))
                }
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return bytes
    }

    /// Opens a file whose content is read.
    static func forReading(_ path: String, _ flags: Int32 = 0) throws(IngestError) -> Int32 {
        do throws(SystemFault) { return try open(path, O_RDONLY | O_NOCTTY | flags) } catch { throw .reading(path, error.number) }
    }

    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemFault) {
        try bytes.span.withUnsafeBytes { (bytes) throws(SystemFault) in try writeAll(descriptor, bytes) }
    }

    static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFault) {
        var written = 0
        try writeAll(descriptor, bytes, counting: &written)
    }

    /// `written` is increased by the bytes written, also on failure.
    static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, counting written: inout Int) throws(SystemFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = clinux_write(descriptor, part.baseAddress, part.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
                written += count
            } else if errno == EAGAIN {
                wait(descriptor, for: Int16(POLLOUT))
            } else if errno != EINTR {
                throw SystemFault("write")
            }
        }
    }

    /// Makes the data of a file durable.
    ///
    /// If a file system became read-only under an open file, ext4 accepts writes into memory and fsync succeeds without writing
    /// anything (observed, Linux 6.1); this throws EROFS then.
    static func synchronise(_ descriptor: Int32) throws(SystemFault) {
        while fdatasync(descriptor) != 0 {
            if errno != EINTR { throw SystemFault("fdatasync") }
        }
        var status = statvfs()
        if fstatvfs(descriptor, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0 { throw SystemFault("fdatasync", EROFS) }
    }

    /// `.` for a name without a folder.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a new name durable. Without permission to read the folder, the file's own fsync has to do.
    static func synchroniseFolder(of path: String) throws(SystemFault) {
        guard let folder = try? open(folder(of: path), O_RDONLY | O_DIRECTORY) else { return }
        defer { close(folder) }
        while fsync(folder) != 0 {
            switch errno {
            case EINTR: continue
            // File systems that do not support it.
            case EINVAL, EROFS: return
            default: throw SystemFault("fsync")
            }
        }
    }

    /// Waits until the descriptor is ready or hung up.
    static func wait(_ descriptor: Int32, for events: Int16) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while poll(&entry, 1, -1) < 0 && errno == EINTR {}
    }

    enum Kind { case regular, directory, terminal, pipe, other }

    static func kind(_ descriptor: Int32) -> Kind {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .directory
        case S_IFIFO: return .pipe
        default: return isatty(descriptor) == 1 ? .terminal : .other
        }
    }

    static func size(_ descriptor: Int32) -> Int? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }
}
