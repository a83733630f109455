import Foundation
import Glibc
import SQLite
import Testing

/// A folder that vanishes with the test.
private final class Folder {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func file(_ name: String) -> String { url.appendingPathComponent(name).path }
}

@Suite struct SQLiteTests {
    /// A connection to an empty private database with one table.
    private func table(_ columns: String = "a, b") throws -> SQLiteConnection {
        let db = try SQLiteConnection("", .write)
        try db.execute("CREATE TABLE t (\(columns))")
        return db
    }

    private func code(_ body: () throws -> Void) -> SQLiteError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? SQLiteError)?.code }
    }

    private func count(_ db: SQLiteConnection) throws -> Int? { try db.first("SELECT count(*) FROM t") { $0.int(0) } }

    // MARK: Opening

    @Test func writing_CreatesAFile_ReadingDoesNot() throws {
        let folder = Folder()
        #expect(code { _ = try SQLiteConnection(folder.file("none.db"), .read) } == .cannotOpen)
        #expect(code { _ = try SQLiteConnection(folder.file("no/none.db"), .write) } == .cannotOpen)
        let db = try SQLiteConnection(folder.file("a.db"), .write)
        try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try db.close()
        let reader = try SQLiteConnection(folder.file("a.db"), .read)
        #expect(try count(reader) == 1)
        #expect(code { try reader.execute("DELETE FROM t") } == .readOnly)
        #expect(try count(reader) == 1)
    }

    @Test func aFileThatIsNoDatabase_IsNone() throws {
        let folder = Folder()
        let path = folder.file("a.db")
        try String(repeating: "not a database ", count: 100).write(toFile: path, atomically: false, encoding: .utf8)
        let db = try SQLiteConnection(path, .read)
        #expect(code { _ = try db.prepare("SELECT 1 FROM sqlite_master") } == .notADatabase)
    }

    @Test func aClosedConnection_SaysSo_AndOneInUseStaysOpen() throws {
        let db = try table()
        let statement = try db.prepare("SELECT 1")
        #expect(code { try db.close() } == .busy)
        #expect(try statement.step() && statement.number(0) == 1)
        let other = try table()
        try other.close()
        #expect(code { try other.execute("SELECT 1") } == .misuse)
        #expect(code { _ = try other.prepare("SELECT 1") } == .misuse)
        #expect(code { try other.write { _ in } } == .misuse)
        #expect(code { try other.checkpoint(truncate: true) } == .misuse)
        other.keepLogAtClose()
        try other.rollBack()
        try other.close()
        #expect(other.changes == 0 && other.totalChanges == 0 && other.logPath == nil)
    }

    @Test func aConnectionThatGoes_ClosesItsFile_CachedStatementsIncluded() throws {
        let folder = Folder()
        let path = folder.file("a.db")
        func isOpen() throws -> Bool {
            let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return all.contains { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
        }
        var db: SQLiteConnection? = try SQLiteConnection(path, .write)
        try db?.execute("CREATE TABLE t (a)")
        #expect(try db?.hasRow("SELECT 1 FROM t") == false)
        #expect(try isOpen())
        db = nil
        #expect(try !isOpen())
    }

    // MARK: Values

    @Test func everyType_ComesBackAsItWasBound() throws {
        let db = try SQLiteConnection("", .write)
        let none: String? = nil
        let whole = try db.first(
            "SELECT ?, ?, ?, ?, ?, ?, ?", Int.min, Int64.max, true, -0.1, "Größe\u{0}b", [0, 255] as [UInt8], none
        ) { row in
            #expect(row.columnCount == 7)
            #expect(row.integer(0) == .min && row.int(1) == .max && row.flag(2) && row.double(3) == -0.1)
            #expect(row.isInteger(0) && !row.isInteger(3))
            #expect(row.text(4) == "Größe\u{0}b" && row.bytes(5) == [0, 255])
            #expect(
                row.isNull(6) && row.text(6) == nil && row.bytes(6) == nil && row.integer(6) == nil && row.number(6) == 0 && !row.flag(6))
            return true
        }
        #expect(whole == true)
    }

    @Test func anEmptyTextAndAnEmptyBlob_AreNotNull() throws {
        let db = try SQLiteConnection("", .write)
        _ = try db.first("SELECT ?, ?, typeof(?1), typeof(?2)", "", [UInt8]()) { row in
            #expect(!row.isNull(0) && row.text(0) == "" && row.withText(0) { $0.count } == 0)
            #expect(!row.isNull(1) && row.bytes(1) == [])
            #expect(row.text(2) == "text" && row.text(3) == "blob")
            return true
        }
        // Without copies, and words of the program.
        let statement = try db.prepare("SELECT typeof(?1), typeof(?2), typeof(?3), ?3")
        let empty: [UInt8] = []
        statement.bind(text: empty.span, at: 1, copies: false)
        statement.bind(blob: empty.span, at: 2, copies: false)
        statement.bind(word: "word", at: 3)
        #expect(try statement.step() && (0..<4).map { statement.text($0) } == ["text", "blob", "text", "word"])
    }

    @Test func aTextThatIsNoUTF8_IsRead() throws {
        let text = try SQLiteConnection("", .write).first("SELECT CAST(x'41ff42' AS TEXT)") { $0.text(0) }
        #expect(text == "A\u{FFFD}B")
    }

    @Test func bindingAnew_LeavesNothingOfTheLastValues() throws {
        let db = try table()
        let insert = try db.prepare("INSERT INTO t VALUES (?, ?)")
        try insert.run(1, 2)
        try insert.run(3)
        #expect(try db.rows("SELECT b FROM t ORDER BY a") { $0.int(0) } == [2, nil])
        #expect(db.changes == 1)
        #expect(code { try insert.run(1, 2, 3) } != nil, "there is no third parameter")
        try insert.run(5, 6)
        #expect(try count(db) == 3)
    }

    @Test func aCachedStatement_IsTheSame_AndAQuestionLeavesNoLock() throws {
        let db = try table()
        #expect(try db.cached("SELECT 1") === db.cached("SELECT 1"))
        #expect(try db.cached("SELECT 1") !== db.prepare("SELECT 1"))
        try db.execute("INSERT INTO t VALUES (1, 1), (2, 1)")
        #expect(try db.hasRow("SELECT 1 FROM t WHERE b = ?", 1))
        #expect(try !db.hasRow("SELECT 1 FROM t WHERE b = ?", 2))
        #expect(try db.first("SELECT a FROM t WHERE b = 2") { $0.int(0) } == nil)
        try db.execute("DROP TABLE t")
    }

    // MARK: Transactions

    private struct Stop: Error {}

    @Test func aTransaction_IsDoneOrTakenBack() throws {
        let folder = Folder()
        let (db, other) = (try SQLiteConnection(folder.file("a.db"), .write), try SQLiteConnection(folder.file("a.db"), .read))
        try db.execute("CREATE TABLE t (a)")
        try db.write { try $0.run("INSERT INTO t VALUES (?)", 1) }
        #expect(try count(other) == 1)
        #expect(throws: Stop.self) {
            try db.write {
                try $0.run("INSERT INTO t VALUES (?)", 2)
                throw Stop()
            }
        }
        #expect(try count(db) == 1 && count(other) == 1)
        #expect(code { try db.read { try $0.run("INSERT INTO t VALUES (?)", 3) } } == .readOnly)
        try db.write { try $0.run("INSERT INTO t VALUES (?)", 4) }
        #expect(try count(other) == 2)
    }

    @Test func aFullDatabase_TakesTheTransactionBack_AndIsUsedOn() throws {
        let folder = Folder()
        let db = try SQLiteConnection(folder.file("a.db"), .write)
        try db.execute("CREATE TABLE t (a); PRAGMA max_page_count = 20")
        try db.write { try $0.run("INSERT INTO t VALUES (?)", "kept") }
        let error = code { try db.write { db in for _ in 0..<100 { try db.run("INSERT INTO t VALUES (zeroblob(4000))") } } }
        #expect(error == .full)
        #expect(try db.rows("SELECT a FROM t") { $0.text(0) } == ["kept"])
        try db.write { try $0.run("INSERT INTO t VALUES (?)", "more") }
        #expect(try count(db) == 2)
    }

    @Test func aWriter_WaitsForAnother_AsLongAsItWasTold() throws {
        let folder = Folder()
        let first = try SQLiteConnection(folder.file("a.db"), .write)
        let second = try SQLiteConnection(folder.file("a.db"), .write, busyTimeout: .milliseconds(300))
        try first.execute("CREATE TABLE t (a); BEGIN IMMEDIATE")
        let clock = ContinuousClock()
        let waited = clock.measure { #expect(code { try second.write { _ in } } == .busy) }
        #expect(waited >= .milliseconds(250) && waited < .seconds(20))
        #expect(code { try first.write { _ in } } == .error, "a transaction within another")
        try first.rollBack()
        try first.rollBack()
        try second.write { try $0.run("INSERT INTO t VALUES (?)", 1) }
        #expect(try count(first) == 1)
    }

    // MARK: Migrations

    @Test func migrations_GoOnWhereTheTableOfNamesEnds() throws {
        let folder = Folder()
        let path = folder.file("a.db")
        let migrations = [("one", "CREATE TABLE t (a)"), ("two", "INSERT INTO t VALUES (2)"), ("three", "INSERT INTO t VALUES (3)")].map {
            (name: $0.0, sql: $0.1)
        }
        let db = try SQLiteConnection(path, .write)
        // As other software keeps them.
        try db.execute("CREATE TABLE names (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO names VALUES ('one'); CREATE TABLE t (a)")
        try db.migrate(migrations.prefix(2), table: "names")
        try db.migrate(migrations, table: "names")
        try db.migrate(migrations, table: "names")
        #expect(try db.rows("SELECT a FROM t ORDER BY a") { $0.int(0) } == [2, 3])
        #expect(try db.rows("SELECT identifier FROM names ORDER BY rowid") { $0.text(0) } == ["one", "two", "three"])
    }

    @Test func aMigrationThatFails_LeavesNothing() throws {
        let db = try table()
        let half = [(name: "half", sql: "INSERT INTO t VALUES (1, 1); INSERT INTO missing VALUES (1)")]
        #expect(code { try db.migrate(half, table: "names") } == .error)
        #expect(try count(db) == 0)
        #expect(try !db.hasRow("SELECT 1 FROM names"))
    }

    // MARK: Files of other users

    @Test func aFileOfSomebodyElse_IsNotTrusted() throws {
        let folder = Folder()
        let path = folder.file("a.db")
        let maker = try SQLiteConnection(path, .write)
        try maker.execute(
            """
            CREATE TABLE t (a);
            CREATE VIEW v AS SELECT a FROM t;
            CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT twice(1); END
            """)
        try maker.close()
        let db = try SQLiteConnection(path, .write)
        try db.define("twice") { $0.integer(0) * 2 }
        #expect(try db.first("SELECT twice(?)", 21) { $0.int(0) } == 42)
        #expect(code { try db.run("INSERT INTO t VALUES (1)") } == .error, "a trigger may not call it")
        #expect(try db.first("SELECT count(*) FROM v") { $0.int(0) } == 0)
        db.distrustFile(longest: 1000)
        #expect(code { _ = try db.prepare("SELECT * FROM v") } == .error)
        #expect(code { try db.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_master") } != nil)
        #expect(code { try db.run("SELECT ?", String(repeating: "x", count: 1001)) } == .tooBig)
        #expect(code { try db.run("SELECT zeroblob(1001)") } == .tooBig)
        try db.run("SELECT ?", String(repeating: "x", count: 999))
    }

    @Test func aFunction_IsGivenWhatIsInTheStatement() throws {
        let db = try SQLiteConnection("", .write)
        try db.define("kinds") { arguments in
            var sum: Int64 = 0
            for index in 0..<arguments.count {
                sum = sum * 10 + Int64(arguments.kind(index).rawValue)
                switch arguments.kind(index) {
                case .integer: #expect(arguments.integer(index) == 7)
                case .double: #expect(arguments.double(index) == 0.5)
                case .text, .blob: #expect(arguments.withBytes(index) { $0.count } == 2)
                case .null: #expect(arguments.withBytes(index) { $0.count } == 0)
                }
            }
            return sum
        }
        #expect(try db.first("SELECT kinds(7, 0.5, 'ab', x'0000', NULL), kinds()") { [$0.number(0), $0.number(1)] } == [12345, 0])
    }

    // MARK: The write-ahead log

    @Test func aCheckpoint_CutsTheLog_AndWaitsForNobody() throws {
        let folder = Folder()
        let path = folder.file("a.db")
        let db = try SQLiteConnection(path, .write, busyTimeout: .seconds(60))
        try db.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        #expect(db.logPath == path + "-wal")
        let reader = try SQLiteConnection(path, .read)
        try reader.execute("BEGIN; SELECT * FROM t")
        try db.run("INSERT INTO t VALUES (2)")
        #expect(code { try db.checkpoint(truncate: true) } == .busy)
        try db.checkpoint(truncate: false)
        try reader.rollBack()
        try db.checkpoint(truncate: true)
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
        try reader.close()
        db.keepLogAtClose()
        try db.close()
        #expect(access(path + "-wal", F_OK) == 0)
        let last = try SQLiteConnection(path, .write)
        #expect(try count(last) == 2)
        try last.close()
        #expect(access(path + "-wal", F_OK) != 0)
    }

    @Test func errors_SayWhatSQLiteSays() throws {
        let db = try table("a UNIQUE, b NOT NULL")
        #expect(code { _ = try db.prepare("SELEC") } == .error)
        #expect(code { _ = try db.prepare("  ") } == .misuse)
        try db.run("INSERT INTO t VALUES (?, ?)", 1, 1)
        let insert = try db.prepare("INSERT INTO t VALUES (?, ?)")
        #expect { try insert.run(1, 2) } throws: {
            ($0 as? SQLiteError)?.code == .constraint && "\($0)" == "SQLite: UNIQUE constraint failed: t.a"
        }
        try insert.run(2, 2)
        #expect(try count(db) == 2)
    }
}
