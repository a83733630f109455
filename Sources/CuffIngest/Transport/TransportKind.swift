import CuffCore
import Glibc

/// One kind of transport: the form of its addresses, and how to open them. Help, error messages and the table in docs/ are
/// generated from `TransportKind.all`.
///
/// A program that embeds this library passes `TransportKind.all + [own]` to parsers, and in `IngestOptions.transports`.
package struct TransportKind: Sendable, CustomStringConvertible {
    package struct Request: Sendable {
        /// The location; never an address that selects among connected devices.
        package var address: DeviceAddress
        package var medium: CuffDriver.Medium
        package var reports = HIDReports()
        package var line: LineSettings
        /// The settings that a CP2110 already has are kept.
        package var keepsBridgeLine = false
        /// The pause between bytes written to a serial line.
        package var pace: Duration?
    }

    /// Parses an address; `nil` if the text is of another kind, an `AddressFault` if it is invalid.
    package typealias Parse = @Sendable (_ text: String) throws(AddressFault) -> DeviceAddress?
    /// Creates the transport, not opened yet; `nil` if another kind opens such an address.
    package typealias Open = @Sendable (Request) -> (any Transport)?

    package let name: String
    /// The form of its addresses, for usage texts.
    package let form: String
    /// One line.
    package let help: String
    package let example: String
    /// The kernel subsystem of its nodes, watched for hotplug events, if any.
    package let subsystem: String?
    let parse: Parse
    let open: Open

    package init(
        _ name: String, form: String, help: String, example: String, subsystem: String? = nil,
        parse: @escaping Parse = TransportKind.localDevice, open: @escaping Open
    ) {
        self.name = name
        self.form = form
        self.help = help
        self.example = example
        self.subsystem = subsystem
        self.parse = parse
        self.open = open
    }

    /// Every built-in kind, in the order of help and documentation.
    package static let all: [TransportKind] = [.tty, .hidraw, .cp2110, .usb, .tcp, .tcpListen]

    /// `tty`.
    package var description: String { name }

    static func subsystems(_ kinds: [TransportKind] = all) -> [String] {
        var found: [String] = []
        for subsystem in kinds.compactMap(\.subsystem) where !found.contains(subsystem) { found.append(subsystem) }
        return found
    }

    /// The other ways to name a connected device, as printed by `cuff list`: form, one line, example.
    package static let choices: [(form: String, help: String, example: String)] = [
        (
            "/dev/serial/by-id/…", "a serial port by what the adapter says of itself",
            "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A900XYZ1-if00-port0"
        ),
        ("usb:VVVV:PPPP[:SERIAL]", "what has these USB ids, and this serial number where one is given", "usb:0403:6001:A900XYZ1"),
        ("port:1-1.2", "what is plugged in there: bus and ports of the hubs", "port:1-1.2"),
        ("auto", "the one cuff that is plugged in", "auto"),
    ]

    /// The forms of all addresses of these kinds, for usage texts.
    package static func forms(_ kinds: [TransportKind] = all) -> String {
        var forms: [String] = []
        for kind in kinds where !forms.contains(kind.form) { forms.append(kind.form) }
        let isURL = { (form: String) in form.contains("://") }
        return (forms.filter { !isURL($0) } + choices.map(\.form) + forms.filter(isURL)).joined(separator: ", ")
    }

    /// Parses addresses of devices connected to this machine: a path, `usb:`, `port:` and `auto`.
    package static let localDevice: Parse = { (text) throws(AddressFault) in
        if text == "auto" { return .automatic }
        if text.hasPrefix("/") { return try nodeAddress(text) }
        if text.hasPrefix("./") || text.hasPrefix("../") { return try nodeAddress(wholePath(text)) }
        if isNodeName(text) { return try nodeAddress("/dev/" + text) }
        if text.hasPrefix("usb:") { return try usbAddress(text) }
        guard text.hasPrefix("port:") else { return nil }
        let (port, channel) = try channel(text.dropFirst(5), of: text)
        guard DeviceAddress.isPort(port) else {
            throw AddressFault(text, "a socket reads bus-port[.port…], as in port:1-1.2 (see `cuff list`)")
        }
        return .port(String(port), channel: channel)
    }

    private static func nodeAddress(_ text: String) throws(AddressFault) -> DeviceAddress {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard !parts.isEmpty, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw AddressFault(text, "a path has no empty, `.` or `..` parts")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw AddressFault(text, "a path has no control characters")
        }
        return .node(text)
    }

    /// `ttyUSB0`, `hidraw3`: a node name in /dev.
    private static func isNodeName(_ text: String) -> Bool {
        (text.hasPrefix("tty") || text.hasPrefix("hidraw")) && text.utf8.last.map { $0 &- 0x30 < 10 } == true
            && text.utf8.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 }
    }

    /// The absolute path of a relative one. Its last part is not resolved: it may be a link that changes when the device is
    /// connected again.
    private static func wholePath(_ text: String) throws(AddressFault) -> String {
        let parts = text.split(separator: "/")
        guard let name = parts.last, name != ".", name != "..", !text.hasSuffix("/") else {
            throw AddressFault(text, "it names a folder and not a device")
        }
        guard let folder = realpath(parts.dropLast().joined(separator: "/"), nil) else {
            throw AddressFault(text, "there is no such folder")
        }
        defer { free(folder) }
        let path = String(cString: folder)
        return (path == "/" ? "" : path) + "/" + name
    }

    private static func usbAddress(_ text: String) throws(AddressFault) -> DeviceAddress {
        let (body, channel) = try channel(text.dropFirst(4), of: text)
        let ids = body.prefix(9)
        guard let id = USBID(ids) else {
            throw AddressFault(text, "USB ids are four hexadecimal digits each, as in usb:0403:6001")
        }
        let rest = body.dropFirst(9)
        if rest.isEmpty { return .usb(id, serial: nil, channel: channel) }
        guard rest.first == ":", rest.count > 1 else {
            throw AddressFault(text, "the serial number follows the ids after a colon, as in usb:\(id):A900XYZ1")
        }
        return .usb(id, serial: String(rest.dropFirst()), channel: channel)
    }

    /// Removes `#1` or `#0.2` from the end.
    private static func channel(
        _ body: Substring, of text: String
    ) throws(AddressFault) -> (body: Substring, channel: String?) {
        guard let mark = body.lastIndex(of: "#") else { return (body, nil) }
        let channel = body[body.index(after: mark)...]
        let numbers = channel.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(numbers.count), numbers.allSatisfy({ UInt8($0) != nil }) else {
            throw AddressFault(text, "write the port number after #, as in port:1-1.2#1")
        }
        return (body[..<mark], String(channel))
    }
}

extension DeviceAddress {
    /// `line` and `pace` apply to serial lines; throws if no kind opens the address.
    package func transport(
        for driver: CuffDriver, line: LineSettings? = nil, pace: Duration? = nil, among kinds: [TransportKind] = TransportKind.all
    ) throws(AddressFault) -> any Transport {
        let request = TransportKind.Request(
            address: self, medium: driver.medium, reports: driver.reports, line: line ?? driver.line,
            keepsBridgeLine: driver.keepsBridgeLine && line == nil, pace: pace)
        return try transport(request, among: kinds)
    }

    func transport(_ request: TransportKind.Request, among kinds: [TransportKind]) throws(AddressFault) -> any Transport {
        for kind in kinds {
            if let transport = kind.open(request) { return transport }
        }
        throw AddressFault("\(self)", "no transport opens such an address")
    }
}
