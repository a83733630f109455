import CuffCore
import Glibc

/// A text file to which whole lines are appended, durably, by one process at a time. A failed write is rolled back. Devices and
/// pipes are written to directly, without recovery.
final class LineFile {
    let path: String
    private(set) var descriptor: Int32
    let isRegular: Bool
    /// The length of the valid part.
    private(set) var size = 0
    /// The length at the last commit.
    private var committed = 0
    /// Invalid bytes at the end that could not be cut off yet.
    private var excess = 0

    /// Opens or creates (mode 0600) and locks the file.
    init(_ path: String) throws(IngestError) {
        self.path = path
        do throws(IngestError) {
            descriptor = try OwnFile.open(path, O_RDWR | O_APPEND)
        } catch {
            // A pipe or a device may be write-only. EACCES is final.
            var status = stat()
            guard error.status != .noPermission, stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG,
                status.st_mode & S_IFMT != S_IFDIR,
                let opened = try OwnFile.existing(path, O_WRONLY | O_APPEND)
            else { throw error }
            descriptor = opened
        }
        isRegular = Descriptor.kind(descriptor) == .regular
        guard isRegular else { return }
        // From here on every property is set, so deinit closes the descriptor if this throws.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .writing(path, errno) }
        size = Descriptor.size(descriptor) ?? 0
        committed = size
    }

    deinit { Descriptor.closeLocked(descriptor) }

    /// Others may write the file from now on.
    func unlock() { if isRegular { flock(descriptor, LOCK_UN) } }

    /// What happened to the file of the path since the last write; `nil` if nothing.
    var change: FileIdentity.Change? {
        isRegular ? FileIdentity.change(of: descriptor, path, size: size + excess) : nil
    }

    func replace(by other: Int32) {
        Descriptor.closeLocked(descriptor)
        descriptor = other
        accept(Descriptor.size(other) ?? 0)
    }

    func accept(_ length: Int) {
        (size, committed, excess) = (length, length, 0)
    }

    /// Never makes the file longer.
    func cut(to length: Int) throws(IngestError) {
        while let now = Descriptor.size(descriptor), now > length, ftruncate(descriptor, off_t(length)) != 0 {
            if errno != EINTR { throw .writing(path, errno) }
        }
    }

    /// Appends; not durable before `synchronise`.
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

    func commit() { committed = size }

    /// Removes what was appended since `commit`, now or before the next write.
    func rollBack() {
        excess += size - committed
        size = committed
        guard isRegular else { return excess = 0 }
        try? cutExcess()
    }

    private func cutExcess() throws(IngestError) {
        guard excess > 0, let length = Descriptor.size(descriptor) else { return }
        // Another program has appended; recovery at the next opening removes the damage in the middle.
        if length <= size + excess { try cut(to: max(0, length - excess)) }
        excess = 0
    }

    /// Without its line feed; its beginning, if it is longer than any header.
    var firstLine: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 10)
        let count = isRegular ? bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) } : 0
        return Array(bytes.prefix(max(0, count)).prefix { $0 != 0x0A })
    }

    static func lastLine(of path: String) -> ArraySlice<UInt8>? {
        guard let descriptor = try? Descriptor.open(path, O_RDONLY | O_NOCTTY) else { return nil }
        defer { Glibc.close(descriptor) }
        // The longest line without raw bytes has about 2 KiB.
        let room = 1 << 16
        let size = Descriptor.size(descriptor) ?? 0
        var bytes = [UInt8](repeating: 0, count: min(room, size))
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(max(0, size - room))) }
        guard count > 0 else { return nil }
        let lines = bytes[..<count].split(separator: 0x0A, omittingEmptySubsequences: true)
        return (bytes[count - 1] == 0x0A ? lines[...] : lines.dropLast()).last
    }
}
