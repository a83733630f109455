package enum LinkFault: Fault {
    case lost(String, TransportFault)

    /// The exit status and message.
    public var statement: (status: RunStatus, text: String) {
        switch self {
        case .lost(let address, let fault): (fault.status, "\(address): \(fault)")
        }
    }
}
