import CuffCore
import Glibc
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(3))) struct LinkTests {
    private struct Rig {
        let transport = LoopTransport()
        let events = Mailbox<LinkNotice>()
        let pipeline: Pipeline
        let link: TestLink

        init(_ members: [Pipeline.Member], driver: CuffDriver = .byte, policy: Pipeline.FaultPolicy = .retry, high: Int = 8) {
            var limits = PipelineState.Limits()
            limits.high = high
            limits.low = high / 2
            limits.live = 4
            pipeline = Pipeline(members, policy: policy, limits: limits)
            let events = events
            link = TestLink(driver: driver, device: "test", transport: transport, pipeline: pipeline) { events.post($0) }
        }

        func ended() async -> Outcome? {
            let values = await events.wait { $0.contains { if case .ended = $0 { true } else { false } } }
            for case .ended(let outcome) in values { return outcome }
            return nil
        }
    }

    @Test func acknowledgement_WaitsForTheSlowestRequiredSink() async throws {
        let fast = MemorySink()
        let slow = MemorySink()
        slow.stall()
        let rig = Rig([Pipeline.Member(fast), Pipeline.Member(slow)])
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([1, 2, 3])
        _ = await fast.arrivals.wait { $0.reduce(0, +) == 3 }
        #expect(rig.transport.writes.values.isEmpty)
        slow.release()
        let writes = await rig.transport.writes.wait { $0.last == [0x06, 3] }
        #expect(writes.allSatisfy { $0[0] == 0x06 })
        #expect(slow.readings.count == 3)
        rig.link.stop()
        #expect(await rig.ended() == .complete)
    }

    /// With pass-through and optional sinks only, a cuff that forgets acknowledged readings gets no acknowledgement; others do.
    @Test(arguments: [true, false]) func whereNothingIsKept_NothingIsAcknowledged(_ isOptional: Bool) async {
        for driver in [CuffDriver.forgetfulByte, .byte] {
            let sink = MemorySink(isDurable: isOptional)
            let rig = Rig([Pipeline.Member(sink, isRequired: !isOptional)], driver: driver)
            rig.link.start([.follow])
            _ = await rig.transport.started.wait(count: 1)
            rig.transport.inject([1, 2])
            _ = await sink.arrivals.wait { $0.reduce(0, +) == 2 }
            let settled = Mailbox<Bool>()
            rig.pipeline.whenSettled { settled.post(true) }
            _ = await settled.wait(count: 1)
            // Events pass the link's queue in order, so an acknowledgement would come before the stop.
            rig.link.send(.command(.stop))
            let writes = await rig.transport.writes.wait { $0.last == [0x18] }
            #expect(driver.forgets([:]) ? writes == [[0x18]] : writes.first?.first == 0x06)
            rig.link.stop()
            _ = await rig.ended()
        }
    }

    @Test func featureReport_WhereThereIsNone_IsAFault() async throws {
        let rig = Rig([Pipeline.Member(MemorySink())], driver: .feature)
        rig.transport.hasFeatures.withLock { $0 = false }
        rig.link.start([.readMemory(user: nil)])
        _ = await rig.ended()
        #expect(rig.link.transportFault == .failed(call: "HIDIOCSFEATURE", errno: ENOTTY))
        let pty = Pty()
        let line = TTYTransport(path: pty.path, line: LineSettings())
        let ended = Mailbox<Bool>()
        let link = TestLink(driver: .feature, transport: line, pipeline: Pipeline([Pipeline.Member(MemorySink())])) {
            if case .ended = $0 { ended.post(true) }
        }
        link.start([.readMemory(user: nil)])
        _ = await ended.wait(count: 1)
        #expect(link.transportFault == .failed(call: "HIDIOCSFEATURE", errno: ENOTTY))
    }

    @Test func failedWrite_ComesAgainBeforeTheAcknowledgement() async {
        let sink = MemorySink(failures: 2)
        let rig = Rig([Pipeline.Member(sink)])
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([1, 2])
        _ = await rig.transport.writes.wait { $0.last == [0x06, 2] }
        #expect(sink.readings.map(\.raw.array) == [[1], [2]])
        #expect(rig.pipeline.reports[0].fault == nil)
        rig.link.stop()
        _ = await rig.ended()
    }

    @Test func duplicate_IsAcknowledgedButStoredOnce() async {
        let sink = MemorySink()
        let rig = Rig([Pipeline.Member(sink)])
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([0])
        rig.transport.inject([0, 7])
        _ = await rig.transport.writes.wait { $0.last == [0x06, 3] }
        #expect(sink.readings.map(\.raw.array) == [[0], [7]])
        #expect(rig.link.counters.duplicates == 1)
        rig.link.stop()
        _ = await rig.ended()
    }

    @Test func stalledSink_PausesTheCuffAndItsTimers_AndNothingIsLost() async throws {
        let sink = MemorySink()
        sink.stall()
        let rig = Rig([Pipeline.Member(sink)], driver: .byte(patience: .seconds(4)))
        // Sent beforehand, so that a busy machine cannot delay them longer than the session waits.
        for byte in UInt8(1)...40 { rig.transport.inject([byte]) }
        rig.transport.inject([0xFF])
        rig.link.start([.readMemory(user: nil)])
        _ = await rig.transport.writes.wait { $0.first == [0x05] }
        _ = await rig.transport.pauses.wait { $0.first == true }
        // A later session with the same time limit has given up, so the limit of this one has passed, too.
        let witness = Rig([Pipeline.Member(MemorySink())], driver: .byte(patience: .seconds(4)))
        witness.link.start([.readMemory(user: nil)])
        #expect(await witness.ended() != .complete)
        #expect(rig.events.values.isEmpty)
        sink.release()
        #expect(await rig.ended() == .complete)
        try await onThread { try rig.pipeline.finish() }
        #expect(sink.readings.map(\.raw.array) == (UInt8(1)...40).map { [$0] })
        #expect(rig.link.counters.pauses >= 1)
        #expect(rig.link.counters.paused >= .milliseconds(4000))
    }

    @Test func lastWords_ReachThePacedCuff() async throws {
        let pty = Pty()
        let ended = Mailbox<Outcome>()
        let link = TestLink(
            driver: .andStd, transport: TTYTransport(path: pty.path, line: LineSettings(), pace: .milliseconds(3)),
            pipeline: Pipeline([Pipeline.Member(MemorySink())])
        ) { if case .ended(let outcome) = $0 { ended.post(outcome) } }
        link.start([.stop])
        #expect(await ended.wait(count: 1) == [.complete])
        #expect(Hex.text(pty.read()) == "16 16 01 30 30 02 53 50 03 03")
    }

    @Test func silentCuff_EndsByTheSessionsOwnTimer() async {
        let rig = Rig([Pipeline.Member(MemorySink())], driver: .byte(patience: .milliseconds(500)))
        rig.link.start([.readMemory(user: nil)])
        #expect(await rig.ended() == .noAnswer("nothing came"))
    }

    @Test func commands_FollowOneAnotherOnTheSameLine() async {
        let sink = MemorySink()
        let rig = Rig([Pipeline.Member(sink)])
        rig.link.start([.readMemory(user: nil), .follow])
        _ = await rig.transport.started.wait(count: 1)
        rig.transport.inject([1, 0xFF])
        _ = await rig.events.wait { $0.contains { if case .finished(.readMemory, .complete) = $0 { true } else { false } } }
        rig.transport.inject([2, 3])
        // The second session counts from zero.
        _ = await rig.transport.writes.wait { $0.last == [0x06, 2] }
        rig.transport.unplug()
        #expect(await rig.ended() == .complete)
        #expect(sink.readings.map(\.raw.array) == [[1], [2], [3]])
    }

    @Test func stalledOptionalSink_DelaysNobody() async throws {
        let sink = MemorySink()
        let stalled = MemorySink()
        stalled.stall()
        let rig = Rig([Pipeline.Member(sink), Pipeline.Member(stalled, isRequired: false)])
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        for byte in UInt8(1)...60 { rig.transport.inject([byte]) }
        _ = await rig.transport.writes.wait { $0.last == [0x06, 60] }
        #expect(sink.readings.count == 60)
        rig.link.stop()
        _ = await rig.ended()
        try await onThread { try rig.pipeline.finish(grace: .milliseconds(20)) }
        let report = rig.pipeline.reports[1]
        #expect(report.stored + report.missed == 60)
        stalled.release()
    }

    @Test func liveSamples_AreThinnedWithACount_WhenTheSinkIsSlow() async throws {
        let sink = MemorySink()
        sink.stall()
        let rig = Rig([Pipeline.Member(sink)])
        rig.link.start([.follow])
        _ = await rig.transport.started.wait(count: 1)
        for _ in 0..<50 { rig.transport.inject([0xFE]) }
        rig.transport.inject([9])
        _ = await rig.events.wait { $0.contains { if case .diagnostic(.note) = $0 { true } else { false } } }
        sink.release()
        _ = await rig.transport.writes.wait { $0.last == [0x06, 1] }
        rig.link.stop()
        _ = await rig.ended()
        let live = sink.batches.flatMap(\.entries).count - 1
        #expect(live < 50)
        #expect(live + rig.link.counters.thinned == 50)
        #expect(sink.readings.count == 1)
    }

    @Test func oneCuffsStall_IsNotAnothersSilence() async {
        // Two links of one pipeline; one is unplugged.
        let sink = MemorySink()
        let pipeline = Pipeline([Pipeline.Member(sink)], policy: .retry)
        let transports = [LoopTransport(), LoopTransport()]
        let ended = Mailbox<Int>()
        let links = transports.enumerated().map { index, transport in
            TestLink(driver: .byte, device: "\(index)", transport: transport, pipeline: pipeline) {
                if case .ended = $0 { ended.post(index) }
            }
        }
        for link in links { link.start([.follow]) }
        for transport in transports { _ = await transport.started.wait(count: 1) }
        transports[0].inject([1])
        transports[0].unplug()
        #expect(await ended.wait(count: 1) == [0])
        transports[1].inject([2, 3])
        _ = await transports[1].writes.wait { $0.last == [0x06, 2] }
        links[1].stop()
        _ = await ended.wait(count: 2)
        #expect(sink.readings.count == 3)
    }
}

/// Requests a feature report from a line without any.
private struct FeatureSession: CuffSession {
    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        switch event {
        case .command(.readMemory): actions.append(.writeFeature([1, 2]))
        case .closed: actions.append(.finish(.noAnswer("the line ended")))
        default: break
        }
    }
}

extension CuffDriver {
    fileprivate static var feature: CuffDriver {
        var driver = CuffDriver.byte
        driver.makeSession = { _ in FeatureSession() }
        return driver
    }
}
