import CuffCore
import Testing

/// What a driver says of users, compared with its captures.
@Suite struct NamedUserTests {
    @Test(arguments: CuffFamilies.all.map(\.id))
    func aUserOfAReading_IsOfADriverThatNamesUsers(_ id: DriverID) throws {
        let driver = try #require(CuffFamilies.named(id.description))
        let hasUser = CaptureFile.own.contains { file in
            file.driver?.id == id && file.expected?.contains { $0.contains("\"user\":") } == true
        }
        #expect(!hasUser || driver.namesUsers)
        // Those that name only the selected one: MicrolifeBPA100.swift.
        #expect(driver.namesSelectedUser == (id == "microlife-bpa100"))
    }
}
