import CuffCore
import Glibc
import Testing

@testable import CuffIngest

@Suite struct DeviceAddressTests {
    @Test(arguments: [
        ("auto", DeviceAddress.automatic),
        ("/dev/ttyUSB0", .node("/dev/ttyUSB0")),
        ("/dev/serial/by-id/usb-FTDI_a=b-if00", .node("/dev/serial/by-id/usb-FTDI_a=b-if00")),
        ("usb:0403:6001", .usb(USBID("0403:6001")!, serial: nil, channel: nil)),
        ("usb:10C4:EA60:0001", .usb(USBID("10c4:ea60")!, serial: "0001", channel: nil)),
        ("usb:0403:6001:A:B#1", .usb(USBID("0403:6001")!, serial: "A:B", channel: "1")),
        ("port:1-1.2", .port("1-1.2", channel: nil)),
        ("port:2-3#0.2", .port("2-3", channel: "0.2")),
        ("tcp://moxa.local:4001", .tcp(host: "moxa.local", port: 4001)),
        ("tcp://[::1]:3001", .tcp(host: "::1", port: 3001)),
        ("tcp-listen://:7000", .tcpListen(host: "", port: 7000)), ("tcp-listen://:0", .tcpListen(host: "", port: 0)),
        ("tcp-listen://0.0.0.0:7000", .tcpListen(host: "0.0.0.0", port: 7000)),
        // The port of other IEEE 11073 managers.
        ("tcp-listen://", .tcpListen(host: "", port: 6024)), ("tcp-listen://[::1]", .tcpListen(host: "::1", port: 6024)),
        ("tcp-listen://box", .tcpListen(host: "box", port: 6024)),
        ("ttyUSB0", .node("/dev/ttyUSB0")), ("ttyACM1", .node("/dev/ttyACM1")), ("hidraw12", .node("/dev/hidraw12")),
    ])
    func form_IsRead_AndWrittenAgain(_ text: String, _ address: DeviceAddress) throws {
        #expect(try DeviceAddress(text) == address)
        #expect(try DeviceAddress(address.description) == address)
    }

    @Test(arguments: [
        ("", "one of"), ("tty", "one of"), ("ttyUSB0/x", "one of"), ("hidraw", "one of"), ("./no/such/port", "no such folder"),
        ("./", "folder"), ("../..", "folder"), ("..", "one of"), (".", "one of"),
        ("0403:6001", "usb:0403:6001"), ("1-1.2", "port:1-1.2"),
        ("usb:403:6001", "four hexadecimal"), ("usb:0403:6001:", "serial number"), ("usb:0403:60011", "serial number"),
        ("usb:+403:6001", "four hexadecimal"), ("port:1", "bus-port"), ("port:1-1..2", "bus-port"),
        ("port:1-1#x", "port:1-1.2#1"), ("tcp://host", "port is missing"), ("tcp://host:0", "1 to 65535"),
        ("tcp://host:99999", "1 to 65535"), ("tcp://::1:3001", "brackets"), ("tcp://a b:1", "host name"),
        ("tcp://", "port is missing"), ("tcp://:1", "host is missing"), ("tcp://host:+1", "1 to 65535"), ("http://host:1", "one of"),
        ("tcp-listen://x:", "0 to 65535"), ("tcp-listen://x:y", "0 to 65535"), ("tcp-listen://::1", "brackets"),
        ("/dev/../etc/passwd", "`..`"), ("/dev/tty\n", "control"), ("/", "empty"), ("hallway", "one of"),
    ])
    func nonsense_IsRefusedWithWhatWouldDo(_ text: String, _ hint: String) {
        let fault = #expect(throws: AddressFault.self) { try DeviceAddress(text) }
        #expect(fault?.reason.contains(hint) == true, "\(fault?.reason ?? "")")
    }

    /// In a link's path the folder is resolved, the link is not.
    @Test func relativePath_BeginsInTheCurrentFolder() throws {
        let folder = try #require(realpath(".", nil).map { String(cString: $0) })
        let parent = folder.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        #expect(try DeviceAddress("./port") == .node(folder + "/port"))
        #expect(try DeviceAddress("../port") == .node(parent + "/port"))
        #expect(try DeviceAddress(".//./port") == .node(folder + "/port"))
        #expect(try DeviceRequest("./port,driver=and-std").address == .node(folder + "/port"))
        // A file of the current folder without `./`.
        let fault = #expect(throws: AddressFault.self) { try DeviceAddress("Package.swift") }
        #expect(access("Package.swift", F_OK) != 0 || fault?.reason == "did you mean ./Package.swift?")
    }

