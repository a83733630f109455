import Glibc

/// The database files that this process has open.
///
/// Closing any descriptor of a file gives up every lock that the process holds on it (fcntl(2), F_SETLK), SQLite's among
/// them. Another program that looks into the database then takes itself for the only one, and removes the log as it
/// leaves: what is written afterwards goes to a file without a name and is lost. So a file that is open is not opened
/// beside SQLite again, not even to look at its first bytes.
final class OpenDatabases: Sendable {
    static let shared = OpenDatabases()

    private struct Identity: Hashable {
        var device: dev_t
        var inode: ino_t

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    /// As long as it lives, the file counts as open.
    final class Hold: Sendable {
        fileprivate let release: @Sendable () -> Void
        fileprivate init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }

    private let counts = Locked<[Identity: Int]>([:])

    /// Looks at the file with `examine`, unless it is open already, and holds it. `examine` answers whether it made the file.
    func register(_ path: String, _ examine: () throws(IngestError) -> Bool) throws(IngestError) -> (isNew: Bool, hold: Hold?) {
        try counts.withLock { (counts) throws(IngestError) in
            if let identity = Identity(path), let count = counts[identity] {
                counts[identity] = count + 1
                return (false, release(identity))
            }
            let isNew = try examine()
            guard let identity = Identity(path) else { return (isNew, nil) }
            counts[identity, default: 0] += 1
            return (isNew, release(identity))
        }
    }

    private func release(_ identity: Identity) -> Hold {
        Hold { [self] in
            counts.withLock { counts in
                let left = (counts[identity] ?? 1) - 1
                counts[identity] = left > 0 ? left : nil
            }
        }
    }
}
