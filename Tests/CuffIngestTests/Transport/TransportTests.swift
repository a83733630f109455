import CLinux
import CuffCore
import Dispatch
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// A pseudo terminal whose master is held by the test.
final class Pty: Sendable {
    let master: Int32
    let path: String
    private let isOpen = Locked(true)

    init() {
        var name = [CChar](repeating: 0, count: 64)
        master = clinux_open_pty(&name, 64)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    deinit { hangUp() }
    func hangUp() {
        isOpen.withLock {
            if $0 { close(master) }; $0 = false
        }
    }
    func write(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) } }
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(master, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
    /// Waits for this many bytes: the kernel delivers them a moment after the write. Fewer after ten seconds of silence.
    func read(_ count: Int) async throws -> [UInt8] { try await onThread { self.waitFor(count) } }
    /// Writes this when so many bytes have come, on a thread of its own: a device does not wait for the test runner.
    func write(_ bytes: [UInt8], after count: Int) {
        Thread.detachNewThread {
            _ = self.waitFor(count)
            self.write(bytes)
        }
    }
    private func waitFor(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while bytes.count < count, poll(&entry, 1, 10_000) > 0 { bytes += read() }
        return bytes
    }
    func settings() -> termios {
        var settings = termios()
        tcgetattr(master, &settings)
        return settings
    }
}