    @Test func address_MeansTheDeviceItNames() throws {
        let device = HotplugSample.device(HotplugSample.adapter(links: ["/dev/serial/by-id/x"]))
        for text in [
            "/dev/ttyUSB0", "/dev/serial/by-id/x", "usb:0403:6001", "usb:0403:6001:A900XYZ1", "port:1-1.2", "port:1-1.2#0",
        ] {
            #expect(try DeviceAddress(text).matches(device), "\(text)")
        }
        for text in ["auto", "/dev/ttyUSB1", "usb:0403:6002", "usb:0403:6001:a900xyz1", "port:1-1", "port:1-1.2#1"] {
            #expect(try !DeviceAddress(text).matches(device), "\(text)")
        }
    }

    @Test func everyKey_IsAnAddressOfItsDevice() throws {
        for chain in [
            HotplugSample.adapter(), HotplugSample.adapter(serial: nil), HotplugSample.adapter(interface: "01"),
            HotplugSample.adapter(serial: nil, portNumber: "2"), HotplugSample.hid(),
        ] {
            let device = HotplugSample.device(chain)
            #expect(try DeviceAddress(device.key.description).matches(device), "\(device.key)")
        }
    }

    @Test func resolution_NeverGuesses() throws {
        let adapter = HotplugSample.device(HotplugSample.adapter())
        let other = HotplugSample.device(HotplugSample.adapter(serial: "B0000002", port: "1-2", node: "ttyUSB1"))
        let cuff = HotplugSample.device(HotplugSample.hid())
        let drivers = HotplugSample.drivers
        #expect(try DeviceAddress.automatic.resolve(among: [adapter, cuff], drivers: drivers) == .plugged(cuff))
        let second = HotplugSample.device(HotplugSample.hid(port: "1-4", node: "hidraw1"))
        #expect(throws: ResolutionFault.ambiguous(.automatic, [cuff, second])) {
            try DeviceAddress.automatic.resolve(among: [cuff, adapter, second], drivers: drivers)
        }
        let ambiguous = #expect(throws: ResolutionFault.self) {
            try DeviceAddress("usb:0403:6001").resolve(among: [adapter, other], drivers: drivers)
        }
        #expect(ambiguous?.status == .usage)
        #expect(ambiguous?.description.contains("usb:0403:6001:B0000002") == true, "both are printed")
        let missing = #expect(throws: ResolutionFault.self) {
            try DeviceAddress("port:9-1").resolve(among: [adapter], drivers: drivers)
        }
        #expect(missing?.status == .unavailable)
        #expect(missing?.description.contains("/dev/ttyUSB0") == true, "what there is instead")
        let none = #expect(throws: ResolutionFault.self) { try DeviceAddress.automatic.resolve(among: []) }
        #expect(none?.description == "no cuff is plugged in")
        #expect(try DeviceAddress("/dev/pts/3").resolve(among: [adapter]) == .place(.node("/dev/pts/3")))
        #expect(try DeviceAddress("tcp://h:1").resolve(among: []) == .place(.tcp(host: "h", port: 1)))
    }
}

@Suite struct AssignmentTests {
    @Test func assignment_ReadsDriverLineNameAndOptions() throws {
        let one = try Assignment("port:1-1.2=and-std,baud=2400-8N1,name=hallway,variant=inbody")
        #expect(one.address == .port("1-1.2", channel: nil))
        #expect(one.driver == "and-std")
        #expect(one.line == LineSettings(rate: 2400))
        #expect(one.name == "hallway")
        #expect(one.options == ["variant": "inbody"])
        let link = try Assignment("/dev/serial/by-id/usb-a=b=and-std")
        #expect(link.address == .node("/dev/serial/by-id/usb-a=b"))
    }

    @Test(arguments: [
        ("port:1-1", "DEVICE=DRIVER"), ("port:1-1=and-sdt", "did you mean `and-std`?"), ("auto=and-std", "names no device"),
        ("port:1-1=and-std,baud=fast", "9600"), ("port:1-1=and-std,varient=inbody", "did you mean `variant`?"),
        ("port:1-1=and-std,x", "key=value"), ("tcp-listen://box=phd", "--listen box:6024=DRIVER"),
    ])
    func mistake_IsNamed(_ text: String, _ hint: String) {
        let fault = #expect(throws: AddressFault.self) { try Assignment(text) }
        #expect(fault?.reason.contains(hint) == true, "\(fault?.reason ?? "")")
    }

    @Test func request_TakesSettingsAfterTheDevice() throws {
        let request = try DeviceRequest("/dev/ttyUSB0,driver=and-std,baud=2400")
        #expect(request.address == .node("/dev/ttyUSB0"))
        #expect(request.settings.driver == "and-std")
        #expect(request.settings.line?.rate == 2400)
        #expect(try DeviceRequest("auto").settings == DeviceSettings())
    }

    @Test func nearestWord_IsNearOrNone() {
        #expect(NearestWord.match("sqllite", among: ["sqlite", "stdout"]) == "sqlite")
        #expect(NearestWord.match("drvier", among: ["driver", "device"]) == "driver")
        #expect(NearestWord.match("mqtt", among: ["sqlite", "stdout"]) == nil)
        #expect(NearestWord.match("x", among: []) == nil)
    }
}
