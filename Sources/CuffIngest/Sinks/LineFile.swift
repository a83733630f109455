import CuffCore
import Glibc

/// A text file to which whole lines are appended, durably, by one program at a time.
///
/// A write that fails half way is rolled back. Devices and pipes are written to as they are: they have nothing to recover.
final class LineFile {
    let path: String
    private(set) var descriptor: Int32
    let isRegular: Bool
    /// The length of what counts, also while the file is still longer.
    private(set) var size = 0
    /// The length up to which everything was committed.
    private var committed = 0
    /// Bytes of this program at the end of the file that do not count and could not be cut off yet.
    private var excess = 0

    /// Opens or creates (mode 0600) the file and locks it.
    init(_ path: String) throws(IngestError) {
        self.path = path
        do throws(IngestError) {
            descriptor = try OwnFile.open(path, O_RDWR | O_APPEND)
        } catch {
            // A pipe or a device may be writable only; one that was refused is not waited for.
            var status = stat()
            guard error.status != .noPermission, stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG,
                status.st_mode & S_IFMT != S_IFDIR,
                let opened = try OwnFile.existing(path, O_WRONLY | O_APPEND)
            else { throw error }
            descriptor = opened
        }
        isRegular = Descriptor.kind(descriptor) == .regular
        guard isRegular else { return }
        // From here on every property is set, and deinit closes the descriptor of an initialiser that throws.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .writing(path, errno) }
        size = Descriptor.size(descriptor) ?? 0
        committed = size
    }

    deinit { Glibc.close(descriptor) }

    /// What became of the file under its name since it was opened; `nil` while all is as it was left.
    var change: FileIdentity.Change? {
        isRegular ? FileIdentity.change(of: descriptor, path, size: size + excess) : nil
    }

    /// Another file takes this one's place, with its lock.
    func replace(by other: Int32) {
        Glibc.close(descriptor)
        descriptor = other
        accept(Descriptor.size(other) ?? 0)
    }

    /// The file is so long, and all of it counts.
    func accept(_ length: Int) {
        (size, committed, excess) = (length, length, 0)
    }

    /// Never makes the file longer.
    func cut(to length: Int) throws(IngestError) {
        while let now = Descriptor.size(descriptor), now > length, ftruncate(descriptor, off_t(length)) != 0 {
            if errno != EINTR { throw .writing(path, errno) }
        }
    }

    /// Appends; the bytes are not durable before `synchronise`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(IngestError) {
        if excess > 0 { try cutExcess() }
        var written = 0
        defer { size += written }
        do throws(SystemFault) { try Descriptor.writeAll(descriptor, bytes, counting: &written) } catch {
            if !isRegular && error.number == EPIPE { throw .outputClosed }
            throw .writing(path, error.number)
        }
    }

    func synchronise() throws(IngestError) {
        guard isRegular else { return }
        do throws(SystemFault) { try Descriptor.synchronise(descriptor) } catch { throw .writing(path, error.number) }
    }

    /// What was appended so far counts.
    func commit() { committed = size }

    /// Takes back what was appended since `commit`; where that cannot be done, before the next write.
    func rollBack() {
        excess += size - committed
        size = committed
        guard isRegular else { return excess = 0 }
        try? cutExcess()
    }

    private func cutExcess() throws(IngestError) {
        guard excess > 0, let length = Descriptor.size(descriptor) else { return }
        // Somebody else has appended: what is in the middle now is found when the file is opened next.
        if length <= size + excess { try cut(to: max(0, length - excess)) }
        excess = 0
    }
}

extension LineFile {
    /// The last whole line of a file; `nil` where there is none.
    static func lastLine(of path: String) -> ArraySlice<UInt8>? {
        guard let descriptor = try? Descriptor.open(path, O_RDONLY | O_NOCTTY) else { return nil }
        defer { Glibc.close(descriptor) }
        // The longest line without raw bytes has some 2 KiB.
        let room = 1 << 16
        let size = Descriptor.size(descriptor) ?? 0
        var bytes = [UInt8](repeating: 0, count: min(room, size))
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(max(0, size - room))) }
        guard count > 0 else { return nil }
        let lines = bytes[..<count].split(separator: 0x0A, omittingEmptySubsequences: true)
        return (bytes[count - 1] == 0x0A ? lines[...] : lines.dropLast()).last
    }
}
