import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Monitors that call with HL7: many at once, each answered once its readings are on disk.
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
}
