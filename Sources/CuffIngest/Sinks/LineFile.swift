import CuffCore
import Glibc

/// A text file to which whole lines are appended, durably, by one program at a time.
///
/// A last line that was torn by a crash or a full disk is cut off when the file is opened, and a write that fails half way
/// is taken back. Devices and pipes are written to as they are: they have nothing to recover.
final class LineFile: @unchecked Sendable {
    let path: String
    private let descriptor: Int32
    private let isRegular: Bool
    /// The length of what counts, also while the file is still longer.
    private(set) var size = 0
    /// The length to which the file is still to be cut.
    private var owed: Int?

    /// Opens or creates (mode 0600) the file and locks it.
    init(_ path: String) throws(IngestError) {
        self.path = path
        do throws(SystemFault) {
            descriptor = try Descriptor.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOCTTY)
        } catch {
            // A pipe or a device may be writable only.
            guard error.number == EACCES || error.number == EINVAL || error.number == ENXIO else {
                throw .writing(path, error.number)
            }
            do throws(SystemFault) { descriptor = try Descriptor.open(path, O_WRONLY | O_APPEND | O_NOCTTY) } catch {
                throw .writing(path, error.number)
            }
        }
        isRegular = Descriptor.kind(descriptor) == .regular
        guard isRegular else { return }
        // From here on every property is set, and deinit closes the descriptor of an initialiser that throws.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .writing(path, errno) }
        size = Descriptor.size(descriptor) ?? 0
    }

    deinit { Glibc.close(descriptor) }

    /// Hands over every whole line, then cuts off what follows the last line feed. `visit` may refuse the file.
    func recover(
        _ visit: (_ line: UnsafeRawBufferPointer, _ isFirst: Bool) throws(IngestError) -> Void
    ) throws(IngestError) {
        guard isRegular, size > 0 else { return }
        var room = 1 << 18
        var buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        var filled = 0
        var offset = 0
        var whole = 0
        var isFirst = true
        while true {
            let count = pread(descriptor, buffer + filled, room - filled, off_t(offset))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .reading(path, errno) }
            if count == 0 { break }
            offset += count
            filled += count
            var start = 0
            while start < filled, let end = memchr(buffer + start, 0x0A, filled - start) {
                let length = end - (buffer + start)
                try visit(UnsafeRawBufferPointer(start: buffer + start, count: length), isFirst)
                isFirst = false
                start += length + 1
                whole += length + 1
            }
            memmove(buffer, buffer + start, filled - start)
            filled -= start
            if filled == room {
                guard filled < Self.longestLine else {
                    throw IngestError(
                        .cannotCreate, "cannot append to \(path)", why: "it is no file of lines",
                        cure: "name another file")
                }
                let larger = UnsafeMutableRawPointer.allocate(byteCount: room * 2, alignment: 16)
                larger.copyMemory(from: buffer, byteCount: room)
                buffer.deallocate()
                buffer = larger
                room *= 2
            }
        }
        if whole < size { try cut(to: whole) }
    }

    /// A line of raw bytes of the largest APDU (64 KiB) as hex is 128 KiB; nothing this program writes is longer than 1 MiB.
    private static let longestLine = 1 << 20

    private func cut(to length: Int) throws(IngestError) {
        while ftruncate(descriptor, off_t(length)) != 0 {
            if errno != EINTR { throw .writing(path, errno) }
        }
        size = length
        owed = nil
    }

    /// Appends; the bytes are not durable before `synchronise`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(IngestError) {
        if let owed { try cut(to: owed) }
        do throws(SystemFault) { try Descriptor.writeAll(descriptor, bytes) } catch {
            if !isRegular && error.number == EPIPE { throw .outputClosed }
            throw .writing(path, error.number)
        }
        size += bytes.count
    }

    /// Takes back everything after `length`, after a write that failed; where even that fails, before the next one.
    func takeBack(to length: Int) {
        guard isRegular else { return }
        owed = length
        size = length
        try? cut(to: length)
    }

    func synchronise() throws(IngestError) {
        guard isRegular else { return }
        do throws(SystemFault) { try Descriptor.synchronise(descriptor) } catch { throw .writing(path, error.number) }
    }
}
