import CuffCore

/// The user's word about a device: this is such a cuff, on this line, under this name. It is what allows a generic
/// bridge chip to be written to.
public struct Assignment: Sendable, Hashable {
    /// Where it was said, for a sentence: `--assign`, `config.toml:12`.
    public var origin: String
    /// The device that is meant.
    public var address: DeviceAddress
    /// `nil`: never open this device.
    public var driver: DriverID?
    /// The line settings; `nil`: those of the driver.
    public var line: LineSettings?
    /// Options of the driver's family.
    public var options: [String: String]
    /// A name of the user's own. It then is the cuff's identity, wherever it is plugged in.
    public var name: String?

    /// Sets each property as given.
    public init(
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

    /// Reads `ADDRESS=DRIVER[,baud=9600-8N1][,name=hallway][,option=value…]`.
    public init(
        _ text: String, drivers: [CuffDriver] = CuffFamilies.all, among kinds: [TransportKind] = TransportKind.all,
        origin: String = "--assign"
    ) throws(AddressFault) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let head = parts.removeFirst()
        // A link under /dev/serial may itself hold an `=`; a driver's id never does.
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
