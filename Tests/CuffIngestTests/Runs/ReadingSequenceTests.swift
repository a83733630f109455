import CuffCore
import Dispatch
import Testing

@testable import CuffIngest

/// `for try await reading in …`, with a program's own family and transport.
@Suite struct ReadingSequenceTests {
    /// A device in memory with an address of its own.
    private struct Bench {
        let device = LoopTransport()
        let cuff: Cuff

        init(_ driver: CuffDriver = .byte) throws {
            let device = device
            let kind = TransportKind(
                "bench", form: "bench://NAME", help: "a device in memory", example: "bench://a",
                parse: { $0.hasPrefix("bench://") ? .other(scheme: "bench", rest: String($0.dropFirst(8))) : nil },
                open: { request in if case .other("bench", _) = request.address { device } else { nil } })
            var options = IngestOptions()
            options.transports.append(kind)
            cuff = Cuff(at: try DeviceAddress("bench://a", among: options.transports), driver: driver, options: options)
        }

        func readings(isKeeping: Bool = false) -> ReadingSequence {
            cuff.readings(follow: true, keeping: isKeeping)
        }

        /// One reading from the device to a loop; meanwhile all other work on the program's queues has run.
        func roundTrip() async throws {
            var iterator = readings().makeAsyncIterator()
            let device = device
            Task {
                _ = await device.started.wait(count: 1)
                device.inject([20])
            }
            _ = try #require(try await iterator.next())
        }

        /// The acknowledged counts.
        var acknowledged: [UInt8] { device.writes.values.compactMap { $0.first == 0x06 ? $0[1] : nil } }
    }

    private static func systolic(_ received: ReceivedReading) -> Int {
        guard case .bloodPressure(let pressure) = received.reading.content else { return 0 }
        return Int(pressure.systolic.inMmHg)
    }

    @Test func storedReadings_Come_ThenTheLoopEnds() async throws {
        let bench = try Bench()
        let sequence = bench.cuff.readings(keeping: false)
        let loop = Task {
            var found: [ReceivedReading] = []
            for try await received in sequence { found.append(received) }
            return found
        }
        _ = await bench.device.started.wait(count: 1)
        // ByteSession: a byte n is a reading of 100 + n, FF the end.
        bench.device.inject([20, 30, 0xFF])
        let found = try await loop.value
        #expect(found.map(Self.systolic) == [120, 130])
        #expect(found.allSatisfy { $0.driver == "byte" })
    }

    @Test func nothingIsOpened_BeforeTheFirstIsAskedFor() async throws {
        let bench = try Bench()
        let iterator = bench.readings().makeAsyncIterator()
        try await Bench().roundTrip()
        #expect(bench.device.started.values.isEmpty)
        withExtendedLifetime(iterator) {}
    }

    /// As a handler on the main queue.
    @MainActor @Test func aLoopOfTheMainActor_RunsOnIt() async throws {
        let sequence = ReadingSequence(isKeeping: false) { (options) throws(IngestError) in
            _ = try options.moreSinks[0].write(.sample(0..<3))
            return IngestReport()
        }
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        var isMain: [Bool?] = []
        for try await _ in sequence { isMain.append(DispatchQueue.getSpecific(key: key)) }
        #expect(isMain == [true, true, true])
    }

    @Test func aSlowLoop_HoldsItsSource() async throws {
        let written = Mailbox<Int>()
        let sequence = ReadingSequence(isKeeping: false) { (options) throws(IngestError) in
            for number in 1...3 {
                _ = try options.moreSinks[0].write(.sample(number * 10..<number * 10 + 2))
                written.post(number)
            }
            return IngestReport()
        }
        var iterator = sequence.makeAsyncIterator()
        var given = 0
        for batch in 0..<3 {
            for _ in 0..<2 {
                _ = try #require(try await iterator.next())
                given += 1
                // Nothing beyond the requested readings is read from the source.
                #expect(written.values == Array(1..<batch + 1))
            }
        }
        #expect(given == 6)
        #expect(try await iterator.next() == nil)
        #expect(written.values == [1, 2, 3])
        #expect(try await iterator.next() == nil, "and stays over")
    }

    @Test func keeping_IsSaidByAskingForTheNext() async throws {
        let bench = try Bench(.forgetfulByte)
        var iterator = bench.readings(isKeeping: true).makeAsyncIterator()
        let device = bench.device
        Task {
            _ = await device.started.wait(count: 1)
            device.inject([20])
        }
        _ = try #require(try await iterator.next())
        try await Bench().roundTrip()
        #expect(bench.acknowledged == [], "the loop's body has not returned")
        Task {
            await device.writes.wait { $0.contains([0x06, 1]) }
            device.inject([30])
        }
        _ = try #require(try await iterator.next())
        #expect(bench.acknowledged == [1])
    }

