/// Why a conversation with a cuff broke off.
package enum LinkFault: Fault {
    /// The line to the cuff at this address ended.
    case lost(String, TransportFault)

    /// What kind of failure it is.
    package var status: RunStatus {
        switch self {
        case .lost(_, let fault): fault.status
        }
    }

    /// What happened, in one plain line.
    package var description: String {
        switch self {
        case .lost(let address, let fault): "\(address): \(fault)"
        }
    }
}
