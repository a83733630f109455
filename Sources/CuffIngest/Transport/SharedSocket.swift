import Glibc

/// A connected socket that an embedding program keeps. One conversation at a time uses a duplicate of it: two would share the bytes of
/// one cuff.
final class SharedSocket: Sendable {
    private let descriptor: Int32
    private let isInUse = Locked(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// In use until it is released.
    final class Use: Sendable {
        let descriptor: Int32
        private let socket: SharedSocket

        fileprivate init(_ descriptor: Int32, _ socket: SharedSocket) { (self.descriptor, self.socket) = (descriptor, socket) }

        deinit { socket.isInUse.withLock { $0 = false } }
    }

    func use(_ address: String) throws(IngestError) -> Use {
        let isFree = isInUse.withLock { isInUse in
            defer { isInUse = true }
            return !isInUse
        }
        guard isFree else { throw .device(address, EBUSY, holder: "another call talks with the cuff") }
        let use = Use(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), self)
        guard use.descriptor >= 0, fcntl(use.descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            let code = errno
            close(use.descriptor)
            throw .device(address, code)
        }
        return use
    }
}
