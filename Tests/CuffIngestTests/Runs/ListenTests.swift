import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Cuffs that connect: on loopback, many at once, one after another, and not delayed by a silent one.
@Suite struct ListenTests {
    private static let records = SimulatedRecord.sample(count: 2, seed: 7)

    private func agent(_ number: Int, port: Int) throws -> Simulation {
        let script = SimulatorScript(
            records: Self.records, interval: .milliseconds(30), options: ["system-id": "00091ffffe00010\(number)"])
        let agent = try Simulation(driver: .phd, script: script, on: .connect(host: "127.0.0.1", port: port))
        agent.start()
        return agent
    }

    private func setup(_ commands: [SessionCommand] = [.readMemory(user: nil)], limit: Duration? = .seconds(10)) -> CallerLinks.Setup {
        var driver = CuffDriver.phd
        driver.associationLimit = limit
        return CallerLinks.Setup(driver: driver, commands: commands, options: ["patience": "30"])
    }

    private struct Left: Sendable, Equatable { var readings: Int, bytes: Int, remaining: Int }

    private func callers(
        _ setup: CallerLinks.Setup, _ sink: MemorySink, _ left: Mailbox<Left>, _ empty: Mailbox<Bool>
    ) throws -> CallerLinks {
        let callers = try CallerLinks("", 0, setup, Pipeline([Pipeline.Member(sink)])) { news in
            switch news {
            case .left(_, _, let counters, let remaining):
                left.post(Left(readings: counters.readings, bytes: counters.bytes, remaining: remaining))
            case .empty: empty.post(true)
            case .came, .link, .refused: break
            }
        }
        try onLoop(callers) { callers in Swift.Result { try callers.start() } }.get()
        return callers
    }

    private func onLoop<Value: Sendable>(_ callers: CallerLinks, _ body: @escaping @Sendable (CallerLinks) -> Value) -> Value {
        let bound = LoopBound(callers)
        return EventLoop.shared.sync { body(bound.value) }
    }

    private func silentCaller(_ port: Int) throws -> Int32 {
        let descriptor = try TCPTransport.connecting("127.0.0.1", String(port), "test")
        _ = LineStream.wait(descriptor, POLLOUT, StopSignal())
        return descriptor
    }

    @Test func withoutAnAddress_ItIsLoopback() throws {
        for host in ["", "127.0.0.1"] {
            let (descriptor, _) = try TCPTransport.listening(host, "0", "test")
            defer { close(descriptor) }
            var name = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            #expect(result == 0 && name.sin_family == sa_family_t(AF_INET))
            #expect(UInt32(bigEndian: name.sin_addr.s_addr) == 0x7F00_0001)
        }
    }

    @Test func oneAfterTheOther_AndAtOnce_EachIsReadWhole() async throws {
        let (sink, left, empty) = (MemorySink(), Mailbox<Left>(), Mailbox<Bool>())
        let callers = try callers(setup(), sink, left, empty)
        let silent = try silentCaller(callers.listener.port)
        defer { close(silent) }
        let first = try agent(1, port: callers.listener.port)
        await left.wait { $0.count { $0.readings > 0 } == 1 }
        first.stop()
        let more = try (2...4).map { try agent($0, port: callers.listener.port) }
        await left.wait { $0.count { $0.readings > 0 } == 4 }
        for agent in more { agent.stop() }
        // A simulated agent connects again until it is stopped, without new readings.
        #expect(left.values.map(\.readings).filter { $0 > 0 } == [2, 2, 2, 2])
        let devices = Set(sink.batches.filter { !$0.entries.isEmpty }.map(\.device))
        #expect(devices.count == 4, "\(devices)")
        #expect(sink.readings.count == 8)
        onLoop(callers) { $0.stop() }
        await empty.wait(count: 1)
        #expect(onLoop(callers) { $0.counters.readings } == 8)
    }

    @Test func aSilentCaller_AndOneThatSpeaksNonsense_AreDropped() async throws {
        let (sink, left, empty) = (MemorySink(), Mailbox<Left>(), Mailbox<Bool>())
        let callers = try callers(setup(limit: .milliseconds(300)), sink, left, empty)
        let silent = try silentCaller(callers.listener.port)
        let noisy = try silentCaller(callers.listener.port)
        defer {
            close(silent)
            close(noisy)
        }
        #expect(send(noisy, "GET / HTTP/1.1\r\n\r\n", 18, Int32(MSG_NOSIGNAL)) == 18)
        await left.wait(count: 2)
        // The peer sees the end of the stream.
        var byte: UInt8 = 0
        _ = LineStream.wait(silent, POLLIN, StopSignal())
        #expect(recv(silent, &byte, 1, 0) == 0)
        #expect(onLoop(callers) { $0.count } == 0)
        onLoop(callers) { $0.stop() }
        await empty.wait(count: 1)
    }

    @Test func callersBeyondTheLimit_AreHungUpOn() async throws {
        let (sink, left, empty) = (MemorySink(), Mailbox<Left>(), Mailbox<Bool>())
        let refused = Mailbox<String>()
        let callers = try CallerLinks("127.0.0.1", 0, setup(limit: nil), Pipeline([Pipeline.Member(sink)])) { news in
            if case .refused(let place) = news { refused.post(place) }
            if case .empty = news { empty.post(true) }
        }
        try onLoop(callers) { callers in Swift.Result { try callers.start() } }.get()
        var descriptors: [Int32] = []
        for _ in 0...CallerLinks.limit { descriptors.append(try silentCaller(callers.listener.port)) }
        defer { for descriptor in descriptors { close(descriptor) } }
        await refused.wait(count: 1)
        #expect(onLoop(callers) { $0.count } == CallerLinks.limit)
        #expect(left.values.isEmpty)
        onLoop(callers) { $0.stop() }
        await empty.wait(count: 1)
    }

