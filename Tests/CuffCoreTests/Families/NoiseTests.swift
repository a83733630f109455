import CuffCore
import Testing

/// A line that sends bytes all the time, as a loose cable does: a read ends all the same.
@Suite struct NoiseTests {
    private struct Noise: CuffSimulator {
        let byte: UInt8

        mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
            switch event {
            case .opened, .timerFired: [.write([byte]), .arm(.poll, .milliseconds(300))]
            case .received, .receivedFeature, .closed: []
            }
        }
    }

    /// 06 is an acknowledgement of some families.
    @Test(arguments: CuffFamilies.all.filter { $0.capabilities.contains(.storedReadings) && $0.medium == .tty }.map(\.id.description))
    func aLineThatIsNeverSilent_EndsARead(_ id: String) throws {
        var driver = try #require(CuffFamilies.named(id))
        for byte: UInt8 in [0x41, 0x06] {
            driver.makeSimulator = { _ in Noise(byte: byte) }
            let talk = Conversation(driver, .readMemory(user: nil))
            #expect(talk.outcome != nil && talk.outcome != .complete, "\(id) after \(talk.elapsed / 1_000_000) s of \(byte)")
            #expect(talk.readings.isEmpty)
        }
    }

    @Test(arguments: ["microlife-bpa100", "veroval-bpm25", "veroval-duo"])
    func theseFamilies_CallItNoAnswer_WithinAMinute(_ id: String) throws {
        var driver = try #require(CuffFamilies.named(id))
        for byte: UInt8 in [0x41, 0x06] {
            driver.makeSimulator = { _ in Noise(byte: byte) }
            let talk = Conversation(driver, .readMemory(user: nil))
            guard case .noAnswer? = talk.outcome else { return #expect(Bool(false), "\(id): \(String(describing: talk.outcome))") }
            #expect(talk.elapsed < 60_000_000)
        }
    }
}
