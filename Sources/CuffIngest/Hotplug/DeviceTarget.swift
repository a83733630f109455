package enum DeviceTarget: Sendable, Hashable {
    case plugged(PluggedDevice)
    /// Not enumerated by udev: a pseudo terminal, a user's link, the network.
    case place(DeviceAddress)

    package var address: DeviceAddress {
        switch self {
        case .plugged(let device): .node(device.node)
        case .place(let address): address
        }
    }
}
