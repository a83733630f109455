import Testing

@testable import CuffCore

/// A pulse of 0 was not measured; the pressures count.
@Suite struct ZeroPulseTests {
    private static let omron: [UInt8] = [0x4F, 0x4B, 0x00, 26, 5, 5, 7, 33, 10, 0, 0, 128, 82, 0, 0]

    @Test func aStoredPulseOfZero_IsAbsent() throws {
        let readings = [
            BeurerHIDReport.reading([128 - 25, 82 - 25, 0, 5, 5, 7, 33, 26], after: []),
            MicrolifeHIDFrame.reading(([128, 82, 0, 26, 5, 5, 7, 33, 0x80, 0] as [UInt8]).span, at: 0),
            OmronRecord.reading(Self.omron, of: OmronQuestion(.reading, [0, 0, 0, 0])),
        ]
        for reading in readings {
            let pressure = try #require(reading?.bloodPressure)
            #expect(pressure.pulse == nil && pressure.pulseAbsence == .notMeasured, "\(pressure)")
            #expect(pressure.systolic == .mmHg(128) && pressure.diastolic == .mmHg(82))
        }
    }
}
