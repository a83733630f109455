import CSQLite

/// One connection to a database file. It belongs to one thread at a time; protect it with a lock to share it.
package final class SQLiteConnection {
    package enum Access: Sendable {
        case read, write
        /// A file that does not change: it is not locked, and its log is not read.
        case immutable
    }

    private var handle: OpaquePointer?
    private var cache: [String: SQLiteStatement] = [:]
    private var busyTimeout: Duration
    /// By default SQLite tracks its memory use under a lock at every allocation; this program never reads that figure.
    private static let countsNoMemory = csqlite_count_no_memory() == SQLITE_OK

    /// Opens a file, and with `write` creates a missing one. An empty path is a private temporary database.
    /// `busyTimeout`: how long a statement waits for another connection's lock.
    package init(_ path: String, _ access: Access, busyTimeout: Duration = .zero) throws(SQLiteError) {
        self.busyTimeout = busyTimeout
        _ = Self.countsNoMemory
        let flags =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .immutable ? Self.immutableAddress(path) : path
        let result = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK else {
            // A connection is there also where opening failed, and has the reason; deinit closes it.
            throw handle == nil ? SQLiteError(result, "out of memory") : SQLiteError(of: handle)
        }
        wait(busyTimeout)
    }

    deinit { sqlite3_close_v2(handle) }

    /// The path as a URI (sqlite.org/uri.html), with special bytes escaped.
    private static func immutableAddress(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var address = "file:"
        for byte in path.utf8 {
            if byte >= 0x80 || byte <= 0x20 || "%?#".utf8.contains(byte) {
                address += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            } else {
                address.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return address + "?immutable=1"
    }

    package func close() throws(SQLiteError) {
        cache = [:]
        try check(sqlite3_close(handle))
        handle = nil
    }

    /// For a file of unknown origin: it has no views, its triggers cannot call functions with side effects, no
    /// statement can damage it, and no value of it is longer than `longest` bytes. An older library does not know every option; what
    /// it knows is set.
    package func distrustFile(longest: Int) {
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: longest))
    }

    private func check(_ result: Int32) throws(SQLiteError) { if result != SQLITE_OK { throw SQLiteError(of: handle) } }

    // MARK: Statements

    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        guard let statement else { throw SQLiteError(SQLITE_MISUSE, "there is no statement in the text") }
        return SQLiteStatement(statement)
    }

    /// The same statement for the same text each time; for what is used again and again, never by two at once.
    package func cached(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = cache[sql] { return statement }
        let statement = try prepare(sql)
        cache[sql] = statement
        return statement
    }

    /// Runs statements without parameters, as many as there are in the text.
    package func execute(_ sql: String) throws(SQLiteError) { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    package func run<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value) throws(SQLiteError) {
        try prepare(sql).run(repeat each values)
    }

    /// What `read` makes of each row.
    package func rows<each Value: SQLiteValue, Row>(
        _ sql: String, _ values: repeat each Value, read: (SQLiteStatement) throws -> Row
    ) throws -> [Row] {
        let statement = try prepare(sql)
        statement.bind(repeat each values)
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// What `read` makes of the first row; `nil` if there is no row.
    package func first<each Value: SQLiteValue, Row>(
        _ sql: String, _ values: repeat each Value, read: (SQLiteStatement) throws -> Row?
    ) throws -> Row? {
        let statement = try prepare(sql)
        statement.bind(repeat each values)
        return try statement.step() ? read(statement) : nil
    }

    package func hasRow<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value) throws(SQLiteError) -> Bool {
        let statement = try cached(sql)
        defer { statement.reset() }
        statement.bind(repeat each values)
        return try statement.step()
    }

    /// The rows that the last statement changed; triggers do not count.
    package var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }
    /// The rows that all statements changed so far, triggers included; it may overflow.
    package var totalChanges: Int32 { handle.map { sqlite3_total_changes($0) } ?? 0 }

    /// The pages written to the log since the last call.
    package func takePagesWritten() -> Int {
        var (count, highest) = (Int32(0), Int32(0))
        guard let handle, sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 1) == SQLITE_OK else { return 0 }
        return Int(count)
    }

    // MARK: Transactions

    /// Shows `body` one state of the database; nothing can be written there.
    package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try execute("PRAGMA query_only = ON")
        defer { try? execute("PRAGMA query_only = OFF") }
        return try transaction("BEGIN DEFERRED", body)
    }

    /// Commits what `body` did, or takes all of it back where it throws. It has the right to write from its beginning. `lazily`: it
    /// survives the process at once, and a power failure from the next other commit on.
    package func write<Result>(lazily: Bool = false, _ body: (SQLiteConnection) throws -> Result) throws -> Result {
        guard lazily else { return try transaction("BEGIN IMMEDIATE", body) }
        try execute("PRAGMA synchronous = NORMAL")
        defer { try? execute("PRAGMA synchronous = FULL") }
        return try transaction("BEGIN IMMEDIATE", body)
    }

    private func transaction<Result>(_ begin: String, _ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body(self)
            try execute("COMMIT")
            return result
        } catch {
            try? rollBack()
            throw error
        }
    }

    /// SQLite ends a transaction itself after some errors, e.g. where the disk is full.
    package func rollBack() throws(SQLiteError) {
        if let handle, sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
    }

    /// Does each migration that was not done yet, in order, each in a transaction of its own with its name in `table`.
    package func migrate(_ migrations: some Sequence<(name: String, sql: String)>, table: String) throws {
        try execute("CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
        let done = try rows("SELECT identifier FROM \(table)") { $0.text(0) }
        for migration in migrations where !done.contains(migration.name) {
            try write { _ in
                // Another program may have done it meanwhile.
                guard try !hasRow("SELECT 1 FROM \(table) WHERE identifier = ?", migration.name) else { return }
                try execute(migration.sql)
                try run("INSERT INTO \(table) VALUES (?)", migration.name)
            }
        }
    }

    // MARK: Functions

    /// Defines a deterministic function of any number of arguments, which triggers and views of the file cannot call.
    package func define(_ name: String, _ body: @escaping (SQLiteArguments) -> Int64) throws(SQLiteError) {
        try check(
            sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                Unmanaged.passRetained(SQLiteFunction(body)).toOpaque(),
                { context, count, values in
                    guard let pointer = sqlite3_user_data(context) else { return }
                    let function = Unmanaged<SQLiteFunction>.fromOpaque(pointer).takeUnretainedValue()
                    sqlite3_result_int64(context, function.body(SQLiteArguments(count: Int(count), values: values)))
                }, nil, nil, { if let pointer = $0 { Unmanaged<SQLiteFunction>.fromOpaque(pointer).release() } }))
    }

    // MARK: The write-ahead log

    /// Takes the log's pages into the database file and, with `truncate`, cuts the log to nothing. Does not wait for readers.
    package func checkpoint(truncate: Bool) throws(SQLiteError) {
        guard let handle else { throw SQLiteError(of: nil) }
        wait(.zero)
        defer { wait(busyTimeout) }
        let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        try check(sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil))
    }

    private func wait(_ timeout: Duration) { sqlite3_busy_timeout(handle, Int32(min(timeout / .milliseconds(1), 1e9))) }

    /// Keeps SQLite from removing the log by its name when the connection closes.
    package func keepLogAtClose() {
        guard let handle else { return }
        var isKept: Int32 = 1
        _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    /// The path of the log as SQLite has it: beside the file that a link leads to.
    package var logPath: String? {
        handle.flatMap { sqlite3_db_filename($0, "main") }.flatMap { sqlite3_filename_wal($0) }.map { String(cString: $0) }
    }
}
