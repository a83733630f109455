/// The database files that this process has open.
///
/// Closing any descriptor of a file drops all fcntl(2) locks of the process on it, including SQLite's. Another program that opens
/// the database then assumes it is the only one and deletes the log on closing; later writes go to an unlinked file and are lost.
/// So a database that is open is never opened a second time outside SQLite, not even to read its header.
final class OpenDatabases: Sendable {
    static let shared = OpenDatabases()

    /// The file counts as open while this exists.
    final class Hold: Sendable {
        fileprivate let release: @Sendable () -> Void
        fileprivate init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }

    private let counts = Locked<[FileIdentity: Int]>([:])

    /// Calls `examine`, unless the file is already open, and holds it. `examine` returns whether it created the file.
    func register(_ path: String, _ examine: () throws(IngestError) -> Bool) throws(IngestError) -> (isNew: Bool, hold: Hold?) {
        try counts.withLock { (counts) throws(IngestError) in
            if let identity = FileIdentity(path), let count = counts[identity] {
                counts[identity] = count + 1
                return (false, release(identity))
            }
            let isNew = try examine()
            guard let identity = FileIdentity(path) else { return (isNew, nil) }
            counts[identity, default: 0] += 1
            return (isNew, release(identity))
        }
    }

    private func release(_ identity: FileIdentity) -> Hold {
        Hold { [self] in
            counts.withLock { counts in
                let left = (counts[identity] ?? 1) - 1
                counts[identity] = left > 0 ? left : nil
            }
        }
    }
}
