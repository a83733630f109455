import CuffCore
import Testing

@testable import CuffIngest

@Suite struct TransportKindTests {
    @Test func everyExample_IsAnAddress_ThatItsKindOpens() throws {
        for kind in TransportKind.all {
            let address = try DeviceAddress(kind.example)
            let medium: CuffDriver.Medium = kind.name == "hidraw" ? .hidraw : .tty
            let request = TransportKind.Request(address: address, medium: medium, line: LineSettings())
            // A CP2110 is recognised by the node's name only.
            #expect(kind.open(request) != nil, "\(kind)")
            #expect(TransportKind.all.filter { $0.open(request) != nil }.count == 1, "\(kind): one kind opens it")
        }
    }

    @Test(arguments: [
        (DeviceAddress.node("/dev/pts/3"), CuffDriver.andStd, "TTYTransport"), (.node("/dev/hidraw3"), .omronHID, "HIDRawTransport"),
        (.node("/dev/hidraw3"), .andStd, "CP2110Transport"), (.tcp(host: "h", port: 1), .andStd, "TCPTransport"),
        (.tcpListen(host: "", port: 1), .phd, "TCPTransport"), (.node("/dev/bus/usb/001/002"), .phd, "USBTransport"),
        (.node("/dev/bus/usb/001/002"), .visomatUSB, "USBTransport"), (.node("/dev/pts/3"), .visomatUSB, "TTYTransport"),
    ])
    func address_IsOpenedByItsTransport(_ address: DeviceAddress, _ driver: CuffDriver, _ type: String) throws {
        #expect("\(Swift.type(of: try address.transport(for: driver)))" == type)
    }

    @Test func choiceAmongDevices_IsNotOpened() {
        for address in [DeviceAddress.automatic, .port("1-1", channel: nil), .other(scheme: "relay", rest: "7")] {
            #expect(throws: AddressFault.self, "\(address)") { try address.transport(for: .andStd) }
        }
    }

    @Test func forms_NameEveryKindOnce() {
        let forms = TransportKind.forms().components(separatedBy: ", ")
        let places = ["/dev/serial/by-id/…", "usb:VVVV:PPPP[:SERIAL]", "port:1-1.2", "auto"]
        #expect(Set(forms) == Set(places + TransportKind.all.map(\.form).filter { !$0.isEmpty }))
        #expect(forms.count == Set(forms).count && forms.contains("tcp://host:port") && forms.contains("/dev/ttyUSB0"), "\(forms)")
        #expect(TransportKind.subsystems() == ["tty", "hidraw", "usb"])
    }

    @Test func ownKind_IsOneMoreOfTheList() throws {
        let kinds = TransportKind.all + [.relay]
        let address = try DeviceAddress("relay://ward-2/7", among: kinds)
        #expect(address == .other(scheme: "relay", rest: "ward-2/7"))
        #expect(try DeviceAddress("\(address)", among: kinds) == address)
        #expect(try address.transport(for: .andStd, among: kinds).address == "/relay/ward-2/7")
        #expect(try Assignment("relay://ward-2/7=and-std", among: kinds).address == address)
        #expect(try DevicePlace("relay://ward-2/7", driver: "and-std", among: kinds).address == address)
        let fault = #expect(throws: AddressFault.self) { try DeviceAddress("relay://", among: kinds) }
        #expect(fault?.reason == "name a line, as in relay://ward-2/7")
        let unknown = #expect(throws: AddressFault.self) { try DeviceAddress("serial9", among: kinds) }
        #expect(unknown?.reason.contains("relay://LINE") == true, "\(unknown?.reason ?? "")")
        #expect(throws: AddressFault.self) { try DeviceAddress("relay://ward-2/7") }
    }
}

extension TransportKind {
    fileprivate static let relay = TransportKind(
        "relay", form: "relay://LINE", help: "a line of a relay board", example: "relay://ward-2/7",
        parse: { (text) throws(AddressFault) in
            guard text.hasPrefix("relay://") else { return nil }
            guard text.count > 8 else { throw AddressFault(text, "name a line, as in relay://ward-2/7") }
            return .other(scheme: "relay", rest: String(text.dropFirst(8)))
        },
        open: { request in
            guard case .other("relay", let line) = request.address else { return nil }
            return TTYTransport(path: "/relay/\(line)", line: request.line)
        })
}
