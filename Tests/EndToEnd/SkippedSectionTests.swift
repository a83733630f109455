import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// A watch reads the configuration without its wrong sections; every other command refuses the file.
@Suite struct SkippedSectionTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func load(_ text: String, _ skipping: CuffConfiguration.Skipping = .sections) throws -> CuffConfiguration {
        try CuffConfiguration.load(try scratch.write("c.toml", text), skipping: skipping)
    }

    @Test(arguments: [
        ("device", "[device.a]\nmatch = \"port:1-1\"\ndrvier = \"taidoc\""), ("device", "[device.a]\ndriver = \"taidoc\""),
        ("person", "[person.Anna]\ncufs = []"), ("sink", "[sink.a]\njsonl = 3\nrequired = false"),
        ("alert", "[alert.a]\nwhen = \"warm\""), ("alert", "[alert.a]\nwhen = \"systolic >= 160\"\nperson = \"Carla\""),
        ("watch", "[watch]\nweb = \"nowhere:x\""), ("watch", "[watch]\nfoo = 1"), ("foo", "[foo]\na = 1"), ("device", "[device]\na = 1"),
    ])
    func oneWrongSection_IsLeftOut(_ kind: String, _ wrong: String) throws {
        let right = "[device.b]\nmatch = \"port:1-2\"\ndriver = \"taidoc\"\n"
        let text = wrong.hasPrefix("[device]") ? wrong + "\n" + right : right + wrong
        let found = try load(text)
        #expect(found.skipped.map(\.kind) == [kind], "\(found.skipped)")
        #expect(found.skipped.first?.fault.status == .badConfiguration)
        #expect(found.devices.contains { $0.name == "b" && $0.driver == "taidoc" })
        #expect(throws: IngestError.self) { try load(text, .none) }
    }

    /// A section may have said that the device must never be opened.
    @Test func theDeviceOfAWrongSection_StaysClosed() throws {
        let found = try load("[device.a]\nmatch = \"port:1-1\"\nignor = true\n")
        let device = try #require(found.devices.first)
        #expect(device.address == .port("1-1", channel: nil) && device.driver == nil)
        #expect(found.assignments.count == 1 && found.assignments[0].driver == nil)
    }

    /// A cuff is told that a reading is safe when every required sink has it, so an unknown required sink refuses the file.
    @Test(arguments: ["[sink.a]\njsonl = 3\n", "[sink.a]\njsonl = 3\nrequired = true\n", "[sink.a]\nrequired = \"no\"\n"])
    func aRequiredSink_IsNotLeftOut(_ text: String) throws {
        #expect(throws: IngestError.self) { try load(text) }
    }

    @Test func aFileThatIsNotTOML_IsRefused() throws {
        #expect(throws: IngestError.self) { try load("[device.a\n") }
    }

    @Test func otherKeysOfAWatch_Hold() throws {
        let found = try load("[watch]\nagain = \"soon\"\nweb = \"127.0.0.1:6025\"\nlisten = \"127.0.0.1:6024\"\n")
        #expect(found.web?.port == 6025 && found.listens.count == 1 && found.again == nil && found.skipped.count == 1)
    }

    // MARK: The service's database

    @Test func theServicesDatabase_IsNamed_IfTheUserHasNone() throws {
        #expect(Store.serviceDatabase(below: scratch.url.path) == nil)
        try FileManager.default.createDirectory(atPath: scratch.path("cuff"), withIntermediateDirectories: true)
        #expect(Store.serviceDatabase(below: scratch.url.path) == nil, "an empty folder")
        _ = try scratch.write("cuff/readings.db", "")
        #expect(Store.serviceDatabase(below: scratch.url.path) == scratch.path("cuff/readings.db"))
        let own = try #require(Store.standardPath)
        #expect(Store.missing(own, service: "/s/readings.db") == .onlyOfService(own: own, service: "/s/readings.db"))
        #expect(Store.missing(own, service: nil) == .notThere(own, isStandard: true))
        #expect(Store.missing("/x.db", service: "/s/readings.db") == .notThere("/x.db", isStandard: false))
    }
}
