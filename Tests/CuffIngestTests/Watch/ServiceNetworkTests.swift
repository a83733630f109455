import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// The network access of the service, derived from its configuration.
@Suite struct ServiceNetworkTests {
    private func need(_ text: String) throws -> ServiceNetwork.Need {
        var configuration = CuffConfiguration()
        try configuration.read(text, file: "test.toml", drivers: CuffFamilies.all)
        return ServiceNetwork(configuration).need
    }

    @Test(arguments: [
        ("", ServiceNetwork.Need.none), ("[sink.a]\nsqlite = \"/tmp/x.db\"", .none), ("[watch]\nweb = \"127.0.0.1:6025\"", .local),
        ("[watch]\nweb = \":6025\"", .local), ("[watch]\nweb = \"0.0.0.0:6025\"", .any), ("[watch]\nweb = \"[::1]:80\"", .local),
        ("[watch]\nlisten = \":6024\"", .local), ("[watch]\nlisten = \"192.0.2.7:6024\"", .any),
        ("[sink.a]\naddress = \"mqtts://u@broker.example/?gateway=x\"", .any), ("[sink.a]\naddress = \"mqtt://u@localhost/\"", .local),
        ("[sink.a]\naddress = \"http://127.0.0.1:8080/x\"", .local), ("[sink.a]\naddress = \"postgres://cuff@db.example/ward\"", .any),
        ("[sink.a]\ntcp = \"localhost:7000\"", .local), ("[sink.a]\ntcp = \"192.0.2.7:7000\"", .any),
        ("[device.a]\nmatch = \"tcp://192.0.2.7:3001\"\ndriver = \"and-std\"", .any),
    ])
    func need_IsThatOfTheFarthest(_ text: String, _ expected: ServiceNetwork.Need) throws {
        #expect(try need(text) == expected)
    }

    @Test func theShippedDropIn_IsTheWrittenOne() throws {
        var configuration = CuffConfiguration()
        try configuration.read("[watch]\nweb = \"0.0.0.0:6025\"", file: "test.toml", drivers: CuffFamilies.all)
        let root = ProjectFolder.url
        let shipped = try String(contentsOf: root.appendingPathComponent("udev-rules/cuff-network.conf"), encoding: .utf8)
        #expect(ServiceNetwork(configuration).dropIn == shipped)
        #expect(ServiceNetwork(CuffConfiguration()).dropIn == nil)
    }
}
