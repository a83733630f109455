package enum LinkFault: Fault {
    case lost(String, TransportFault)

    /// The kind of failure, and a message.
    public var statement: (status: RunStatus, text: String) {
        switch self {
        case .lost(let address, let fault): (fault.status, "\(address): \(fault)")
        }
    }
}
