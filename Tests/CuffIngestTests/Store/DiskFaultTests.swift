import CFaultyDisk
import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Disks that fail during a run and recover: only durable readings are acknowledged, the fault is reported, and delayed readings
/// are stored without a restart.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DiskFaultTests {
    private static let isRoot = geteuid() == 0
    /// EIO from the disk, below SQLite.
    private static let isShimmed = faulty_disk_install() == 0

    /// A cuff whose acknowledgements the test sees, with one sink and the daemon's policy.
    private struct Rig {
        let transport = LoopTransport()
        let faults = Mailbox<IngestError>()
        let ended = Mailbox<Bool>()
        let pipeline: Pipeline
        let link: TestLink

        init(_ sink: any ReadingSink) {
            let (faults, ended) = (faults, ended)
            pipeline = Pipeline([Pipeline.Member(sink)], policy: .retry) { faults.post($1) }
            link = TestLink(driver: .byte, device: "test", transport: transport, pipeline: pipeline) {
                if case .ended = $0 { ended.post(true) }
            }
        }

        var acknowledged: UInt8 { transport.writes.values.last?[1] ?? 0 }

        func finish() async throws {
            link.stop()
            _ = await ended.wait(count: 1)
            try await onThread { try pipeline.finish() }
        }
    }

    private func stored(_ kind: SinkKind, _ path: String) throws -> Int {
        switch kind {
        case .sqlite: return try Store(path, access: .read).count()
        case .csv: return try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\r\n").count - 2
        default: return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count
        }
    }

    @Test func inputOutputError_OnTheDatabase_HoldsTheAcknowledgementBack_UntilTheDiskObeysAgain() async throws {
        try #require(Self.isShimmed)
        let folder = TestFolder()
        let path = folder.file("bp.faulty.db")
        let rig = Rig(try SQLiteSink(path: path))
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([1, 2, 3])
        _ = await rig.transport.writes.wait { $0.last == [0x06, 3] }
        faulty_disk_fail(1)
        defer { faulty_disk_fail(0) }
        rig.transport.inject([4, 5])
        let said = await rig.faults.wait(count: 2)
        #expect(said[0].status == .inputOutput, "\(said[0])")
        #expect(rig.acknowledged == 3)
        #expect(rig.pipeline.reports[0].fault != nil && rig.pipeline.reports[0].waiting == 2)
        #expect(faulty_disk_failures() > 0)
        faulty_disk_fail(0)
        _ = await rig.transport.writes.wait { $0.last == [0x06, 5] }
        #expect(try stored(.sqlite, path) == 5)
        try await rig.finish()
    }

    private func withTmpfs(_ size: String, _ body: (String) async throws -> Void) async throws {
        let folder = TestFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(size)") == 0 else {
            print("note: DiskFaultTests could not mount a tmpfs (\(String(cString: strerror(errno)))); nothing was tested")
            return
        }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        try await body(folder.path)
    }

    @Test(.enabled(if: isRoot, "mounting needs root"), arguments: [SinkKind.jsonl, .csv, .sqlite])
    func fullDisk_HoldsTheAcknowledgementBack_UntilThereIsRoom(_ kind: SinkKind) async throws {
        try await withTmpfs("1m") { folder in
            let path = "\(folder)/bp"
            let rig = Rig(try SinkSpec(kind, path: path).open())
            rig.link.start([.follow])
            _ = await rig.transport.started.wait(count: 1)
            rig.transport.inject([1])
            _ = await rig.transport.writes.wait { $0.last == [0x06, 1] }
            // Another process fills the disk completely.
            let filler = open("\(folder)/filler", O_WRONLY | O_CREAT, 0o600)
            let zeros = [UInt8](repeating: 0, count: 4096)
            while write(filler, zeros, zeros.count) > 0 {}
            close(filler)
            var sent: UInt8 = 1
            // The file's last page and SQLite's log may have room for a few readings.
            while rig.faults.values.isEmpty && sent < 250 {
                sent += 1
                rig.transport.inject([sent])
                try await Task.sleep(for: .milliseconds(20))
            }
            _ = await rig.faults.wait(count: 1)
            #expect(rig.faults.values[0].why == "no space left on device")
            #expect(rig.acknowledged < sent)
            let before = rig.acknowledged
            #expect(try stored(kind, path) >= Int(before), "everything the cuff was acknowledged for is there")
            unlink("\(folder)/filler")
            let last = sent
            _ = await rig.transport.writes.wait { $0.last == [0x06, last] }
            #expect(try stored(kind, path) == Int(sent))
            try await rig.finish()
        }
    }

    /// Acknowledged readings are in the file of that name, also after a rotation.
    @Test(arguments: RotationTests.kinds, RotationTests.Act.allCases)
    func rotatedFile_HoldsWhatTheCuffIsThankedForFromThenOn(_ kind: SinkKind, _ act: RotationTests.Act) async throws {
        let folder = TestFolder()
        let path = folder.file("bp")
        let rig = Rig(try SinkSpec(kind, path: path).open())
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([1, 2, 3])
        _ = await rig.transport.writes.wait { $0.last == [0x06, 3] }
        act.apply(path)
        rig.transport.inject([4, 5])
        _ = await rig.transport.writes.wait { $0.last == [0x06, 5] }
        #expect(try stored(kind, path) == 2)
        #expect(rig.faults.values.isEmpty)
        try await rig.finish()
    }

    /// A foreign file delays the acknowledgement until it is removed.
    @Test func foreignFileInPlace_HoldsTheAcknowledgementBack() async throws {
        let folder = TestFolder()
        let path = folder.file("bp")
        let rig = Rig(try SinkSpec(.jsonl, path: path).open())
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([1])
        _ = await rig.transport.writes.wait { $0.last == [0x06, 1] }
        #expect(unlink(path) == 0)
        _ = folder.write("bp", "Dear diary,\n")
        rig.transport.inject([2, 3])
        _ = await rig.faults.wait(count: 2)
        #expect(rig.acknowledged == 1)
        #expect(folder.text("bp") == "Dear diary,\n")
        #expect(unlink(path) == 0)
        _ = await rig.transport.writes.wait { $0.last == [0x06, 3] }
        #expect(try stored(.jsonl, path) == 2)
        try await rig.finish()
    }

    @Test func files_AreTheirOwnersAlone() throws {
        let folder = TestFolder()
        let old = umask(0)
        defer { umask(old) }
        for kind in [SinkKind.jsonl, .csv, .sqlite] {
            let sink = try SinkSpec(kind, path: folder.file("bp.\(kind)")).open()
            _ = try sink.write(.sample(0..<3))
            for name in try FileNames.in(folder.path) { #expect(folder.mode(name) == 0o600, "\(name)") }
            try sink.close()
        }
        var context = SinkContext()
        context.outbox = folder.file("out.db")
        let sink = try SinkSpec("exec:cat").open(context)
        _ = try sink.write(.sample(0..<3))
        while (sink.backlog?.waiting ?? 0) > 0 { usleep(1000) }
        for name in try FileNames.in(folder.path) { #expect(folder.mode(name) == 0o600, "\(name)") }
        try sink.close()
        #expect(try FileNames.in(folder.path).contains("out.db-sink1"))
    }
}
