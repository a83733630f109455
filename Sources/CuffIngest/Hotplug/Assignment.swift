import CuffCore

/// A device that the user has assigned to a driver, with line settings and a name. Only then is a generic bridge chip written to.
package struct Assignment: Sendable, Hashable {
    /// Where it was given, for messages: `--assign`, `config.toml:12`.
    package var origin: String
    package var address: DeviceAddress
    /// `nil`: never open this device.
    package var driver: DriverID?
    /// `nil`: the driver's line settings.
    package var line: LineSettings?
    package var options: [String: String]
    /// A name of the user's choice: the cuff's identity, wherever it is plugged in.
    package var name: String?

    package init(
        _ address: DeviceAddress, driver: DriverID?, line: LineSettings? = nil, options: [String: String] = [:],
        name: String? = nil, origin: String = "--assign"
    ) {
        self.address = address
        self.driver = driver
        self.line = line
        self.options = options
        self.name = name
        self.origin = origin
    }

    /// Parses `ADDRESS=DRIVER[,baud=9600-8N1][,name=hallway][,option=value…]`.
    package init(
        _ text: String, drivers: [CuffDriver] = CuffFamilies.all, among kinds: [TransportKind] = TransportKind.all,
        origin: String = "--assign"
    ) throws(AddressFault) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let head = parts.removeFirst()
        // A link under /dev/serial may contain `=`; a driver id does not.
        guard let sign = head.lastIndex(of: "=") else {
            throw AddressFault(text, "an assignment reads DEVICE=DRIVER, as in port:1-1.2=beurer-serial")
        }
        let address = try DeviceAddress(String(head[..<sign]), among: kinds)
        let settings = try DeviceSettings(
            ["driver=" + head[head.index(after: sign)...]] + parts.map(String.init), of: text, drivers: drivers)
        if let refusal = address.assignmentRefusal { throw AddressFault(text, refusal) }
        self.init(
            address, driver: settings.driver, line: settings.line, options: settings.options, name: settings.name,
            origin: origin)
    }
}
