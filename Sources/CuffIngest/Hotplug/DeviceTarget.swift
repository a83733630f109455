import CuffCore

/// Where a verb's DEVICE leads.
package enum DeviceTarget: Sendable, Hashable {
    case plugged(PluggedDevice)
    /// What no enumeration shows: a pseudo terminal, a link of the user's own, the network.
    case place(DeviceAddress)

    package var address: DeviceAddress {
        switch self {
        case .plugged(let device): .node(device.node)
        case .place(let address): address
        }
    }
}
