import CuffCore

/// A port on which `cuff watch` accepts cuffs: `[HOST][:PORT][=DRIVER]`; defaults to loopback, port 6024 and IEEE 11073 agents.
package struct ListenPlan: Sendable, Hashable, CustomStringConvertible {
    /// The host name or address to listen on.
    package var host: String
    /// The TCP port; 0 picks a free one.
    package var port: Int
    package var driver: DriverID

    /// Throws a usage error with the reason.
    package init(_ text: String, drivers: [CuffDriver] = CuffFamilies.all) throws(IngestError) {
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
        let driver: CuffDriver
        do throws(RequestFault) { driver = try DriverName.driver(id, among: drivers) } catch { throw IngestError(error) }
        guard driver.medium == .tty else {
            throw IngestError(CommandFault.cannotCall(id))
        }
        (self.host, self.port, self.driver) = (host, port, driver.id)
    }

    var isLocal: Bool { WebAddress(host: host, port: port).isLocal }

    /// The address with the driver.
    package var description: String { "\(DeviceAddress.tcpListen(host: host, port: port))=\(driver)" }
}
