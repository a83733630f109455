import CuffCore
import Testing

@testable import AcmeDriver

/// A driver is tested with its simulator: no device, no thread, no clock.
@Suite struct AcmeDriverTests {
    /// The readings of everything that the simulated cuff sends, in pieces of `size` bytes.
    private func readings(_ script: SimulatorScript, inPiecesOf size: Int = 64, damaged: Int? = nil) -> [Reading] {
        var (cuff, session) = (CuffDriver.acme.makeSimulator(script), CuffDriver.acme.makeSession(SessionContext()))
        var line: [UInt8] = []
        for case .write(let bytes) in cuff.handle(.opened) { line += bytes }
        if let damaged { line[damaged] ^= 0x10 }
        var readings: [Reading] = []
        for start in stride(from: 0, to: line.count, by: size) {
            for case .emit(let reading) in session.handle(.received(Array(line[start..<min(start + size, line.count)]))) {
                readings.append(reading)
            }
        }
        return readings
    }

    @Test(arguments: [1, 3, 64]) func results_AreThoseOfTheCuff(_ size: Int) {
        let script = SimulatorScript()
        let expected = script.records.map { BloodPressure.mmHg($0.systolic, $0.diastolic, pulse: $0.pulse) }
        #expect(expected.count == 3)
        #expect(readings(script, inPiecesOf: size).map(\.bloodPressure) == expected)
    }

    @Test func aDamagedFrame_IsNoReading() {
        for byte in 0..<5 { #expect(readings(SimulatorScript(), damaged: byte).count == 2, "byte \(byte)") }
    }
}
