import CuffCore
import Testing

@testable import CuffIngest

/// The library call of `cuff measure`.
@Suite struct MeasureRunTests {
    private enum Heard: Sendable, Equatable {
        case started(MeasurementState.Fault?)
        case live
        case ended(String)
    }

    private func handlers(_ heard: Mailbox<Heard>) -> MeasureHandlers {
        MeasureHandlers(
            started: { heard.post(.started($0)) }, live: { _, _ in heard.post(.live) },
            ended: { end in
                switch end {
                case .result(let reading): heard.post(.ended("\(reading.bloodPressure?.systolic.digits.mantissa ?? 0) \(reading.trigger)"))
                case .aborted: heard.post(.ended("aborted"))
                case .failed(let fault): heard.post(.ended(fault.word))
                }
            })
    }

    private func options(_ sink: MemorySink, _ folder: TestFolder) -> IngestOptions {
        var options = IngestOptions()
        options.moreSinks = [sink]
        options.memory = DriverMemory(folder: folder.path)
        return options
    }

    private func ends(_ sink: MemorySink) -> [String] {
        sink.batches.flatMap(\.entries).compactMap { entry in
            switch entry {
            case .live(.ended, _, _): "ended"
            case .live(.aborted, _, _): "aborted"
            case .live(.failed(let failure), _, _): "failed \(failure.reason.word)"
            case .reading(let reading): if case .failure(let failure) = reading.content { "record \(failure.reason.word)" } else { nil }
            default: nil
            }
        }
    }

    private func records(_ failure: FailureReason?) -> [SimulatedRecord] {
        SimulatedRecord.sample(count: 3, seed: 1).map { record in
            var record = record
            record.failure = failure
            return record
        }
    }

