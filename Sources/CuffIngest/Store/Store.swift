import CuffCore
import Glibc
import SQLite

/// The database file: opened or created, migrated to the present schema, and refused if it belongs to another program.
///
/// With a write-ahead log and `synchronous=FULL`, a committed transaction survives a power cut. `commit` returns when the
/// transaction is in the file of the database's name; if another program renamed, removed or replaced the file meanwhile, the
/// database is reopened and the transaction repeated.
///
/// A call throws an `IngestError`; `status` is the kind. What was committed before stays.
/// - Of reading: `StoreFault.damaged`, `cellTooLarge`, `accessDenied`, `cannotOpen`, `failedWriting` if the disk fails, `failed`; or one of
///   status `tryAgain` if another program locks the database for five seconds.
/// - Of writing: also `readOnly`, `full`, `cutShort`, `astray`, `keptOut`; or one of status `inputOutput` or `cannotCreate` if the disk is
///   full or read-only.
///
/// A store may be used by several tasks and threads at once.
public final class Store: Sendable {
    /// The path as given.
    public let path: String
    private let access: Access
    private let state: Locked<State>
    /// Receives warnings for the user while the database is open.
    private let notices: @Sendable (IngestError) -> Void
    private let view = Locked(Redelivery())

    private struct State {
        var connection: StoreConnection
        /// Its files belong to another program, and it could not be reopened yet.
        var isAstray = false
        /// Something was committed while the file system was read-only.
        var isDoubtful = false
        /// The last transaction failed because the disk was full.
        var isFull = false
        var isWithoutLog = false
        var watch = LogWatch()
        /// The largest number of unreadable rows in one walk.
        var damaged = 0
    }

    /// "CUFF" in ASCII, in the header of the file (`pragma application_id`).
    static let applicationID: Int32 = 0x4355_4646

    /// `write` creates a missing database.
    public enum Access: Sendable { case read, write }

    /// - Throws: `StoreFault` in an `IngestError`: `notThere`, `onlyOfService`, `emptyFile`, `notADatabase`, `foreign`, `tooNew`,
    ///   `noRoomForIndex`, or as in reading and writing; an `IngestError` of status `noPermission` if other users may change the file,
    ///   of `noInput` or `cannotCreate` if it cannot be opened.
    public convenience init(_ path: String, access: Access) throws(IngestError) {
        try self.init(path, access: access, notices: { _ in })
    }

    init(_ path: String, access: Access, notices: @escaping @Sendable (IngestError) -> Void) throws(IngestError) {
        (self.path, self.access, self.notices) = (path, access, notices)
        do { state = Locked(State(connection: try StoreConnection(path, access, generation: 0))) } catch {
            throw Self.translated(error, path)
        }
        // A log left by a killed run takes room that the file may need.
        if access == .write { tendLog(connection) }
    }

    /// How readings that are changed or deleted here are given again to sinks.
    package var redelivery: Redelivery {
        get { view.withLock { $0 } }
        set { view.withLock { $0 = newValue } }
    }

    var connection: StoreConnection { state.withLock { $0.connection } }
    /// Changes whenever the database was reopened: row numbers from before are invalid.
    var generation: Int { connection.generation }

    /// Whether rows have checksums; an earlier version's database opened for reading may lack them.
    var hasChecksums: Bool { connection.hasChecksums }

    // MARK: Damage

    /// Damaged rows left out of all results of this store; `nil` if none.
    public var damage: IngestError? {
        let count = state.withLock { $0.damaged }
        return count == 0 ? nil : IngestError(StoreFault.damagedReadings(path, count: count))
    }

    /// Several walks of one run meet the same damaged rows, so they are not added up.
    func noteDamage(_ count: Int) { state.withLock { $0.damaged = max($0.damaged, count) } }

    func forgetDamage(_ count: Int) { state.withLock { $0.damaged = max(0, $0.damaged - count) } }

    /// Checkpoints the log and closes the database. The store cannot be used afterwards.
    /// - Throws: An `IngestError` of writing, as ``Store`` says.
    public func close() throws(IngestError) {
        do {
            let connection = connection
            if access == .write, let change = connection.change(), change == .shortened {
                // SQLite would write the log into the shortened file and fill the gap with zeros, so the connection is leaked
                // instead.
                _ = Unmanaged.passRetained(connection)
                return
            }
            try connection.close()
        } catch { throw Self.translated(error, path) }
    }

    // MARK: Transactions

    /// The pages that transactions have written since the last call.
    func takePagesWritten() -> Int { (try? connection.use { $0.takePagesWritten() }) ?? 0 }

    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws(IngestError) -> Result {
        do { return try connection.use { try $0.read(body) } } catch { throw Self.translated(error, path) }
    }

