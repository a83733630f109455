/// Why a simulated cuff cannot run.
public enum SimulationFault: Fault {
    /// HID reports have boundaries that a pseudo terminal does not preserve.
    case needsUHID(driver: String)
    case notHID(driver: String)
    case speed(Double)
    /// A HID device of this machine has no TCP port.
    case severalPlaces
    /// `--connect` with an address that cannot be called, or beside `--tcp`.
    case notOneAddress(String)
    case noPseudoTerminal(errno: Int32)
    case noLink(String, errno: Int32)

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .needsUHID, .notHID, .speed, .severalPlaces, .notOneAddress: .usage
        case .noPseudoTerminal: .osError
        case .noLink: .cannotCreate
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .needsUHID(let driver):
            "a simulated cuff of \(driver) needs --uhid: "
                + "it sends HID reports, whose boundaries a pseudo terminal or TCP connection does not preserve"
        case .notHID(let driver): "\(driver) cuffs are not HID devices"
        case .speed(let speed): "a cuff's time cannot run \(speed) times as fast"
        case .severalPlaces: "a simulated cuff is in one place: a HID device of this machine has no TCP port"
        case .notOneAddress(let address):
            "a simulated cuff calls one address: `\(address)` is none, or it was also told to listen"
        case .noPseudoTerminal(let number): "cannot make a pseudo terminal: \(SystemFault.lowercased(number))"
        case .noLink(let link, let number): "cannot make the link \(link): \(SystemFault.lowercased(number))"
        }
    }
}