    @Test(arguments: [Reading.Trigger.manual, .automatic]) func aResult_IsHeardLast_AndSaysWhoAsked(_ trigger: Reading.Trigger) async throws
    {
        let (folder, sink, heard) = (TestFolder(), MemorySink(), Mailbox<Heard>())
        let cuff = try Simulation(driver: .parNIBP, script: SimulatorScript(records: records(nil), pushes: false), speed: 20)
        cuff.start()
        defer { cuff.stop() }
        let address = try DeviceAddress(cuff.address)
        var measure = MeasureOptions()
        measure.trigger = trigger
        let (options, handlers) = (options(sink, folder), handlers(heard))
        let (end, report) = try await onThread { [measure] in
            try Ingest.measure(address, driver: "par-nibp", measure, handlers: handlers, options: options)
        }
        guard case .result(let reading) = end else { return #expect(Bool(false), "\(end)") }
        #expect(report.status == .done)
        #expect(reading.trigger == trigger && sink.readings.map(\.trigger) == [trigger])
        let second = records(nil)[1].systolic
        #expect(heard.values.first == .started(nil) && heard.values.last == .ended("\(second) \(trigger)"))
        #expect(heard.values.count { $0 == .live } == 23)
        #expect(ends(sink) == ["ended"])
        #expect(MeasurementMarks(DriverMemory(folder: folder.path)).left("par-nibp", address) == nil)
    }

    @Test func aFailureThatTheCuffRecords_IsItsOwnEnd() async throws {
        for (driver, failure, word) in [
            (CuffDriver.andStd, FailureReason.movement, "movement"), (.suntechAdvantage, .leak, "leak"),
            (.berryPM6750, .cuffLoose, "cuff_loose"),
        ] {
            let (folder, sink, heard) = (TestFolder(), MemorySink(), Mailbox<Heard>())
            let cuff = try Simulation(
                driver: driver, script: SimulatorScript(records: records(failure), pushes: false, interval: .milliseconds(50)), speed: 20)
            cuff.start()
            defer { cuff.stop() }
            let address = try DeviceAddress(cuff.address)
            let (options, handlers) = (options(sink, folder), handlers(heard))
            let (end, report) = try await onThread {
                try Ingest.measure(address, driver: driver.id.description, handlers: handlers, options: options)
            }
            guard case .failed(.cuff(let told)) = end else { return #expect(Bool(false), "\(driver.id) \(end)") }
            #expect(told.reason == failure, "\(driver.id)")
            #expect(report.status == .no)
            #expect(heard.values.last == .ended(word))
            #expect(heard.values.count { if case .ended = $0 { true } else { false } } == 1)
            #expect(ends(sink) == ["record \(word)"], "\(driver.id)")
        }
    }

    @Test func stopping_IsHeardOnce() async throws {
        let (folder, sink, heard) = (TestFolder(), MemorySink(), Mailbox<Heard>())
        let notes = Mailbox<String>()
        let cuff = try Simulation(driver: .suntechAdvantage, script: SimulatorScript(pushes: false), note: { notes.post($0) })
        cuff.start()
        defer { cuff.stop() }
        let address = try DeviceAddress(cuff.address)
        let (options, handlers) = (options(sink, folder), handlers(heard))
        let run = Task {
            try await onThread { try Ingest.measure(address, driver: "suntech-advantage", handlers: handlers, options: options) }
        }
        await heard.wait { $0.contains(.live) }
        options.stop.raise()
        let (end, report) = try await run.value
        #expect(end == .aborted)
        #expect(report.status == .interrupted)
        #expect(heard.values.last == .ended("aborted"))
        #expect(ends(sink) == ["aborted"])
        await notes.wait { $0.contains("deflated") }
    }

    /// An iBio board at 331 mmHg is sent a stop, which it does not confirm.
    @Test func aMeasurementThatWasGivenUp_IsUnavailable() async throws {
        let (folder, sink, heard) = (TestFolder(), MemorySink(), Mailbox<Heard>())
        let board = Pty()
        let address = DeviceAddress.node(board.path)
        let (options, handlers) = (options(sink, folder), handlers(heard))
        board.write([0x20, 0x80, 0x81, 0xCB, 0x80, 0x81, 0xED], after: 2)
        let (end, report) = try await onThread {
            try Ingest.measure(address, driver: "ibio-board", handlers: handlers, options: options)
        }
        #expect(end == .failed(.givenUp(.init(.overPressure), "the cuff pressure exceeded 330 mmHg")))
        #expect(report.status == .unavailable)
    }

    /// A PAR module that measures and does not answer the X.
    @Test func aStopThatIsIgnored_IsSaid_AndItsMarkStays() async throws {
        let (folder, sink, heard) = (TestFolder(), MemorySink(), Mailbox<Heard>())
        let module = Pty()
        let address = DeviceAddress.node(module.path)
        let (options, handlers) = (options(sink, folder), handlers(heard))
        module.write((100...104).flatMap { [0x02] + Array("\($0)C1S3".utf8) + [0x03, 0x0D] }, after: 8)
        let run = Task {
            try await onThread { try Ingest.measure(address, driver: "par-nibp", handlers: handlers, options: options) }
        }
        await heard.wait { $0.contains(.live) }
        options.stop.raise()
        let (end, report) = try await run.value
        #expect(end == .failed(.noAnswer("the module did not confirm that it stopped")))
        #expect(report.status == .unavailable)
        #expect(report.endings.map(\.description) == ["\(address): no result: the module did not confirm that it stopped"])
        #expect(ends(sink) == ["failed no_answer"])
        #expect(MeasurementMarks(DriverMemory(folder: folder.path)).isLeft("par-nibp", address))
    }

    @Test func aLineThatBreaksAfterTheStart_LeavesTheMark() async throws {
        let (folder, sink) = (TestFolder(), MemorySink())
        let module = Pty()
        let address = DeviceAddress.node(module.path)
        let options = options(sink, folder)
        let run = Task { try await onThread { try Ingest.measure(address, driver: "par-nibp", options: options) } }
        _ = try await module.read(8)
        // The name may go to another pty; the mark has the name.
        module.hangUp()
        let (end, _) = try await run.value
        guard case .failed(.noAnswer) = end else { return #expect(Bool(false), "\(end)") }
        #expect(MeasurementMarks(DriverMemory(folder: folder.path)).isLeft("par-nibp", address))
    }

    @Test func whatCannotBegin_IsThrown_AndNobodyHears() async throws {
        let (folder, sink, heard) = (TestFolder(), MemorySink(), Mailbox<Heard>())
        let (options, handlers) = (options(sink, folder), handlers(heard))
        for (driver, status) in [("omron-hbp", RunStatus.usage), ("no-such-cuff", .usage), ("and-std", .unavailable)] {
            let error = await failure {
                _ = try Ingest.measure(.node("/dev/ttyNOTHERE"), driver: driver, handlers: handlers, options: options)
            }
            #expect(error?.status == status, "\(driver) \(error?.description ?? "no error")")
        }
        #expect(heard.values.isEmpty)
        #expect(MeasurementMarks(DriverMemory(folder: folder.path)).left("and-std", .node("/dev/ttyNOTHERE")) == nil)
    }

    /// Each family with noise, unplugged or stopped at any moment: exactly one start, then exactly one end.
    @Test(arguments: CuffFamilies.all.filter { $0.capabilities.contains(.measure) }.map(\.id.description))
    func whateverTheLineDoes_ItEndsOnce(_ id: String) async throws {
        let driver = try #require(CuffFamilies.named(id))
        for seed in UInt64(0)..<12 {
            var random = SplitMix64(seed: seed)
            let (transport, sink, events) = (LoopTransport(), MemorySink(), Mailbox<LinkNotice>())
            let pipeline = Pipeline([Pipeline.Member(sink)])
            let link = TestLink(driver: driver, transport: transport, pipeline: pipeline) { events.post($0) }
            link.start([.measure])
            await transport.writes.wait(count: 1)
            var cuff = driver.makeSimulator(SimulatorScript(pushes: false))
            _ = cuff.handle(.opened)
            for _ in 0..<Int(random.next() % 6) {
                // The cuff's answers, and bytes that it would not send.
                let written = transport.writes.values.last ?? []
                for case .write(let bytes) in cuff.handle(.received(written)) { transport.inject(bytes) }
                let noise = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if !noise.isEmpty { transport.inject(noise) }
            }
            if seed == 0 { link.stop() } else { transport.unplug() }
            await events.wait { $0.contains { if case .ended = $0 { true } else { false } } }
            try await onThread { try pipeline.finish() }
            let life = events.values.compactMap { event -> String? in
                switch event {
                case .measurement(.started, _), .measurement(.notStarted, _): "begun"
                case .measurement(.ended, _): "ended"
                case .ended: "over"
                default: nil
                }
            }
            #expect(life == ["begun", "ended", "over"], "\(id), seed \(seed)")
            #expect(ends(sink).count == 1, "\(id), seed \(seed): \(ends(sink))")
            if seed == 0 { #expect(transport.writes.values.count >= 2, "\(id) was not told to stop") }
        }
    }
}
