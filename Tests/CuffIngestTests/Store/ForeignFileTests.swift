import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Sinks append to, and repair, only files that they wrote.
@Suite struct ForeignFileTests {
    private static let isRoot = geteuid() == 0

    private func bytes(_ folder: TestFolder, _ name: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: folder.file(name)))).map { Array($0) } ?? []
    }

    /// Three readings as the sink writes them.
    private func whole(_ kind: SinkKind) throws -> [UInt8] {
        let folder = TestFolder()
        do { _ = try SinkSpec(kind, path: folder.file("a")).open().write(.sample(0..<3)) }
        return bytes(folder, "a")
    }

    // MARK: Foreign

    /// Common contents of other files; no line is this program's.
    private static let foreign: [(String, [UInt8])] = [
        ("settings", Array("{\"theme\": \"dark\", \"size\": 3}".utf8)),
        ("settings with a line feed", Array("{\"theme\": \"dark\", \"size\": 3}\n".utf8)),
        ("pretty settings", Array("{\n  \"type\": \"x\",\n  \"schema\": 1\n}\n".utf8)),
        ("package", Array("{\"type\":\"module\",\"name\":\"x\"}".utf8)),
        ("a schema of another kind", Array("{\"type\":\"object\",\"schema\":{\"a\":1}}".utf8)),
        ("the beginning of a package", Array("{\"type\":\"mod".utf8)), ("one brace", Array("{".utf8)),
        ("key", Array("-----BEGIN PRIVATE KEY-----\nMIIEvQ".utf8)), ("blank lines", Array("\n\n".utf8)),
        ("a line and rubbish", Array("{\"type\":\"beat\",\"schema\":1} and more\n!".utf8)),
        ("a line with a remark", Array("{\"type\":\"beat\",\"schema\":1} a remark\n".utf8)),
        ("zeros in every other line", (0..<200_000).map { UInt8($0 % 50 == 49 ? 0x0A : $0 % 100 < 50 ? 0 : 0x78) }),
        ("table", Array("id,name\r\n1,x\r\n".utf8)), ("the beginning of a table", Array("id,revision".utf8)),
        ("binary", (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }),
        ("zeros and more", [UInt8](repeating: 0, count: 5000) + Array("x".utf8)),
        ("zeros and lines", [UInt8](repeating: 0, count: 500) + Array("\nx\n".utf8)),
        ("more zeros than one write has", [UInt8](repeating: 0, count: 3 << 20)),
        ("no line at all", [UInt8](repeating: 0x78, count: 3 << 20)),
    ]

    @Test(arguments: foreign.map(\.0), RotationTests.kinds)
    func foreignFile_IsRefused_AndStaysAsItIs(_ name: String, _ kind: SinkKind) throws {
        let content = try #require(Self.foreign.first { $0.0 == name }?.1)
        let folder = TestFolder()
        let path = folder.write("f", content)
        #expect { try SinkSpec(kind, path: path).open() } throws: {
            guard case SinkFault.foreignFile(path, _)? = ($0 as? IngestError)?.fault else { return false }
            return ($0 as? IngestError)?.status == .cannotCreate
        }
        #expect(bytes(folder, "f") == content)
    }

    /// Foreign text after this program's lines is neither cut off nor appended to.
    @Test(arguments: RotationTests.kinds, ["a note of mine", "{", "\u{0}\u{0}x\nnote"])
    func foreignEnd_IsRefused_OrIsABeginningOfOurs(_ kind: SinkKind, _ end: String) throws {
        let folder = TestFolder()
        let content = try whole(kind) + Array(end.utf8)
        let path = folder.write("f", content)
        if kind == .jsonl && end == "{" {
            #expect(try SinkSpec(kind, path: path).open().write(.sample(0..<3)) == 3)
            #expect(try bytes(folder, "f") == whole(kind))
            return
        }
        #expect { try SinkSpec(kind, path: path).open() } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect(bytes(folder, "f") == content)
    }

    @Test func theOtherKindsFile_IsForeign() throws {
        let folder = TestFolder()
        let lines = folder.write("a.jsonl", try whole(.jsonl))
        let table = folder.write("a.csv", try whole(.csv))
        #expect { try CSVSink(path: lines) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect { try JSONLinesSink(path: table, line: ReadingLine()) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect(try bytes(folder, "a.jsonl") == whole(.jsonl))
        #expect(try bytes(folder, "a.csv") == whole(.csv))
    }

    @Test func rowsOfSomebodyElse_InOurTable_Stay() throws {
        let folder = TestFolder()
        let path = folder.write("a.csv", try whole(.csv) + Array("mine,,\r\n".utf8))
        do { #expect(try CSVSink(path: path).write(.sample(0..<4)) == 3) }
        #expect(folder.lines("a.csv").contains("mine,,"))
        #expect(folder.lines("a.csv").count == 6)
    }

    // MARK: Torn ends

    /// Cut at any byte: the file is recognised, and complete readings are kept.
    @Test(arguments: RotationTests.kinds) func fileCutAnywhere_IsPutInOrder(_ kind: SinkKind) throws {
        let folder = TestFolder()
        let content = try whole(kind)
        let ends = content.indices.filter { content[$0] == 0x0A }.map { $0 + 1 }
        let path = folder.file("f")
        // Too short to be identified.
        let indistinct = kind == .csv ? 17 : 35
        for length in indistinct..<content.count {
            // That is the whole header of a file that was begun without the last column; it is continued as one.
            if kind == .csv, content[length...].starts(with: ",decoder\r\n".utf8) { continue }
            _ = folder.write("f", Array(content[..<length]))
            let sink = try SinkSpec(kind, path: path).open()
            let repeated = try sink.write(.sample(0..<3))
            // A line that only lacks its end counts.
            let lines = ends.filter { $0 <= length + (kind == .csv ? 2 : 1) }.count - (kind == .csv ? 1 : 0)
            #expect(repeated == max(0, lines), "cut to \(length)")
            #expect(bytes(folder, "f") == content, "cut to \(length)")
        }
    }

    @Test func lastRow_WithAnUnfinishedLastCell_IsCut() throws {
        let folder = TestFolder()
        let path = folder.write("a.csv", try whole(.csv).dropLast(2) + Array("unsynch".utf8))
        do { #expect(try CSVSink(path: path).write(.sample(0..<3)) == 2) }
        #expect(try bytes(folder, "a.csv") == whole(.csv))
    }

    // MARK: Power cuts

    /// A page that did not reach the disk reads as zeros, though the next one may exist: every place and length.
    @Test(arguments: RotationTests.kinds, [1, 7, 64, 300, 500])
    func zerosAnywhere_AreTakenOut_WithTheLinesTheyAreIn(_ kind: SinkKind, _ length: Int) throws {
        let folder = TestFolder()
        let content = try whole(kind)
        let path = folder.file("f")
        for start in stride(from: 0, to: content.count - length, by: 13) {
            var damaged = content
            for index in start..<start + length { damaged[index] = 0 }
            _ = folder.write("f", damaged)
            guard let sink = try? SinkSpec(kind, path: path).open() else {
                // Nothing is left to identify the file.
                #expect(bytes(folder, "f") == damaged)
                #expect(kind == .csv ? length + start > content.count - 200 : length >= 300, "\(start)")
                continue
            }
            _ = try sink.write(.sample(0..<3))
            #expect(try Set(RotationTests.stored(kind, path)) == Set(RotationTests.ids(0..<3)), "\(start)")
            #expect(try RotationTests.stored(kind, path).count == 3, "\(start)")
            try sink.close()
        }
        #expect(try FileNames.in(folder.path) == ["f"])
    }

    @Test(arguments: RotationTests.kinds) func zerosAlone_AreAnEmptyFile(_ kind: SinkKind) throws {
        let folder = TestFolder()
        let path = folder.write("f", [UInt8](repeating: 0, count: 4096))
        #expect(try SinkSpec(kind, path: path).open().write(.sample(0..<3)) == 0)
        #expect(try bytes(folder, "f") == whole(kind))
    }

    /// A line appended by an earlier version after a torn one is complete, and was acknowledged.
    @Test(arguments: RotationTests.kinds) func lineBehindATornOne_IsKept(_ kind: SinkKind) throws {
        let folder = TestFolder()
        let content = try whole(kind)
        let ends = content.indices.filter { content[$0] == 0x0A }.map { $0 + 1 }
        let (second, third) = (kind == .csv ? (ends[1], ends[2]) : (ends[0], ends[1]))
        let path = folder.file("f")
        let told = Mailbox<IngestError>()
        var context = SinkContext()
        context.onFault = { told.post($1) }
        for length in [1, 5, 20, 40, 80, 100] {
            var torn = Array(content[..<(second + length)])
            torn += content[third...]
            _ = folder.write("f", torn)
            let sink = try SinkSpec(kind, path: path).open(context)
            #expect(try sink.write(.sample(0..<3)) == 2, "torn at \(length)")
            #expect(try Set(RotationTests.stored(kind, path)) == Set(RotationTests.ids(0..<3)), "torn at \(length)")
        }
        #expect(told.values.count == 6)
        #expect(told.values.first?.what.contains("1 damaged line") == true)
    }

    /// The repaired file is locked and followed like the first.
    @Test func repairedFile_IsTheSinksOwn() throws {
        let folder = TestFolder()
        var content = try whole(.jsonl)
        for index in 250..<300 { content[index] = 0 }
        let path = folder.write("f", content)
        #expect(chmod(path, 0o640) == 0)
        let sink = try SinkSpec(.jsonl, path: path).open()
        #expect(folder.mode("f") == 0o640)
        #expect(throws: IngestError.writing(path, EWOULDBLOCK)) { try LineFile(path) }
        _ = try sink.write(.sample(0..<3))
        #expect(rename(path, path + ".1") == 0)
        _ = try sink.write(.sample(3..<4))
        #expect(try RotationTests.stored(.jsonl, path) == RotationTests.ids(3..<4))
    }

    // MARK: Planted

    @Test(arguments: RotationTests.kinds) func link_IsNotFollowed(_ kind: SinkKind) throws {
        let folder = TestFolder()
        let target = folder.write("target", "")
        for goal in [target, folder.file("nowhere")] {
            let path = folder.file("f")
            unlink(path)
            #expect(symlink(goal, path) == 0)
            #expect { try SinkSpec(kind, path: path).open() } throws: { ($0 as? IngestError)?.why == "it is a symbolic link" }
        }
        #expect(access(folder.file("nowhere"), F_OK) != 0)
        #expect(bytes(folder, "target").isEmpty)
    }

    @Test(arguments: [0o620, 0o602, 0o666]) func fileThatOthersMayWrite_IsRefused(_ mode: Int) throws {
        let folder = TestFolder()
        let path = folder.write("f", "")
        #expect(chmod(path, mode_t(mode)) == 0)
        #expect { try SinkSpec(.jsonl, path: path).open() } throws: { ($0 as? IngestError)?.status == .noPermission }
        #expect(chmod(path, 0o644) == 0)
        _ = try SinkSpec(.jsonl, path: path).open()
    }

    @Test(.enabled(if: isRoot, "giving a file away needs root")) func fileOfAnotherUser_IsRefused() throws {
        let folder = TestFolder()
        for kind in RotationTests.kinds {
            let path = folder.write("f", "")
            #expect(chown(path, 12_345, 12_345) == 0)
            #expect { try SinkSpec(kind, path: path).open() } throws: { ($0 as? IngestError)?.status == .noPermission }
        }
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(chown(folder.file("pipe"), 12_345, 12_345) == 0)
        #expect { try SinkSpec(.jsonl, path: folder.file("pipe")).open() } throws: { ($0 as? IngestError)?.status == .noPermission }
        // A state file contains commands for a cuff, so another user's is not read.
        let state = folder.file("state")
        try StateFile.write("text", to: state)
        #expect(StateFile.read(state) == "text")
        #expect(chown(state, 12_345, 12_345) == 0)
        #expect(StateFile.read(state) == nil)
        // A service's files belong to the service, also for root.
        #expect(chown(folder.path, 12_345, 12_345) == 0)
        #expect(StateFile.read(state) == "text")
        // Not where others may put files into that folder.
        #expect(chmod(folder.path, 0o770) == 0)
        #expect(StateFile.read(state) == nil)
    }

    @Test func stateFile_IsNoLinkAndNoPipe() throws {
        let folder = TestFolder()
        try StateFile.write("text", to: folder.file("a"))
        #expect(symlink(folder.file("a"), folder.file("b")) == 0)
        #expect(StateFile.read(folder.file("b")) == nil)
        #expect(mkfifo(folder.file("c"), 0o600) == 0)
        #expect(StateFile.read(folder.file("c")) == nil)
        #expect(chmod(folder.file("a"), 0o666) == 0)
        #expect(StateFile.read(folder.file("a")) == nil)
    }

    @Test func outputs_FollowNoLink() throws {
        let folder = TestFolder()
        let target = folder.write("target", "mine")
        for goal in [target, folder.file("nowhere")] {
            let path = folder.file("f")
            unlink(path)
            #expect(symlink(goal, path) == 0)
            for replaces in [false, true] {
                #expect { try OutputFile(path, replaces: replaces) } throws: { ($0 as? IngestError)?.why == "it is a symbolic link" }
            }
            #expect { try CaptureWriter(path, driver: .byte) } throws: { ($0 as? IngestError)?.why == "it is a symbolic link" }
        }
        #expect(folder.text("target") == "mine")
        #expect(access(folder.file("nowhere"), F_OK) != 0)
    }

    @Test func descriptorOfOurOwn_IsWrittenTo() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let sink = try SinkSpec(.csv, path: "/dev/fd/\(ends[1])").open()
        #expect(try sink.write(.sample(0..<1)) == 0)
        var room = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &room, room.count)
        #expect(String(decoding: room[..<max(0, count)], as: UTF8.self).hasPrefix("id,revision,"))
        for end in ends { close(end) }
    }
}
