import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// A cuff without a clock that deletes acknowledged readings: a process uses what an earlier one left.
@Suite(.timeLimit(.minutes(3))) struct RepetitionLiveTests {
    private static let result = frame("000000,000000")
    private static let acknowledgement: [UInt8] = [0x02, 0x06, 0x03, 0x0B]

    /// With the checksum: the low byte of the sum of STX…ETX.
    private static func frame(_ clock: String) -> [UInt8] {
        let bytes = [0x02] + Array("R1,000000000,\(clock),128,097,082,071,0000,0000,00000,000".utf8) + [0x03]
        return bytes + [bytes.reduce(0, &+)]
    }

    private struct Rig {
        let transport = LoopTransport()
        let events = Mailbox<LinkNotice>()
        let pipeline: Pipeline
        let link: TestLink

        init(_ sink: MemorySink, _ memory: DriverMemory) {
            pipeline = Pipeline([Pipeline.Member(sink)], policy: .retry)
            let events = events
            link = TestLink(
                driver: .r1, device: "one", transport: transport, pipeline: pipeline, options: ["poll": "yes"], memory: memory
            ) { events.post($0) }
        }

        func begin() async {
            link.start([.follow])
            _ = await transport.started.wait(count: 1)
            _ = await transport.writes.wait(count: 1)
        }

        func ended() async {
            _ = await events.wait { $0.contains { if case .ended = $0 { true } else { false } } }
        }
    }

    private func outstanding(_ memory: DriverMemory, _ device: String) -> OutstandingRecords {
        memory.allOutstanding("r1")[DriverMemory.outstandingName("r1", device)] ?? OutstandingRecords()
    }

    private func ids(_ sink: MemorySink) -> Set<Reading.ID> { Set(sink.readings.map(\.id)) }

    /// A clock that was never set, that never started, and that stopped.
    @Test(arguments: ["000000,000000", "000101,000000", "260505,073110"])
    func threeEqualResults_EachAcknowledged_AreThreeReadings(_ clock: String) async {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("state"))
        let sink = MemorySink()
        for _ in 0..<3 {
            let rig = Rig(sink, memory)
            await rig.begin()
            rig.transport.inject(Self.frame(clock))
            _ = await rig.transport.writes.wait { $0.contains(Self.acknowledgement) }
            rig.link.stop()
            await rig.ended()
        }
        #expect(sink.readings.count == 3 && ids(sink).count == 3)
    }

    /// Outstanding records are on disk before the acknowledgement is written, and removed afterwards.
    @Test func whatIsOutstanding_IsKeptBeforeTheSink_AndForgottenBeforeTheACK() async {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("state"))
        let sink = MemorySink()
        sink.stall()
        let rig = Rig(sink, memory)
        await rig.begin()
        rig.transport.inject(Self.result)
        _ = await sink.calls.wait(count: 1)
        #expect(!outstanding(memory, "one").isEmpty)
        #expect(outstanding(memory, "two").isEmpty)
        sink.release()
        _ = await rig.transport.writes.wait { $0.contains(Self.acknowledgement) }
        #expect(outstanding(memory, "one").isEmpty)
        rig.link.stop()
        await rig.ended()
    }

    /// The state file is a pipe without a reader, so opening it blocks. Only this cuff's acknowledgement waits for it.
    @Test func aSlowStateFolder_HoldsUpItsOwnCuffAlone() async throws {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("state"))
        let sink = MemorySink()
        sink.stall()
        let rig = Rig(sink, memory)
        await rig.begin()
        rig.transport.inject(Self.result)
        _ = await sink.calls.wait(count: 1)
        let file = folder.file("state/" + DriverMemory.outstandingName("r1", "one"))
        try #require(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
        sink.release()
        _ = await sink.arrivals.wait { $0.reduce(0, +) == 1 }
        // Another cuff on the same loop is read and acknowledged.
        let other = LoopTransport()
        let link = TestLink(driver: .byte, transport: other, pipeline: Pipeline([Pipeline.Member(MemorySink())]))
        link.start([.follow])
        _ = await other.started.wait(count: 1)
        for byte in UInt8(1)...20 {
            other.inject([byte])
            _ = await other.writes.wait { $0.last == [0x06, byte] }
        }
        #expect(!rig.transport.writes.values.contains(Self.acknowledgement))
        let reader = open(file, O_RDONLY | O_NONBLOCK)
        #expect(reader >= 0)
        _ = await rig.transport.writes.wait { $0.contains(Self.acknowledgement) }
        close(reader)
        link.stop()
        rig.link.stop()
        await rig.ended()
    }

    /// The connection breaks before the commit is reported: the result is repeated and finally acknowledged. A later result is a
    /// new one, even if the connection broke right after the acknowledgement.
    @Test func aResultThatIsResent_IsOneReading() async {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("state"))
        let sink = MemorySink()
        sink.stall()
        for run in 1...2 {
            let rig = Rig(sink, memory)
            await rig.begin()
            rig.transport.inject(Self.result)
            _ = await sink.calls.wait(count: run)
            #expect(!outstanding(memory, "one").isEmpty)
            rig.transport.unplug()
            await rig.ended()
        }
        sink.release()
        for _ in 0..<2 {
            let rig = Rig(sink, memory)
            await rig.begin()
            rig.transport.inject(Self.result)
            _ = await rig.transport.writes.wait { $0.contains(Self.acknowledgement) }
            rig.transport.unplug()
            await rig.ended()
        }
        _ = await sink.arrivals.wait { $0.reduce(0, +) == 4 }
        #expect(sink.readings.count == 4 && ids(sink).count == 2)
    }

    /// After a power failure the file may be outdated: both readings are kept.
    @Test func aFileOfAnotherBoot_IsNotBelieved() throws {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("state"))
        let records = OutstandingRecords([UInt8](repeating: 7, count: 16))
        try memory.persist(records, "r1", device: "one", durably: true)
        #expect(outstanding(memory, "one").bytes == records.bytes)
        let name = StateFile.name("r1-unacknowledged", for: "one")
        let path = folder.file("state/\(name)")
        let text = try #require(StateFile.read(path))
        try StateFile.write("00000000-0000-0000-0000-000000000000\n" + text.split(separator: "\n")[1] + "\n", to: path)
        #expect(outstanding(memory, "one").isEmpty)
    }
}
