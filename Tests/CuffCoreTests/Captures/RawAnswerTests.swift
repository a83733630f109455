import CuffCore
import Testing

/// What a driver says of the cuff's bytes, compared with its captures.
@Suite struct RawAnswerTests {
    private static func own(_ id: DriverID) -> [CaptureFile] { CaptureFile.own.filter { $0.driver?.id == id && $0.expected != nil } }

    /// The cuff's bytes alone, as a file of raw bytes has them.
    @Test(arguments: CuffFamilies.all.map(\.id))
    func bytesWithoutRequests_HoldNoReading_WhereTheDriverNeedsThem(_ id: DriverID) throws {
        let driver = try #require(CuffFamilies.named(id.description))
        let readings = Self.own(id).filter { $0.expected?.contains { $0.contains("\"blood_pressure\"") } == true }.map { file in
            let answers = file.items.compactMap { item in
                if case .fromCuff = item.content { CaptureItem(item.content) } else { CaptureItem?.none }
            }
            return Played(answers, driver: driver).lines.count { $0.contains("\"blood_pressure\"") }
        }
        #expect(!readings.isEmpty)
        #expect(readings.allSatisfy { $0 == 0 } == driver.needsRequests, "readings of each capture, without its requests: \(readings)")
    }

    @Test(arguments: CuffFamilies.all.map(\.id))
    func aUserOfAReading_IsOfADriverThatNamesUsers(_ id: DriverID) throws {
        let driver = try #require(CuffFamilies.named(id.description))
        let hasUser = Self.own(id).contains { $0.expected?.contains { $0.contains("\"user\":") } == true }
        #expect(!hasUser || driver.namesUsers)
        // Those that name only the selected one: MicrolifeBPA100.swift.
        #expect(driver.namesSelectedUser == (id == "microlife-bpa100"))
    }
}