@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    private final class Line: Sendable {
        let loop = EventLoop.shared
        let events = Mailbox<TransportEvent>()
        nonisolated(unsafe) let transport: any Transport

        init(_ transport: any Transport) throws {
            self.transport = transport
            let events = events
            try transport.open()
            try loop.sync { [self] () -> Result<Void, IngestError> in
                do throws(IngestError) { try self.transport.start(on: loop) { events.post($0) } } catch { return .failure(error) }
                return .success(())
            }.get()
        }
        func write(_ bytes: [UInt8]) { loop.async { self.transport.write(bytes) } }
        func pause() { loop.sync { self.transport.pause() } }
        func resume() { loop.sync { self.transport.resume() } }
        func close() { loop.sync { self.transport.close() } }

        static func bytes(_ events: [TransportEvent]) -> [UInt8] {
            events.flatMap { if case .received(let bytes) = $0 { bytes } else { [UInt8]() } }
        }
        static func fault(_ events: [TransportEvent]) -> TransportFault?? {
            for case .closed(let fault) in events { return .some(fault as? TransportFault) }
            return nil
        }
        func received(_ count: Int) async -> [UInt8] {
            Self.bytes(await events.wait { Self.bytes($0).count >= count })
        }
        func closed() async -> TransportFault? {
            Self.fault(await events.wait { Self.fault($0) != nil }) ?? nil
        }
    }

    @Test(arguments: [(9600, 8), (115_200, 8), (250_000, 8), (19_200, 7)])
    func tty_IsRawAtAnyRate(_ rate: Int, _ bits: Int) async throws {
        let pty = Pty()
        var settings = LineSettings(rate: rate)
        settings.dataBits = bits
        let line = try Line(TTYTransport(path: pty.path, line: settings))
        let after = pty.settings()
        #expect(after.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
        #expect(after.c_oflag & tcflag_t(OPOST) == 0)
        #expect(after.c_iflag & tcflag_t(ICRNL | IXON | ISTRIP) == 0)
        #expect(after.c_cflag & tcflag_t(HUPCL) == 0)
        #expect(after.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
        var shown: UInt32 = 0
        #expect(clinux_get_rate(pty.master, &shown) == 0)
        #expect(Int(shown) == rate)
        line.close()
        #expect(await line.closed() == nil)
    }

    /// Settings that a pseudo terminal cannot keep are not requested: otherwise a second opening would have nothing to change.
    @Test func tty_WithParity_OpensAgain() async throws {
        let pty = Pty()
        for _ in 0..<3 {
            let line = try Line(TTYTransport(path: pty.path, line: LineSettings(rate: 19200, parity: .even, flow: .hardware)))
            line.close()
            #expect(await line.closed() == nil)
        }
    }

    @Test func tty_PassesEveryByteBothWays() async throws {
        let pty = Pty()
        let line = try Line(TTYTransport(path: pty.path, line: LineSettings()))
        let all = (0...255).map { UInt8($0) }
        pty.write(all)
        #expect(await line.received(256) == all)
        line.write(all)
        let events = await line.events.wait { $0.contains { if case .sent = $0 { true } else { false } } }
        #expect(events.contains { if case .sent(let bytes) = $0 { bytes == all } else { false } })
        #expect(try await pty.read(256) == all)
        line.close()
    }

    /// The kernel's error counts are reported before the bytes of the same read, each kind separately and once per change.
    @Test func tty_DamageOnTheLine_IsToldBeforeItsBytes() async throws {
        var framing = clinux_line_errors()
        framing.framing = 3
        var parity = framing
        parity.parity = 1
        var overrun = parity
        overrun.overrun = 2
        var lost = overrun
        lost.lost = 1
        var broken = lost
        broken.line_break = 7
        // At the opening, with earlier errors; then for each read.
        let counts: [(clinux_line_errors?, CaptureEvent?)] = [
            (framing, nil), (parity, .parityError), (parity, nil), (overrun, .overrun), (lost, .overrun), (broken, .lineBreak),
            (clinux_line_errors(), nil), (nil, nil), (framing, nil),
        ]
        let next = Locked(0)
        let pty = Pty()
        let line = try Line(
            TTYTransport(path: pty.path, line: LineSettings()) { _ in
                next.withLock { number in
                    defer { number += 1 }
                    return number < counts.count ? counts[number].0 : nil
                }
            })
        for number in 1..<counts.count {
            pty.write([UInt8(number)])
            _ = await line.received(number)
        }
        var told: [UInt8: [CaptureEvent]] = [:]
        var waiting: [CaptureEvent] = []
        for event in await line.events.wait(until: { Line.bytes($0).count == counts.count - 1 }) {
            if case .line(let event) = event { waiting.append(event) }
            guard case .received(let bytes) = event, let first = bytes.first else { continue }
            told[first] = waiting
            waiting = []
        }
        for (number, (_, expected)) in counts.enumerated().dropFirst() where number != 6 {
            #expect(told[UInt8(number)] == (expected.map { [$0] } ?? []), "read \(number)")
        }
        // After a driver resets its counts, every kind has changed; after one stops counting, it is not asked again.
        #expect(told[6] == [.framingError, .parityError, .overrun, .lineBreak])
        #expect(next.withLock { $0 } == 8)
        line.close()
    }

    @Test func tty_HangUp_IsUnpluggedAfterTheLastBytes() async throws {
        let pty = Pty()
        let line = try Line(TTYTransport(path: pty.path, line: LineSettings()))
        pty.write([1, 2, 3])
        _ = await line.received(3)
        pty.hangUp()
        #expect(await line.closed() == .unplugged)
    }

    @Test func tty_Paused_ReadsNothing_AndNothingIsLost() async throws {
        let pty = Pty()
        let line = try Line(TTYTransport(path: pty.path, line: LineSettings()))
        // Another line of the same loop: once its byte arrives, all earlier events were delivered.
        let witness = Pty()
        let other = try Line(TTYTransport(path: witness.path, line: LineSettings()))
        func settle(_ count: Int) async {
            witness.write([0])
            _ = await other.received(count)
            line.loop.sync {}
        }
        line.pause()
        pty.write([1, 2, 3])
        await settle(1)
        // One event may have been in flight when the pause came; then the kernel queues bytes.
        let early = Line.bytes(line.events.values).count
        pty.write([4, 5, 6])
        await settle(2)
        #expect(Line.bytes(line.events.values).count == early)
        other.close()
        line.resume()
        #expect(await line.received(6) == [1, 2, 3, 4, 5, 6])
        line.close()
    }

    @Test func tty_LongWrite_IsTakenInParts() async throws {
        let pty = Pty()
        let line = try Line(TTYTransport(path: pty.path, line: LineSettings()))
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        line.write(bytes)
        var seen: [UInt8] = []
        while seen.count < bytes.count {
            let more = pty.read()
            seen += more
            if more.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(seen == bytes)
        line.close()
    }

    @Test func tty_Pace_PutsTimeBetweenBytes() async throws {
        let pty = Pty()
        let line = try Line(TTYTransport(path: pty.path, line: LineSettings(), pace: .milliseconds(5)))
        let start = ContinuousClock.now
        line.write([1, 2, 3, 4, 5])
        await line.events.wait { $0.contains { if case .sent = $0 { true } else { false } } }
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(try await pty.read(5) == [1, 2, 3, 4, 5])
        line.close()
    }

    @Test func tty_IsOneProgramsAtATime() async throws {
        let pty = Pty()
        let line = try Line(TTYTransport(path: pty.path, line: LineSettings()))
        #expect { try Line(TTYTransport(path: pty.path, line: LineSettings())) } throws: {
            ($0 as? IngestError)?.status == .tryAgain
        }
        line.close()
        // Closing a line may wait for its output, so a worker does it; the line is free after `closed`.
        #expect(await line.closed() == nil)
        let again = try Line(TTYTransport(path: pty.path, line: LineSettings()))
        again.close()
    }

    @Test func tty_WhatDoesNotOpen_IsSaid() {
        let folder = TestFolder()
        let file = folder.write("bytes", "x")
        let cases: [(String, RunStatus)] = [
            ("/dev/ttyNOTHERE", .unavailable), (file, .noInput), (folder.path, .noInput), ("/dev/null", .noInput),
        ]
        for (path, status) in cases {
            #expect {
                _ = try Line(TTYTransport(path: path, line: LineSettings()))
            } throws: { error in
                (error as? IngestError)?.status == status
            }
        }
    }

    /// Descriptors that hang up at once on several queues crash Dispatch if each has its own source.
    @Test func manyHangUpsAtOnce_AreAllTold_AndDescriptorsReturn() async throws {
        func descriptors() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
        let before = descriptors()
        for _ in 0..<5 {
            let ptys = (0..<32).map { _ in Pty() }
            let lines = try ptys.map { try Line(TTYTransport(path: $0.path, line: LineSettings())) }
            for (index, pty) in ptys.enumerated() { pty.write([UInt8(index)]) }
            for (index, line) in lines.enumerated() { #expect(await line.received(1) == [UInt8(index)]) }
            DispatchQueue.concurrentPerform(iterations: ptys.count) { ptys[$0].hangUp() }
            for line in lines { #expect(await line.closed() == .unplugged) }
        }
        // Other tests temporarily have descriptors of their own.
        for _ in 0..<2000 where descriptors() >= before + 32 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(descriptors() < before + 32)
    }

    @Test func hid_KeepsReportsApart_AndPrefixesTheirNumber() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let line = try Line(HIDRawTransport(descriptor: ends[0]))
        for report in [[UInt8(1), 2], [3], [4, 5, 6]] { _ = report.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } }
        let events = await line.events.wait { $0.count >= 4 }
        let reports = events.compactMap { event -> [UInt8]? in
            if case .received(let bytes) = event { bytes } else { nil }
        }
        #expect(reports == [[1, 2], [3], [4, 5, 6]])
        line.write([7, 8])
        await line.events.wait { $0.count >= 5 }
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(read(ends[1], &buffer, 16) == 3)
        #expect(buffer.prefix(3) == [0, 7, 8])
        line.close()
    }

    @Test func tcp_ConnectsAndListens() async throws {
        let probe = try TCPTransport.listening("127.0.0.1", "0", "tcp-listen://127.0.0.1:0")
        close(probe.descriptor)
        let server = try Line(TCPTransport(host: "127.0.0.1", port: probe.port, role: .listen))
        let client = try Line(TCPTransport(host: "127.0.0.1", port: probe.port, role: .connect))
        // Nothing can be written before a transport is open.
        await client.events.wait { $0.contains { if case .opened = $0 { true } else { false } } }
        client.write([1, 2, 3])
        #expect(await server.received(3) == [1, 2, 3])
        server.write([4])
        #expect(await client.received(1) == [4])
        client.close()
        #expect(await server.closed() == nil)
    }

    @Test func tcp_NobodyThere_IsAFault() async throws {
        let probe = try TCPTransport.listening("127.0.0.1", "0", "tcp-listen://127.0.0.1:0")
        close(probe.descriptor)
        let client = try Line(TCPTransport(host: "127.0.0.1", port: probe.port, role: .connect))
        #expect(await client.closed() == .failed(call: "connect", errno: ECONNREFUSED))
    }

    @Test func recording_HoldsBothDirections() async throws {
        let folder = TestFolder()
        let pty = Pty()
        let writer = try CaptureWriter(folder.file("a.capture"), driver: .byte)
        let line = try Line(RecordingTransport(TTYTransport(path: pty.path, line: LineSettings()), to: writer))
        pty.write([1, 2])
        _ = await line.received(2)
        line.write([3])
        await line.events.wait { $0.contains { if case .sent = $0 { true } else { false } } }
        pty.hangUp()
        _ = await line.closed()
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        try reader.read(Array(folder.text("a.capture").utf8), into: &items)
        #expect(items.map(\.content) == [.fromCuff([1, 2]), .toCuff([3]), .event(.unplugged)])
        #expect(items.allSatisfy { $0.time != nil })
        #expect(reader.header["driver"] == "byte")
        #expect(folder.mode("a.capture") == 0o600)
        #expect {
            _ = try CaptureWriter(folder.file("a.capture"), driver: .byte)
        } throws: { error in
            (error as? IngestError)?.status == .cannotCreate
        }
    }

    /// The and-std check is one byte, so some double faults in a frame pass: these seeds have none.
    @Test(arguments: UInt64(1)...15) func faultyLine_NeverMakesAReadingThatWasNotSent(_ seed: UInt64) async throws {
        let records = SimulatedRecord.sample(count: 60, seed: seed)
        var simulator = CuffDriver.andStd.makeSimulator(SimulatorScript(records: records))
        let loop = LoopTransport()
        let faults = FaultyTransport.Faults(split: 0.3, drop: 0.001, flip: 0.003, double: 0.001)
        let sink = MemorySink()
        let pipeline = Pipeline([Pipeline.Member(sink)])
        let ended = Mailbox<Bool>()
        let link = TestLink(driver: .andStd, transport: FaultyTransport(loop, faults, seed: seed), pipeline: pipeline) {
            if case .ended = $0 { ended.post(true) }
        }
        link.start([.follow])
        _ = await loop.started.wait(count: 1)
        _ = simulator.handle(.opened)
        for _ in records {
            for case .write(let bytes) in simulator.handle(.timerFired(.poll)) { loop.inject(bytes) }
        }
        loop.unplug()
        _ = await ended.wait(count: 1)
        try await onThread { try pipeline.finish() }
        let sent = Set(records.map { "\($0.systolic)/\($0.diastolic)/\($0.pulse)" })
        for reading in sink.readings {
            let pressure = try #require(reading.bloodPressure)
            let pulse = pressure.pulse?.digits.mantissa ?? 0
            let text = "\(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa)/\(pulse)"
            #expect(sent.contains(text))
        }
        #expect(sink.readings.count > 30)
        #expect(sink.readings.count < 60)
    }
}
