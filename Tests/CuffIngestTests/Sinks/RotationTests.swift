import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// A sink's file is renamed, removed, replaced or emptied: after `write`, the readings are in the file of that name.
@Suite struct RotationTests {
    static let kinds = [SinkKind.jsonl, .csv]

    enum Act: String, CaseIterable, Sendable {
        case rename, renameAndCreate, remove, truncate, copyAndTruncate, replace

        func apply(_ path: String) {
            switch self {
            case .rename: #expect(Glibc.rename(path, path + ".1") == 0)
            case .renameAndCreate:
                #expect(Glibc.rename(path, path + ".1") == 0)
                close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600))
            case .remove: #expect(unlink(path) == 0)
            case .truncate: #expect(Glibc.truncate(path, 0) == 0)
            case .copyAndTruncate:
                #expect((try? FileManager.default.copyItem(atPath: path, toPath: path + ".1")) != nil)
                #expect(Glibc.truncate(path, 0) == 0)
            case .replace:
                close(open(path + ".new", O_WRONLY | O_CREAT | O_EXCL, 0o600))
                #expect(Glibc.rename(path + ".new", path) == 0)
            }
        }
    }

    static func ids(_ numbers: Range<Int>) -> [String] {
        numbers.map {
            var text = TextBuffer()
            text.append(Reading.sample($0).id)
            return text.string
        }
    }

    /// The ids in a file, all of whose lines must be complete.
    static func stored(_ kind: SinkKind, _ path: String) throws -> [String] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(!bytes.contains(0))
        #expect(bytes.isEmpty || bytes.last == 0x0A)
        var lines = String(decoding: bytes, as: UTF8.self).unicodeScalars.split(separator: "\n").map { String($0) }
        if kind == .csv {
            guard !lines.isEmpty else { return [] }
            #expect(lines.removeFirst().hasPrefix("id,revision,type,"))
            #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 29 })
            return lines.map { String($0.prefix(32)) }
        }
        return try lines.map {
            let object = try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            return object["id"] as? String ?? ""
        }
    }

    @Test(arguments: kinds, Act.allCases)
    func betweenTwoWrites_TheNextOneIsInTheNamedFile(_ kind: SinkKind, _ act: Act) throws {
        let folder = TestFolder()
        let path = folder.file("bp")
        let sink = try SinkSpec(kind, path: path).open()
        _ = try sink.write(.sample(0..<5))
        act.apply(path)
        #expect(try sink.write(.sample(5..<8)) == 0)
        #expect(try Self.stored(kind, path) == Self.ids(5..<8))
        // Readings that the cuff sends again are not in this file either.
        #expect(try sink.write(.sample(3..<8)) == 3)
        #expect(try Set(Self.stored(kind, path)) == Set(Self.ids(3..<8)))
        #expect(folder.mode("bp") == 0o600)
    }

    /// A repeated reading must be in the file of the path, too.
    @Test(arguments: kinds, Act.allCases)
    func knownReading_IsWrittenAgain_WhereItsFileIsGone(_ kind: SinkKind, _ act: Act) throws {
        let folder = TestFolder()
        let path = folder.file("bp")
        let sink = try SinkSpec(kind, path: path).open()
        _ = try sink.write(.sample(0..<2))
        act.apply(path)
        #expect(try sink.write(.sample(0..<2)) == 0)
        #expect(try Self.stored(kind, path) == Self.ids(0..<2))
    }

    /// Whatever happens during a write, the whole batch is in the named file, once.
    @Test(arguments: kinds, Act.allCases)
    func amidAWrite_TheWholeBatchIsInTheNamedFile(_ kind: SinkKind, _ act: Act) throws {
        let folder = TestFolder()
        let path = folder.file("bp")
        // About 600 KB in ten parts; the file is changed after the first one.
        let sink = try SinkSpec(kind, path: path).open()
        _ = try sink.write(.sample(0..<3))
        let before = folder.text("bp").utf8.count
        let done = Locked(false)
        let acted = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !done.withLock({ $0 }) {
                var status = stat()
                if stat(path, &status) == 0, status.st_size > before {
                    act.apply(path)
                    break
                }
            }
            acted.signal()
        }
        #expect(try sink.write(.sample(3..<3000)) == 0)
        done.withLock { $0 = true }
        acted.wait()
        // It may have been changed after the end of the write; then the next write notices.
        #expect(try sink.write(.sample(2000..<3001)) <= 1000)
        let found = try Self.stored(kind, path)
        #expect(Set(found).isSuperset(of: Self.ids(2000..<3001)))
        #expect(Set(found).count == found.count)
        // The old content was copied; a renamed file ends with the last acknowledged batch.
        if act != .copyAndTruncate, access(path + ".1", F_OK) == 0 {
            let rotated = try Self.stored(kind, path + ".1")
            #expect(Set(rotated).count == rotated.count)
        }
    }

    @Test func reopen_CreatesTheFileAnew_WithoutAWrite() throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        let sink = try SinkSpec(.jsonl, path: path).open()
        _ = try sink.write(.sample(0..<1))
        #expect(rename(path, path + ".1") == 0)
        try sink.reopen()
        #expect(access(path, F_OK) == 0)
        // The renamed file can be locked once no child process of another test holds a copy of the lock, which it does between
        // fork and exec.
        var other = try? LineFile(path + ".1")
        for _ in 0..<200 where other == nil {
            usleep(50_000)
            other = try? LineFile(path + ".1")
        }
        #expect(try #require(other).size > 0)
    }

    @Test func renamedBack_GoesOn() throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        let sink = try SinkSpec(.jsonl, path: path).open()
        _ = try sink.write(.sample(0..<1))
        #expect(rename(path, path + ".1") == 0)
        #expect(rename(path + ".1", path) == 0)
        #expect(try sink.write(.sample(0..<2)) == 1)
        #expect(try Self.stored(.jsonl, path) == Self.ids(0..<2))
    }

    @Test(arguments: kinds) func replacedByAForeignFile_IsAFault(_ kind: SinkKind) throws {
        let folder = TestFolder()
        let path = folder.file("bp")
        let sink = try SinkSpec(kind, path: path).open()
        _ = try sink.write(.sample(0..<1))
        #expect(unlink(path) == 0)
        _ = folder.write("bp", "Dear diary,\n")
        for _ in 0..<2 {
            #expect { try sink.write(.sample(1..<2)) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        }
        #expect(folder.text("bp") == "Dear diary,\n")
        #expect(unlink(path) == 0)
        #expect(try sink.write(.sample(1..<2)) == 0)
        #expect(try Self.stored(kind, path) == Self.ids(1..<2))
    }

    @Test(arguments: kinds) func folderThatIsGone_IsAFault_UntilItIsBack(_ kind: SinkKind) throws {
        let folder = TestFolder()
        #expect(mkdir(folder.file("sub"), 0o700) == 0)
        let path = folder.file("sub/bp")
        let sink = try SinkSpec(kind, path: path).open()
        _ = try sink.write(.sample(0..<1))
        #expect(rename(folder.file("sub"), folder.file("other")) == 0)
        #expect { try sink.write(.sample(1..<2)) } throws: { ($0 as? IngestError)?.why == "its folder does not exist" }
        #expect(mkdir(folder.file("sub"), 0o700) == 0)
        #expect(try sink.write(.sample(1..<2)) == 0)
        #expect(try Self.stored(kind, path) == Self.ids(1..<2))
    }

    @Test func rollBack_NeverExtends() throws {
        let folder = TestFolder()
        let path = folder.file("a")
        let file = try LineFile(path)
        let text = Array("0123456\n".utf8)
        for _ in 0..<4 { try text.withUnsafeBytes { try file.append($0) } }
        file.commit()
        try text.withUnsafeBytes { try file.append($0) }
        #expect(truncate(path, 0) == 0)
        try text.withUnsafeBytes { try file.append($0) }
        file.rollBack()
        #expect(folder.text("a") == "")
        #expect(file.change == .shortened)
    }

    @Test func rollBack_LeavesWhatSomebodyElseAppended() throws {
        let folder = TestFolder()
        let file = try LineFile(folder.file("a"))
        try Array("ours\n".utf8).withUnsafeBytes { try file.append($0) }
        let other = open(folder.file("a"), O_WRONLY | O_APPEND)
        #expect(write(other, "theirs\n", 7) == 7)
        close(other)
        file.rollBack()
        #expect(folder.text("a") == "ours\ntheirs\n")
    }
}
