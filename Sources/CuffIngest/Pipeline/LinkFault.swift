/// Why a conversation with a cuff broke off.
package enum LinkFault: Fault {
    /// The line to the cuff at this address ended.
    case lost(String, TransportFault)

    /// What kind of failure each is, and what happened.
    public var statement: (status: RunStatus, text: String) {
        switch self {
        case .lost(let address, let fault): (fault.status, "\(address): \(fault)")
        }
    }
}
