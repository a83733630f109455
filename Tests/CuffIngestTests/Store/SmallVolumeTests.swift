import CuffCore
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

/// Databases on small and full volumes, as in routers and gateways.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SmallVolumeTests {
    enum Kind: String, CaseIterable { case tmpfs, ext4 }

    /// A file system of its own; prints the reason if there can be none.
    private func withVolume(_ kind: Kind, _ megabytes: Int, _ body: (TestFolder) throws -> Void) throws {
        let folder = TestFolder()
        let images = TestFolder()
        let commands: [[String]] =
            switch kind {
            case .tmpfs: [["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path]]
            case .ext4:
                [
                    ["truncate", "-s", "\(megabytes)M", images.file("image")], ["mkfs.ext4", "-q", "-F", images.file("image")],
                    ["mount", "-o", "loop", images.file("image"), folder.path],
                ]
            }
        for command in commands {
            let status = run(command)
            guard status == 0 else {
                print("note: skipped: no \(kind.rawValue) for SmallVolumeTests, `\(command[0])` ended with \(status) (it needs root)")
                return
            }
        }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        try body(folder)
    }

    private func run(_ words: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Writes deliveries until the volume is full; returns the number of stored readings.
    private func fill(_ sink: any ReadingSink, from first: Int, each count: Int, onDelivery: (Int) -> Void = { _ in }) throws -> Int {
        var stored = first
        var fault: IngestError?
        do throws(IngestError) {
            while stored < 200_000 {
                _ = try sink.write(.sample(stored..<(stored + count)))
                stored += count
                onDelivery(stored)
            }
        } catch { fault = error }
        #expect(fault?.status == .inputOutput && fault?.why == "no space left on device", "\(String(describing: fault))")
        return stored
    }

    /// A volume of 4 MB is used for readings, not for the log: 200 readings need about 40 KB in the file.
    @Test(arguments: Kind.allCases) func smallVolume_IsFilledWithReadings(_ kind: Kind) throws {
        try withVolume(kind, 4) { folder in
            let path = folder.file("bp.db")
            // Removed later, to free space.
            let ballast = folder.write("ballast", [UInt8](repeating: 1, count: 200 << 10))
            var sink = try SQLiteSink(path: path)
            var longest = 0
            let stored = try fill(sink, from: 0, each: 100) { _ in longest = max(longest, size(path + "-wal")) }
            print("note: \(kind.rawValue) of 4 MB took \(stored) readings, log at most \(longest) bytes, file \(size(path))")
            #expect(stored > 6000)
            #expect(longest < 256 << 10)
            // After a restart, freed space is used and nothing is lost.
            #expect(unlink(ballast) == 0)
            try sink.close()
            #expect(try Store(path, access: .read).count() == stored)
            sink = try SQLiteSink(path: path)
            let more = try fill(sink, from: stored, each: 20)
            #expect(more >= stored + 300, "200 KB hold more than 300 readings: \(more - stored)")
            #expect(try column(path, "SELECT count(*) FROM readings") == ["\(more)"])
            try sink.close()
        }
    }

    /// Freed space is used for readings, not for the log of those that did not fit.
    @Test(arguments: Kind.allCases) func freedSpace_IsUsed(_ kind: Kind) throws {
        try withVolume(kind, 4) { folder in
            let path = folder.file("bp.db")
            let filler = folder.write("filler", [UInt8](repeating: 1, count: 1 << 20))
            let sink = try SQLiteSink(path: path)
            let stored = try fill(sink, from: 0, each: 1000)
            for _ in 0..<5 { #expect(throws: IngestError.self) { try sink.write(.sample(stored..<(stored + 1000))) } }
            #expect(unlink(filler) == 0)
            let more = try fill(sink, from: stored, each: 1000)
            #expect(more >= stored + 2000, "a megabyte holds more than 2000 readings: \(more - stored)")
            #expect(try column(path, "SELECT count(*) FROM readings") == ["\(more)"])
            try sink.close()
        }
    }

    /// Its log would fill the volume, and would be applied to the next database of the name.
    @Test func aDatabaseThatDoesNotFit_LeavesNoFile() throws {
        try withVolume(.tmpfs, 1) { folder in
            _ = folder.write("filler", [UInt8](repeating: 1, count: (1 << 20) - (160 << 10)))
            #expect(throws: IngestError.self) { try Store(folder.file("bp.db"), access: .write) }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left == ["filler"])
        }
    }

    /// As with a `sqlite3` left open in a transaction.
    @Test func reader_ThatHoldsATransaction_IsTold() throws {
        try withVolume(.tmpfs, 32) { try holdATransaction($0) }
    }

    private func holdATransaction(_ folder: TestFolder) throws {
        let path = folder.file("bp.db")
        let notices = Mailbox<IngestError>()
        var context = SinkContext()
        context.onFault = { notices.post($1) }
        let sink = try SinkSpec(.sqlite, path: path).open(context)
        _ = try sink.write(.sample(0..<10))
        let reader = try SQLiteConnection(path, .read)
        try reader.execute("BEGIN")
        #expect(try Store.count(reader) == 10)
        let limit = LogLimit.bytes(try #require(Volume(path)))
        var count = 10
        while size(path + "-wal") < 6 * limit, notices.values.isEmpty {
            _ = try sink.write(.sample(count..<(count + 500)))
            count += 500
        }
        let said = try #require(notices.values.first)
        #expect(said.what.contains("\(path)-wal has grown to") && said.why.contains("another program reads"), "\(said)")
        let before = notices.values.count
        _ = try sink.write(.sample(count..<(count + 10)))
        #expect(notices.values.count == before, "it is not said with every transaction")
        try reader.rollBack()
        _ = try sink.write(.sample((count + 10)..<(count + 20)))
        #expect(size(path + "-wal") <= limit)
        try reader.close()
        try sink.close()
    }
}