    /// Repeated, because the loop's request and the end of the run may come in either order.
    @Test(arguments: 0..<50) func whatTheLoopWasNotDoneWith_IsNotAcknowledged(_ round: Int) async throws {
        let bench = try Bench(.forgetfulByte)
        let sequence = bench.readings(isKeeping: true)
        let loop = Task {
            for try await _ in sequence { withUnsafeCurrentTask { $0?.cancel() } }
        }
        _ = await bench.device.started.wait(count: 1)
        bench.device.inject([20])
        try await loop.value
        #expect(bench.acknowledged == [], "round \(round)")
    }

    @Test func aCuffThatForgets_IsNotReadWithoutKeeping() async throws {
        let bench = try Bench(.forgetfulByte)
        let sequence = bench.readings()
        let error = await #expect(throws: IngestError.self) { for try await _ in sequence {} }
        #expect(error?.description.contains("durable sink") == true, "\(String(describing: error))")
        #expect(bench.device.started.values.isEmpty)
    }

    @Test func cancellation_ClosesTheCuff_BeforeTheLoopEnds() async throws {
        let cuff = try Simulation(
            driver: .andStd, script: SimulatorScript(records: SimulatedRecord.sample(count: 400, seed: 2), interval: .milliseconds(50)))
        cuff.start()
        defer { cuff.stop() }
        let address = try DeviceAddress(cuff.address)
        // The port is exclusive: the second loop fails if the first has not closed it.
        for _ in 0..<2 {
            let first = Mailbox<Int>()
            let sequence = Cuff(at: address, driver: .andStd, options: IngestOptions()).readings(follow: true, keeping: false)
            let loop = Task { for try await received in sequence { first.post(Self.systolic(received)) } }
            _ = await first.wait(count: 1)
            loop.cancel()
            try await loop.value
            #expect(first.values.allSatisfy { (60...260).contains($0) })
        }
    }

    @Test func leavingTheLoop_StopsTheRun() async throws {
        let stopped = Mailbox<Bool>()
        let sequence = ReadingSequence(isKeeping: false) { (options) throws(IngestError) in
            _ = try? options.moreSinks[0].write(.sample(1..<3))
            stopped.post(options.stop.isRaised)
            return IngestReport()
        }
        for try await _ in sequence { break }
        #expect(await stopped.wait(count: 1) == [true])
    }

    @Test func theProgramsOwnStop_EndsTheLoop() async throws {
        let bench = try Bench()
        let (sequence, stop, device) = (bench.readings(), bench.cuff.options.stop, bench.device)
        let loop = Task { for try await _ in sequence {} }
        _ = await device.started.wait(count: 1)
        stop.raise()
        try await loop.value
    }

    @Test func whatCannotBegin_IsThrown_Once() async throws {
        let sequence = Cuff(at: .node("/dev/ttyNOTHERE"), driver: .andStd, options: IngestOptions()).readings()
        var iterator = sequence.makeAsyncIterator()
        let error = await #expect(throws: IngestError.self) { _ = try await iterator.next() }
        #expect(error?.status == .unavailable)
        #expect(try await iterator.next() == nil)
    }

    @Test func aDriverThatIsNotInTheList_IsRefused() async throws {
        let bench = try Bench()
        let error = await failure { _ = try Ingest.read(bench.cuff.address, driver: "byte") }
        #expect(error?.description.hasPrefix("unknown driver `byte`: ") == true)
    }

    @Test func aWatch_OpensWhatIsTheProgramsOwn() async throws {
        let bench = try Bench()
        var watch = WatchOptions()
        watch.assignments = [try Assignment("bench://a=byte", drivers: bench.cuff.options.drivers, among: bench.cuff.options.transports)]
        watch.hears = { _ in SilentHotplug() }
        let sequence = Cuffs.readings(watching: watch, keeping: false, options: bench.cuff.options)
        let loop = Task {
            for try await received in sequence { return Self.systolic(received) }
            return 0
        }
        _ = await bench.device.started.wait(count: 1)
        bench.device.inject([42])
        #expect(try await loop.value == 142)
    }
}

final class SilentHotplug: HotplugSource {
    func start(deliver: @escaping @Sendable ([HotplugEvent]) -> Void) throws(HotplugFault) { deliver([.settled]) }
    func stop() {}
}
