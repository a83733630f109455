import CuffCore

/// A port on which `cuff watch` takes cuffs that call: `[HOST][:PORT][=DRIVER]`, on loopback unless a host is said, port 6024,
/// IEEE 11073 agents unless another driver is named.
public struct ListenPlan: Sendable, Hashable, CustomStringConvertible {
    /// The host name or address to listen on.
    public var host: String
    /// The TCP port; 0 picks a free one.
    public var port: Int
    /// The id of the driver of every caller.
    public var driver: DriverID

    /// Parses `[HOST][:PORT][=DRIVER]`; throws a usage error with the reason.
    public init(_ text: String, drivers: [CuffDriver] = CuffFamilies.all) throws(IngestError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].hasPrefix("tcp-listen://") ? String(parts[0]) : "tcp-listen://\(parts[0])"
        let address: DeviceAddress
        do throws(AddressFault) { address = try DeviceAddress(place) } catch {
            throw IngestError(RequestFault.notAListener(text, why: error.reason))
        }
        guard case .tcpListen(let host, let port) = address else {
            throw IngestError(RequestFault.notAListener(text, why: nil))
        }
        let id = parts.count > 1 ? String(parts[1]) : "phd"
        guard let driver = drivers.first(where: { $0.id.description == id }) else {
            throw .unknownDriver(id, known: drivers.map { $0.id.description })
        }
        guard driver.medium == .tty else {
            throw IngestError(CommandFault.cannotCall(id))
        }
        (self.host, self.port, self.driver) = (host, port, driver.id)
    }

    /// The address with the driver.
    public var description: String { "\(DeviceAddress.tcpListen(host: host, port: port))=\(driver)" }
}
