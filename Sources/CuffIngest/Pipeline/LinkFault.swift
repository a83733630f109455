package enum LinkFault: Fault {
    case lost(String, TransportFault)
    /// The other side of a network connection ended it before it sent a byte.
    case closedUnused(String)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .lost(let address, let fault): (fault.status, "\(address): \(fault)")
        case .closedUnused(let address): (.unavailable, "\(address): the other side closed the connection before it sent anything")
        }
    }
}
