import Glibc

/// The lock file of serial programs, `/var/lock/LCK..ttyUSB0`, with the holder's process id. A stale lock is replaced; without
/// write permission there no lock is created.
final class UUCPLock {
    private var path: String?

    init?(for device: String) throws(IngestError) {
        let target = StateFile.resolved(device)
        // Pseudo terminals are reused under the same name and not locked.
        guard target.hasPrefix("/dev/tty"), let name = target.split(separator: "/").last else { return nil }
        let file = "/var/lock/LCK..\(name)"
        if let holder = Self.holder(of: file), holder != getpid() {
            guard kill(holder, 0) != 0, errno == ESRCH else {
                throw .device(device, EBUSY, holder: "process \(holder) locked it (\(file))")
            }
            unlink(file)
        }
        guard let descriptor = try? Descriptor.open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644) else {
            return nil
        }
        let number = String(getpid())
        let text = String(repeating: " ", count: max(0, 10 - number.count)) + number + "\n"
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
        Glibc.close(descriptor)
        path = file
    }

    deinit { if let path { unlink(path) } }

    /// The process id in a lock file: ten ASCII characters, or four bytes in native order.
    private static func holder(of file: String) -> pid_t? {
        guard let descriptor = try? Descriptor.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        defer { Glibc.close(descriptor) }
        guard let bytes = try? Descriptor.chunk(descriptor, 64), !bytes.isEmpty else { return nil }
        if bytes.count == 4 { return bytes.withUnsafeBytes { $0.loadUnaligned(as: pid_t.self) } }
        let digits = bytes.drop { $0 == 0x20 }.prefix { $0 &- 0x30 < 10 }
        guard let number = pid_t(String(decoding: digits, as: UTF8.self)), number > 0 else { return nil }
        return number
    }
}
