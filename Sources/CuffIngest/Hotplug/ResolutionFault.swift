import CuffCore

package enum ResolutionFault: Fault {
    case notFound(DeviceAddress, present: [PluggedDevice])
    case ambiguous(DeviceAddress, [PluggedDevice])

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .notFound(.automatic, let present) where present.isEmpty: (.unavailable, "no cuff is plugged in")
        case .notFound(.automatic, let present):
            (.unavailable, "no cuff among what is plugged in:\n" + Self.list(present) + "\n  name one of them, with its driver")
        case .notFound(let address, let present):
            (
                .unavailable,
                "\(address) is not plugged in"
                    + (present.isEmpty ? "; nothing is" : "; there is:\n" + Self.list(present))
            )
        case .ambiguous(let address, let devices):
            (.usage, "\(address) means more than one device:\n" + Self.list(devices) + "\n  name one of them")
        }
    }

    private static func list(_ devices: [PluggedDevice]) -> String {
        devices.map { "  \($0.key)  \($0.summary)" }.joined(separator: "\n")
    }
}