    /// Those that have sent nothing make room for a monitor that tries again.
    @Test func silentCallers_DoNotKeepThePort() async throws {
        let (sink, made, left, empty) = (MemorySink(), Mailbox<Bool>(), Mailbox<Bool>(), Mailbox<Bool>())
        var setup = CallerLinks.Setup(driver: .hl7ORU, commands: [.follow])
        setup.patience = .zero
        setup.wrap = { transport, _ in
            made.post(true)
            return transport
        }
        let callers = try CallerLinks("127.0.0.1", 0, setup, Pipeline([Pipeline.Member(sink)])) { news in
            if case .left = news { left.post(true) }
            if case .empty = news { empty.post(true) }
        }
        try onLoop(callers) { callers in Swift.Result { try callers.start() } }.get()
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        for _ in 0..<CallerLinks.limit { descriptors.append(try silentCaller(callers.listener.port)) }
        await made.wait(count: CallerLinks.limit)
        #expect(onLoop(callers) { $0.count } == CallerLinks.limit && left.values.isEmpty)
        descriptors.append(try silentCaller(callers.listener.port))
        // All but the last ones, which may still be set up.
        await left.wait(count: CallerLinks.limit / 2)
        let acknowledged = Mailbox<Bool>()
        let monitor = try Simulation(
            driver: .hl7ORU, script: SimulatorScript(records: Self.records, interval: .milliseconds(20)),
            on: .connect(host: "127.0.0.1", port: callers.listener.port), note: { if $0 == "acknowledged" { acknowledged.post(true) } })
        monitor.start()
        await acknowledged.wait(count: Self.records.count)
        #expect(sink.readings.map { $0.bloodPressure?.systolic } == Self.records.map { .mmHg($0.systolic) })
        monitor.stop()
        onLoop(callers) { $0.stop() }
        await empty.wait(count: 1)
    }

    /// Its transport is made on a worker, which takes its time: the port is closed meanwhile.
    @Test func aCallerThatIsBeingSetUp_IsStoppedAsTheOthersAre() async throws {
        let (notices, isMade) = (Mailbox<String>(), Gate(isOpen: false))
        var setup = setup(limit: nil)
        setup.wrap = { transport, _ in
            isMade.pass()
            return transport
        }
        let callers = try CallerLinks("127.0.0.1", 0, setup, Pipeline([Pipeline.Member(MemorySink())])) { news in
            switch news {
            case .came: notices.post("came")
            case .left: notices.post("left")
            case .empty: notices.post("empty")
            case .link, .refused: break
            }
        }
        try onLoop(callers) { callers in Swift.Result { try callers.start() } }.get()
        let silent = try silentCaller(callers.listener.port)
        defer { close(silent) }
        await notices.wait(count: 1)
        onLoop(callers) { $0.stop() }
        #expect(notices.values == ["came"] && onLoop(callers) { $0.count } == 1)
        isMade.set(open: true)
        #expect(await notices.wait(count: 3) == ["came", "left", "empty"])
        #expect(onLoop(callers) { $0.count } == 0)
    }

    @Test func reading_EndsWhenSomebodyWasRead_AndNobodyIsLeft() async throws {
        let probe = try TCPTransport.listening("127.0.0.1", "0", "test")
        close(probe.descriptor)
        let sink = MemorySink()
        var options = IngestOptions()
        options.moreSinks = [sink]
        let listening = Mailbox<String>()
        options.diagnostics = { listening.post($0.sentence) }
        let run = Task { [options] in
            try await onThread { try Ingest.read(.tcpListen(host: "", port: probe.port), driver: "phd", options: options) }
        }
        await listening.wait { $0.contains { $0.hasPrefix("listening on tcp-listen://127.0.0.1:") } }
        let agent = try agent(1, port: probe.port)
        let report = try await run.value
        agent.stop()
        #expect(report.status == .done && report.counters.readings == 2)
        #expect(sink.readings.count == 2)
    }

    /// As over a serial line: a minute, or as the option says.
    @Test func reading_EndsWhereNobodyCalls() async throws {
        let probe = try TCPTransport.listening("127.0.0.1", "0", "test")
        close(probe.descriptor)
        var options = IngestOptions()
        options.moreSinks = [MemorySink()]
        options.driverOptions = ["patience": "1"]
        let report = try await onThread { [options] in
            try Ingest.read(.tcpListen(host: "", port: probe.port), driver: "phd", options: options)
        }
        #expect(report.status == .unavailable)
        #expect(report.endings.first?.description == "tcp-listen://127.0.0.1:\(probe.port): no cuff connected within 1 s")
        #expect(CuffDriver.phd.callLimit([:]) == .seconds(60) && CuffDriver.hl7ORU.callLimit([:]) == .seconds(60))
    }

    @Test(arguments: [
        ("", "tcp-listen://:6024=phd"), (":7000", "tcp-listen://:7000=phd"), ("0.0.0.0:7000=and-std", "tcp-listen://0.0.0.0:7000=and-std"),
        ("[::1]", "tcp-listen://[::1]:6024=phd"), ("tcp-listen://box:1", "tcp-listen://box:1=phd"),
    ]) func aPlan_IsReadAsItIsSaid(_ text: String, _ plan: String) throws {
        #expect(try ListenPlan(text).description == plan)
    }

    @Test(arguments: ["x:99999", "x:y", "127.0.0.1:6024=nobody", "127.0.0.1:6024=omron-hid"]) func aWrongPlan_IsRefused(_ text: String) {
        #expect(throws: IngestError.self) { _ = try ListenPlan(text) }
    }
}
