import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Monitors that connect with HL7: many at once, each answered once its readings are on disk.
@Suite struct HL7ListenTests {
    @Test func monitorsThatCall_AreReadAndAnswered() async throws {
        let sink = MemorySink()
        let setup = CallerLinks.Setup(driver: .hl7ORU, commands: [.follow])
        let callers = try CallerLinks("", 0, setup, Pipeline([Pipeline.Member(sink)])) { _ in }
        let bound = LoopBound(callers)
        try EventLoop.shared.sync { Swift.Result { try bound.value.start() } }.get()
        let acknowledged = Mailbox<Int>()
        let monitors = try (0..<3).map { number in
            let script = SimulatorScript(
                records: SimulatedRecord.sample(count: 4, seed: UInt64(number)), interval: .milliseconds(20),
                options: ["variant": ["comen", "loinc", "bare"][number]])
            let monitor = try Simulation(
                driver: .hl7ORU, script: script, on: .connect(host: "127.0.0.1", port: callers.listener.port),
                note: { if $0 == "acknowledged" { acknowledged.post(number) } })
            monitor.start()
            return monitor
        }
        await acknowledged.wait(count: 12, within: .seconds(30))
        for monitor in monitors { monitor.stop() }
        #expect((0..<3).map { number in acknowledged.values.count { $0 == number } } == [4, 4, 4])
        let expected = (0..<3).flatMap { SimulatedRecord.sample(count: 4, seed: UInt64($0)) }.map { [$0.systolic, $0.diastolic] }
        let found = sink.readings.compactMap(\.bloodPressure).map { [Int($0.systolic.inMmHg), Int($0.diastolic.inMmHg)] }
        #expect(found.sorted { $0.lexicographicallyPrecedes($1) } == expected.sorted { $0.lexicographicallyPrecedes($1) })
        EventLoop.shared.sync { bound.value.stop() }
    }

    /// A locked database ends the read, with a negative answer to the sender.
    @Test func aReadThatCannotStore_AnswersAE() async throws {
        let probe = try TCPTransport.listening("127.0.0.1", "0", "test")
        close(probe.descriptor)
        var options = IngestOptions()
        options.moreSinks = [MemorySink(failures: 1000)]
        let listening = Mailbox<String>()
        options.diagnostics = { listening.post($0.sentence) }
        let run = Task { [options] in
            try await onThread {
                try Ingest.read(
                    .tcpListen(host: "", port: probe.port), driver: "hl7-oru", ReadOptions(follows: true), options: options)
            }
        }
        await listening.wait { $0.contains { $0.hasPrefix("listening on ") } }
        let caller = try TCPTransport.connecting("127.0.0.1", String(probe.port), "test")
        defer { close(caller) }
        _ = LineStream.wait(caller, POLLOUT, StopSignal())
        let observations = [("150301^MDC_PRESS_CUFF_SYS^MDC", 128), ("150302^MDC_PRESS_CUFF_DIA^MDC", 82)].map { code, value in
            "OBX||NM|\(code)|1.1.9|\(value)|266016^MDC_DIM_MMHG^MDC|||||F|||20260505073110\r"
        }
        let message = "\u{0B}MSH|^~\\&|Monitor|Ward|||20260505073110||ORU^R01|M1|P|2.6\r" + observations.joined() + "\u{1C}\r"
        #expect(send(caller, message, message.utf8.count, Int32(MSG_NOSIGNAL)) == message.utf8.count)
        var said = ""
        var room = [UInt8](repeating: 0, count: 4096)
        while LineStream.wait(caller, POLLIN, StopSignal()) {
            let count = recv(caller, &room, room.count, 0)
            guard count > 0 else { break }
            said += String(decoding: room[..<count], as: UTF8.self)
        }
        #expect(said.contains("MSA|AE|M1\r"), "\(said)")
        await #expect(throws: IngestError.self) { _ = try await run.value }
    }
}
