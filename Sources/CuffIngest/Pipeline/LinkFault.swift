package enum LinkFault: Fault {
    case lost(String, TransportFault)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .lost(let address, let fault): (fault.status, "\(address): \(fault)")
        }
    }
}
