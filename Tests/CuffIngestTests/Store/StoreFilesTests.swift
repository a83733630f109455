import CuffCore
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

/// A database whose files are moved, removed, replaced or cut while a sink writes: what was reported as stored is in the file of
/// that name, or in its predecessor.
@Suite(.timeLimit(.minutes(5))) struct StoreFilesTests {
    private func ids(_ path: String) throws -> Set<String> {
        let store = try Store(path, access: .read)
        defer { try? store.close() }
        return Set(try store.all().map(\.reading.id.description))
    }

    private func names(_ numbers: Range<Int>) -> Set<String> { Set(numbers.map { Reading.sample($0).id.description }) }

    private func sink(_ folder: TestFolder, _ notices: Mailbox<IngestError> = Mailbox()) throws -> any ReadingSink {
        var context = SinkContext()
        context.onFault = { notices.post($1) }
        return try SinkSpec(.sqlite, path: folder.file("bp.db")).open(context)
    }

    @Test func renamedDatabase_KeepsWhatItHad_AndANewOneIsBegun() throws {
        let folder = TestFolder()
        let notices = Mailbox<IngestError>()
        let sink = try sink(folder, notices)
        _ = try sink.write(.sample(0..<50))
        #expect(rename(folder.file("bp.db"), folder.file("old.db")) == 0)
        #expect(try sink.write(.sample(50..<60)) == 0)
        #expect(try sink.write(.sample(55..<70)) == 5)
        #expect(try ids(folder.file("bp.db")) == names(50..<70))
        #expect(try ids(folder.file("old.db")).isSuperset(of: names(0..<50)))
        #expect(notices.values.map(\.what).contains { $0.contains("was moved, removed or replaced") })
        try sink.close()
        #expect(try ids(folder.file("bp.db")) == names(50..<70))
        #expect(folder.mode("bp.db") == 0o600)
    }

    @Test func databaseRenamedWithItsLog_IsWholeThere() throws {
        let folder = TestFolder()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<50))
        for suffix in ["", "-wal", "-shm"] { #expect(rename(folder.file("bp.db\(suffix)"), folder.file("old.db\(suffix)")) == 0) }
        #expect(try sink.write(.sample(50..<60)) == 0)
        #expect(try ids(folder.file("bp.db")) == names(50..<60))
        #expect(try ids(folder.file("old.db")).isSuperset(of: names(0..<50)))
        try sink.close()
    }

    @Test(arguments: [[""], ["", "-wal"], ["", "-wal", "-shm"]])
    func removedDatabase_IsBegunAnew(_ suffixes: [String]) throws {
        let folder = TestFolder()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<50))
        for suffix in suffixes { #expect(unlink(folder.file("bp.db\(suffix)")) == 0) }
        #expect(try sink.write(.sample(40..<60)) == 0)
        #expect(try ids(folder.file("bp.db")) == names(40..<60))
        try sink.close()
        #expect(try ids(folder.file("bp.db")) == names(40..<60))
    }

    @Test func replacedDatabase_TakesTheReadings_AndKeepsItsOwn() throws {
        let folder = TestFolder()
        do {
            let other = try SQLiteSink(path: folder.file("other.db"))
            _ = try other.write(.sample(100..<120))
            try other.close()
        }
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<50))
        #expect(rename(folder.file("other.db"), folder.file("bp.db")) == 0)
        #expect(try sink.write(.sample(50..<60)) == 0)
        #expect(try ids(folder.file("bp.db")) == names(50..<60).union(names(100..<120)))
        let store = try Store(folder.file("bp.db"), access: .read)
        #expect(try store.check().count == 0)
        #expect(try store.all().allSatisfy { $0.device == "dev-1" && $0.driver == "and-std" })
        try sink.close()
    }

    @Test func databaseReplacedByAForeignFile_IsAFault_UntilItIsGone() throws {
        let folder = TestFolder()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<5))
        #expect(rename(folder.file("bp.db"), folder.file("old.db")) == 0)
        let text = String(repeating: "a diary, which is no database\n", count: 10)
        _ = folder.write("bp.db", text)
        for _ in 0..<2 { #expect { try sink.write(.sample(5..<9)) } throws: { ($0 as? IngestError)?.status == .badData } }
        #expect(folder.text("bp.db") == text)
        #expect(unlink(folder.file("bp.db")) == 0)
        #expect(try sink.write(.sample(5..<9)) == 0)
        #expect(try ids(folder.file("bp.db")) == names(5..<9))
        #expect(try ids(folder.file("old.db")).isSuperset(of: names(0..<5)))
        try sink.close()
    }

    @Test func closing_WhileAForeignFileIsInItsPlace_LeavesItAlone() throws {
        let folder = TestFolder()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<5))
        #expect(rename(folder.file("bp.db"), folder.file("old.db")) == 0)
        _ = folder.write("bp.db", "a diary, which is no database\n")
        #expect(throws: IngestError.self) { try sink.write(.sample(5..<9)) }
        try sink.close()
        #expect(folder.text("bp.db") == "a diary, which is no database\n")
        // Everything acknowledged is there; what was only attempted may be.
        #expect(try ids(folder.file("old.db")).isSuperset(of: names(0..<5)))
    }

    @Test func closingAfterAMove_LeavesTheNewDatabasesLogAlone() throws {
        let folder = TestFolder()
        let first = try sink(folder)
        _ = try first.write(.sample(0..<5))
        for suffix in ["", "-wal", "-shm"] { #expect(rename(folder.file("bp.db\(suffix)"), folder.file("old.db\(suffix)")) == 0) }
        let second = try sink(folder)
        _ = try second.write(.sample(5..<9))
        let log = try #require(FileIdentity(folder.file("bp.db-wal")))
        try first.close()
        #expect(FileIdentity(folder.file("bp.db-wal")) == log)
        #expect(try second.write(.sample(9..<12)) == 0)
        #expect(try ids(folder.file("bp.db")) == names(5..<12))
        #expect(try ids(folder.file("old.db")) == names(0..<5))
        try second.close()
    }

    /// The log that stays under the name would be taken into the new database; its pages belong to the renamed one.
    @Test func closingAfterAReplacement_LosesNothing_AndLeavesNoLog() throws {
        let folder = TestFolder()
        do {
            let other = try SQLiteSink(path: folder.file("other.db"))
            _ = try other.write(.sample(100..<120))
            try other.close()
        }
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<50))
        #expect(rename(folder.file("bp.db"), folder.file("old.db")) == 0)
        #expect(rename(folder.file("other.db"), folder.file("bp.db")) == 0)
        try sink.close()
        for suffix in ["-wal", "-shm"] { #expect(access(folder.file("bp.db\(suffix)"), F_OK) != 0, "\(suffix)") }
        #expect(try ids(folder.file("bp.db")) == names(100..<120))
        #expect(try ids(folder.file("old.db")) == names(0..<50))
    }

    /// A reader keeps the log's pages out of the renamed file. They stay beside it, where the new database does not take them.
    @Test func closingAfterAReplacement_DuringARead_RenamesTheLog() throws {
        let folder = TestFolder()
        let other = try SQLiteSink(path: folder.file("other.db"))
        _ = try other.write(.sample(100..<120))
        try other.close()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<5))
        let reader = try SQLiteConnection(folder.file("bp.db"), .read)
        try reader.read { reader in
            #expect(try reader.hasRow("SELECT 1 FROM readings"))
            _ = try sink.write(.sample(5..<50))
            #expect(rename(folder.file("bp.db"), folder.file("old.db")) == 0)
            #expect(rename(folder.file("other.db"), folder.file("bp.db")) == 0)
            try sink.close()
        }
        #expect(try ids(folder.file("bp.db")) == names(100..<120))
        #expect(rename(folder.file("bp.db-wal-unsaved"), folder.file("old.db-wal")) == 0)
        #expect(try ids(folder.file("old.db")) == names(0..<50))
        try reader.close()
    }

    /// SQLite removes the log by its name as it closes: a file that took its place is another program's.
    @Test func closing_LeavesAnotherLogAlone() throws {
        let folder = TestFolder()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<5))
        #expect(unlink(folder.file("bp.db-wal")) == 0)
        _ = folder.write("bp.db-wal", "another program's")
        try sink.close()
        #expect(folder.text("bp.db-wal") == "another program's")
        #expect(unlink(folder.file("bp.db-wal")) == 0)
        #expect(try ids(folder.file("bp.db")) == names(0..<5))
    }

    @Test func aDatabaseThatCannotBeCreated_LeavesNoFile() throws {
        let folder = TestFolder()
        #expect(mkdir(folder.file("bp.db-wal"), 0o700) == 0)
        #expect(throws: IngestError.self) { _ = try Store(folder.file("bp.db"), access: .write) }
        #expect(access(folder.file("bp.db"), F_OK) != 0)
        #expect(rmdir(folder.file("bp.db-wal")) == 0)
        let store = try Store(folder.file("bp.db"), access: .write)
        try store.close()
    }

    /// The log was unlinked, so everything reported as stored must be in the file itself.
    @Test func removedLog_CostsNothing() throws {
        let folder = TestFolder()
        let notices = Mailbox<IngestError>()
        let sink = try sink(folder, notices)
        _ = try sink.write(.sample(0..<50))
        #expect(unlink(folder.file("bp.db-wal")) == 0)
        for start in stride(from: 50, to: 80, by: 10) {
            #expect(try sink.write(.sample(start..<start + 10)) == 0)
            try FileManager.default.copyItem(atPath: folder.file("bp.db"), toPath: folder.file("copy-\(start).db"))
            #expect(try ids(folder.file("copy-\(start).db")) == names(0..<start + 10))
        }
        #expect(notices.values.count == 1 && notices.values[0].what.contains("-wal was removed"), "\(notices.values)")
        try sink.close()
        #expect(try ids(folder.file("bp.db")) == names(0..<80))
    }

    @Test func emptiedDatabase_IsAFault_AndStaysEmpty() throws {
        let folder = TestFolder()
        do {
            let earlier = try sink(folder)
            _ = try earlier.write(.sample(0..<50))
            try earlier.close()
        }
        let sink = try sink(folder)
        _ = try sink.write(.sample(49..<50))
        #expect(truncate(folder.file("bp.db"), 0) == 0)
        for _ in 0..<2 {
            #expect { try sink.write(.sample(50..<60)) } throws: { ($0 as? IngestError)?.why.contains("cut the database short") == true }
        }
        try sink.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("bp.db"))).isEmpty)
    }

    /// SQLite would delete the log of an empty file.
    @Test(arguments: [Store.Access.read, .write]) func emptiedDatabase_KeepsTheLog_AtTheNextStart(_ access: Store.Access) throws {
        let folder = TestFolder()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<50))
        let (file, log) = (folder.file("bp.db"), folder.file("bp.db-wal"))
        // As a crash leaves them, with the file cut to nothing.
        try FileManager.default.copyItem(atPath: log, toPath: folder.file("copy.db-wal"))
        let size = try Data(contentsOf: URL(fileURLWithPath: log)).count
        #expect(size > 0 && FileManager.default.createFile(atPath: folder.file("copy.db"), contents: nil))
        #expect(throws: IngestError.self) { try Store(folder.file("copy.db"), access: access) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("copy.db-wal"))).count == size)
        try sink.close()
        #expect(try ids(file) == names(0..<50))
    }

    @Test func danglingLink_IsAFault_UntilTheFileIsThere() throws {
        let folder = TestFolder()
        #expect(symlink(folder.file("disk.db"), folder.file("bp.db")) == 0)
        #expect { _ = try Store(folder.file("bp.db"), access: .write) } throws: {
            ($0 as? IngestError)?.fault as? StoreFault == .danglingLink(folder.file("bp.db"))
        }
        #expect(throws: IngestError.self) { try Store(folder.file("bp.db"), access: .read) }
        try Store(folder.file("disk.db"), access: .write).close()
        let sink = try sink(folder)
        _ = try sink.write(.sample(0..<3))
        try sink.close()
        #expect(try ids(folder.file("disk.db")) == names(0..<3))
    }

    @Test func outboxOfARemovedDatabase_IsBegunAnew() throws {
        let folder = TestFolder()
        let store = try Store(folder.file("bp.db"), access: .write)
        _ = try Outbox(store, spec: "tcp:b:1")
        let outbox = try Outbox(store, spec: "tcp:a:1")
        #expect(try outbox.put([.sample(0..<5)], line: ReadingLine()).repeated == 0)
        for suffix in ["", "-wal", "-shm"] { #expect(unlink(folder.file("bp.db\(suffix)")) == 0) }
        #expect(try outbox.put([.sample(3..<8)], line: ReadingLine()).repeated == 0)
        #expect(outbox.waiting == 5)
        #expect(try Store(folder.file("bp.db"), access: .read).outboxes().map(\.waiting) == [5])
        #expect(try outbox.next(10).count == 5)
        try outbox.acknowledge(try outbox.next(2)[...])
        #expect(outbox.waiting == 3)
    }
}
