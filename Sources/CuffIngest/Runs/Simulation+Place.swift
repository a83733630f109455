extension Simulation {
    package enum Place: Sendable {
        case pty
        /// Port 0 takes any free one.
        case tcp(host: String, port: Int)
        /// The cuff connects to a listening program, and again a second after a failed or closed connection.
        case connect(host: String, port: Int)
        /// A HID device of this machine, for HID families: `/dev/uhid`, which only root may open, or a socket with the same
        /// messages.
        case uhid(String)

        var keepsReportsApart: Bool { if case .uhid = self { true } else { false } }

        package init(tcp port: Int?, connect address: String?, uhid path: String?) throws(IngestError) {
            if let path {
                guard port == nil, address == nil else {
                    throw IngestError(SimulationFault.severalPlaces)
                }
                self = .uhid(path)
            } else if let address {
                guard port == nil, case .tcp(let host, let port)? = try? DeviceAddress(address) else {
                    throw IngestError(SimulationFault.notOneAddress("\(address)"))
                }
                self = .connect(host: host, port: port)
            } else {
                self = port.map { .tcp(host: "127.0.0.1", port: $0) } ?? .pty
            }
        }
    }
}
