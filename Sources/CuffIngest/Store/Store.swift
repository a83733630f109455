import CuffCore
import Glibc
import SQLite

/// The database file: opened or created, brought to the present schema, and refused when it is another program's.
///
/// Write-ahead log and `synchronous=FULL`: a transaction that returned survives a power cut. `commit` returns when the
/// transaction is in the file that bears the database's name; what another program renamed, removed or replaced meanwhile is
/// opened anew, and the transaction done again there.
public final class Store: Sendable {
    /// The path as given.
    public let path: String
    private let access: Access
    private let state: Locked<State>
    /// Hears of what a person should know while the database is in use.
    private let notices: @Sendable (IngestError) -> Void

    private struct State {
        var connection: StoreConnection
        /// Its files are somebody else's, and the database could not be opened anew yet.
        var isAstray = false
        /// Something was committed while the file system was read-only.
        var isDoubtful = false
        /// The disk was full at the last transaction.
        var isFull = false
        /// The log was removed under it.
        var isWithoutLog = false
        var watch = LogWatch()
        /// The most rows that one walk could not read.
        var damaged = 0
    }

    /// "CUFF" in ASCII, in the header of the file (`pragma application_id`).
    static let applicationID: Int32 = 0x4355_4646

    /// What the database is opened for. `write` creates a missing one.
    public enum Access: Sendable { case read, write }

    /// Opens the database; throws where it is missing, damaged, of a newer version or another program's.
    public convenience init(_ path: String, access: Access) throws(IngestError) {
        try self.init(path, access: access, notices: { _ in })
    }

    init(_ path: String, access: Access, notices: @escaping @Sendable (IngestError) -> Void) throws(IngestError) {
        (self.path, self.access, self.notices) = (path, access, notices)
        do { state = Locked(State(connection: try StoreConnection(path, access, generation: 0))) } catch {
            throw Self.translated(error, path)
        }
        // What a run that was killed has left in the log takes room that the file may need.
        if access == .write { tendLog(connection) }
    }

    var connection: StoreConnection { state.withLock { $0.connection } }
    /// Changes whenever the database was opened anew: row numbers known from before are another file's.
    var generation: Int { connection.generation }

    /// Rows have checksums: the file is of this version.
    var hasChecksums: Bool { connection.hasChecksums }

    // MARK: Damage

    /// What was left out of everything that this store has handed over, because it is damaged; `nil` where nothing was.
    public var damage: IngestError? {
        let count = state.withLock { $0.damaged }
        return count == 0 ? nil : IngestError(StoreFault.damagedReadings(path, count: count))
    }

    /// Several walks of one run meet the same rows.
    func noteDamage(_ count: Int) { state.withLock { $0.damaged = max($0.damaged, count) } }

    /// So many of them are gone.
    func forgetDamage(_ count: Int) { state.withLock { $0.damaged = max(0, $0.damaged - count) } }

    /// Writes the log into the database and closes it. The store cannot be used afterwards.
    public func close() throws(IngestError) {
        do {
            let connection = connection
            if access == .write, let change = connection.change(), change == .shortened {
                // SQLite would take the log into what is left of the file, and fill the gap with zeros: it is never closed.
                _ = Unmanaged.passRetained(connection)
                return
            }
            try connection.close()
        } catch { throw Self.translated(error, path) }
    }

    // MARK: Transactions

    /// One state of the database, in which nothing can be changed.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws(IngestError) -> Result {
        do { return try connection.use { try $0.read(body) } } catch { throw Self.translated(error, path) }
    }

    /// One transaction, on disk and under the database's name when this returns. Retries after an error must be
    /// idempotent, because it may have been committed all the same; `changes` itself may be called several times.
    func commit<Result>(_ changes: (SQLiteConnection) throws -> Result) throws(IngestError) -> Result {
        do { return try committed(changes) } catch { throw Self.translated(error, path) }
    }

    private func committed<Result>(_ changes: (SQLiteConnection) throws -> Result) throws -> Result {
        if state.withLock({ $0.isAstray }) { try openAgain() }
        if state.withLock({ $0.isDoubtful }) {
            // What was committed then may be in memory only, and SQLite thinks it is done: a checkpoint writes it out.
            try connection.use { try $0.checkpoint(truncate: false) }
            state.withLock { $0.isDoubtful = false }
        }
        let result: Result
        do { result = try standing(try attempt(changes), changes) } catch let error as SQLiteError {
            throw connection.change() == .shortened ? shortened : error
        }
        if Volume(path)?.isReadOnly ?? false {
            state.withLock { $0.isDoubtful = true }
            throw IngestError.writing(path, EROFS)
        }
        tendLog(connection)
        return result
    }

    /// Tries once more after a checkpoint has truncated the write-ahead log.
    private func attempt<Result>(_ changes: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection = connection
        // Free space goes to the database file first, not to the log.
        if state.withLock({ $0.isFull }) { _ = connection.emptyLog() }
        do {
            let result = try connection.use { try $0.write(changes) }
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
            throw fullDisk(isHeld: emptying == .held)
        }
    }

    /// SQLite has a word of its own for a full disk, but not where it makes its index of the log.
    private func isOutOfRoom(_ error: SQLiteError) -> Bool {
        error.code == .full || error.code == .ioError && (Volume(path)?.free ?? 1) == 0
    }

    private func fullDisk(isHeld: Bool) -> IngestError {
        IngestError(StoreFault.full(path, isLogHeld: isHeld))
    }

    // MARK: The files under their names

    /// The result, once it is known to be in the file that the path names.
    private func standing<Result>(_ result: Result, _ changes: (SQLiteConnection) throws -> Result) throws -> Result {
        switch connection.change() {
        case nil: return result
        case .log:
            try bearWithoutLog()
            return result
        case .file:
            try replace()
            let again = try attempt(changes)
            guard connection.change() == nil else { throw astray("it was moved, removed or replaced again") }
            return again
        case .shortened: throw shortened
        }
    }

    private var shortened: IngestError {
        IngestError(StoreFault.cutShort(path))
    }

    /// The log that SQLite writes has no name any more: the next opening would not find it. So the database file takes every
    /// transaction at once. A second connection must not begin a new log beside it, for both share one index.
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

    /// Gives up the files that were open, with everything in them, and opens what bears the name now.
    private func replace() throws {
        let old = connection
        // Where the file was renamed, it takes along what was acknowledged before; and no page of it may get into another file.
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

    /// Empties the log where it is longer than suits the volume, and says so where another program keeps it from that.
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
