import CuffCore
import Testing

/// Pump and valve commands are written only under `measure`.
@Suite struct SafetyTests {
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func startBytes_AreWrittenOnlyUnderMeasure(_ driver: String) throws {
        let driver = try #require(CuffFamilies.named(driver))
        for command in SessionCommand.all where command != .measure {
            for (seed, rate) in [(0, 0.0), (1, 0.01), (2, 0.05), (3, 0.2)] {
                let talk = Conversation(driver, command, faultRate: rate, seed: UInt64(seed), closesAfter: .seconds(120))
                for bytes in talk.writes {
                    for start in driver.startCommands {
                        #expect(!Self.contains(bytes, start), "\(driver.id) wrote \(Hex.text(bytes)) under \(command)")
                    }
                }
            }
        }
    }

    /// Makes the test above meaningful: a driver that measures lists its start bytes, and writes them.
    @Test(arguments: CuffFamilies.all.filter { $0.capabilities.contains(.measure) }.map(\.id.description))
    func measure_WritesTheNamedStartBytes(_ driver: String) throws {
        let driver = try #require(CuffFamilies.named(driver))
        let talk = Conversation(driver, .measure)
        #expect(!driver.startCommands.isEmpty, "\(driver.id) names no start bytes")
        #expect(talk.writes.contains { bytes in driver.startCommands.contains { Self.contains(bytes, $0) } })
    }

    @Test(arguments: CuffFamilies.all.filter { !$0.capabilities.contains(.measure) }.map(\.id.description))
    func measure_WhereItCannot_WritesNothing(_ driver: String) throws {
        let driver = try #require(CuffFamilies.named(driver))
        let talk = Conversation(driver, .measure)
        #expect(talk.writes.isEmpty)
        #expect(talk.outcome?.isUnsupported == true)
    }

    /// Commands missing from the sheet are refused before anything is written.
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func whatTheSheetDoesNotOffer_IsRefusedUnwritten(_ driver: String) throws {
        let driver = try #require(CuffFamilies.named(driver))
        let offers: [(Capabilities, [SessionCommand])] = [
            (.storedReadings, [.readMemory(user: nil)]), (.stop, [.stop]),
            (.setClock, [.setClock(DeviceTime(year: 2026, month: 5, day: 5))]), (.erase, [.clear(user: nil), .clear(user: 1)]),
            (.schedule, [.schedule(.off), .schedule(.every(30))]),
        ]
        for (capability, commands) in offers where !driver.capabilities.contains(capability) {
            for command in commands {
                let talk = Conversation(driver, command)
                #expect(talk.writes.isEmpty, "\(driver.id) writes under \(command)")
                #expect(talk.outcome?.isUnsupported == true, "\(driver.id) \(command)")
            }
        }
    }

    static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty, bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { Array(bytes[$0..<($0 + part.count)]) == part }
    }
}
