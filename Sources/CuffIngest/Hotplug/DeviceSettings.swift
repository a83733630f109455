import CuffCore

/// Settings after a device, separated by commas: `,driver=beurer-serial,baud=4800,name=hallway,variant=inbody`.
package struct DeviceSettings: Sendable, Hashable {
    package var driver: DriverID?
    /// The line settings; `nil`: the driver's.
    package var line: LineSettings?
    /// The identity for the readings.
    package var name: String?
    package var options: [String: String] = [:]

    package init() {}

    init(_ parts: [String], of text: String, drivers: [CuffDriver]) throws(AddressFault) {
        for part in parts {
            guard let sign = part.firstIndex(of: "="), sign > part.startIndex else {
                throw AddressFault(text, "`\(part)` is not of the form key=value")
            }
            let key = String(part[..<sign])
            let value = String(part[part.index(after: sign)...])
            switch key {
            case "driver":
                do throws(RequestFault) { driver = try DriverName.driver(value, among: drivers).id } catch {
                    throw AddressFault(text, error.phrase)
                }
            case "baud", "line":
                guard let line = LineSettings(value) else {
                    throw AddressFault(text, "invalid line settings `\(value)`; write 9600 or 9600-8N1")
                }
                self.line = line
            case "name": name = value
            default: options[key] = value
            }
        }
        guard let id = driver, let driver = drivers.first(where: { $0.id == id }) else { return }
        for key in options.keys.sorted() where driver.options[key] == nil {
            let known = driver.options.keys.sorted()
            throw AddressFault(
                text,
                "\(id) has no option `\(key)`"
                    + (known.isEmpty ? "" : NearestWord.hint(key, among: known) ?? "; it has \(known.joined(separator: ", "))"))
        }
    }
}

/// A DEVICE argument: an address and its settings.
package struct DeviceRequest: Sendable, Hashable {
    package var address: DeviceAddress
    package var settings: DeviceSettings

    /// Parses `ADDRESS[,key=value…]`; throws `AddressFault` with the reason.
    package init(
        _ text: String, drivers: [CuffDriver] = CuffFamilies.all, among kinds: [TransportKind] = TransportKind.all
    ) throws(AddressFault) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        address = try DeviceAddress(parts.first ?? "", among: kinds)
        settings = try DeviceSettings(Array(parts.dropFirst()), of: text, drivers: drivers)
    }
}