    /// One transaction, on disk under the database's name on return. Retries after an error must be idempotent, because it may
    /// have been committed; `changes` itself may be called several times.
    /// `lazily`: for what may be undone by a power failure; then without an fsync of its own.
    func commit<Result>(lazily: Bool = false, _ changes: (SQLiteConnection) throws -> Result) throws(IngestError) -> Result {
        do { return try committed(lazily, changes) } catch { throw Self.translated(error, path) }
    }

    private func committed<Result>(_ lazily: Bool, _ changes: (SQLiteConnection) throws -> Result) throws -> Result {
        if state.withLock({ $0.isAstray }) { try openAgain() }
        if state.withLock({ $0.isDoubtful }) {
            // That commit may be in memory only, though SQLite considers it done: a checkpoint writes it.
            try connection.use { try $0.checkpoint(truncate: false) }
            state.withLock { $0.isDoubtful = false }
        }
        let result: Result
        do { result = try standing(try attempt(lazily, changes), changes) } catch let error as SQLiteError {
            throw connection.change() == .shortened ? shortened : error
        }
        if Volume(path)?.isReadOnly ?? false {
            state.withLock { $0.isDoubtful = true }
            throw IngestError.writing(path, EROFS)
        }
        tendLog(connection)
        return result
    }

    /// Retries once after a checkpoint has truncated the log.
    private func attempt<Result>(_ lazily: Bool, _ changes: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = connection
        // Free space goes to the database file first, not to the log.
        if state.withLock({ $0.isFull }) { _ = connection.emptyLog() }
        do {
            let result = try connection.use { try $0.write(lazily: lazily, changes) }
            state.withLock { $0.isFull = false }
            return result
        } catch let error as SQLiteError where isOutOfRoom(error) {
            // The failed transaction has left pages in the log, which take the space that the database file needs.
            if connection.emptyLog() == .empty, let result = try? connection.use({ try $0.write(changes) }) {
                state.withLock { $0.isFull = false }
                return result
            }
            let emptying = connection.emptyLog()
            state.withLock { $0.isFull = true }
            throw IngestError(StoreFault.full(path, isLogHeld: emptying == .held))
        }
    }

    /// SQLite has an error code for a full disk, but does not use it when it creates its index of the log.
    private func isOutOfRoom(_ error: SQLiteError) -> Bool {
        error.code == .full || error.code == .ioError && (Volume(path)?.free ?? 1) == 0
    }

    // MARK: The files under their names

    /// The result, once it is known to be in the file of the path.
    private func standing<Result>(_ result: Result, _ changes: (SQLiteConnection) throws -> Result) throws -> Result {
        switch connection.change() {
        case nil: return result
        case .log:
            try bearWithoutLog()
            return result
        case .file:
            try replace()
            let again = try attempt(false, changes)
            guard connection.change() == nil else { throw astray("it was moved, removed or replaced again") }
            return again
        case .shortened: throw shortened
        }
    }

    private var shortened: IngestError {
        IngestError(StoreFault.cutShort(path))
    }

    /// The log that SQLite writes is unlinked, so the next opening would not find it: the database file takes every transaction
    /// at once. A second connection must not start a new log, because both share one index.
    private func bearWithoutLog() throws {
        let connection = connection
        guard connection.logSize == 0 else { throw astray("another program has begun a new log \(path)-wal") }
        guard connection.emptyLog() == .empty else { throw astray("its log was removed, and another program reads in it") }
        let isNews = state.withLock { state in
            defer { state.isWithoutLog = true }
            return !state.isWithoutLog
        }
        guard isNews else { return }
        notices(IngestError(StoreFault.logRemoved(path)))
    }

    private func astray(_ why: String) -> IngestError {
        IngestError(StoreFault.astray(path, why: why))
    }

    /// Closes the open files, with everything in them, and opens the file of the name.
    private func replace() throws {
        let old = connection
        // A renamed file keeps what was acknowledged before; and none of its pages may get into another file.
        guard old.emptyLog() == .empty else { throw astray("it was moved, and its log cannot be emptied: another program reads in it") }
        try old.close()
        state.withLock { $0.isAstray = true }
        try openAgain()
        notices(IngestError(StoreFault.replaced(path)))
    }

    private func openAgain() throws {
        let opened = try StoreConnection(path, access, generation: generation + 1)
        state.withLock { state in
            state.connection = opened
            state.isAstray = false
            state.isDoubtful = false
            state.isWithoutLog = false
        }
    }

    // MARK: The log

    /// Empties the log if it is too long for the volume, and warns if another program prevents that.
    private func tendLog(_ connection: StoreConnection) {
        guard let volume = Volume(path) else { return }
        let limit = LogLimit.bytes(volume)
        guard connection.logSize > limit else { return state.withLock { $0.watch.isFree() } }
        switch connection.emptyLog() {
        case .empty: state.withLock { $0.watch.isFree() }
        case .failed: break
        case .held:
            let size = connection.logSize
            guard state.withLock({ $0.watch.says(size, limit: limit) }) else { return }
            notices(IngestError(StoreFault.logGrown(path, kibibytes: Int64(size >> 10))))
        }
    }
}
