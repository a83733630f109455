/// Why a simulated cuff cannot run.
package enum SimulationFault: Fault {
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

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .needsUHID(let driver):
            (
                .usage,
                "a simulated cuff of \(driver) needs --uhid: "
                    + "it sends HID reports, whose boundaries a pseudo terminal or TCP connection does not preserve"
            )
        case .notHID(let driver): (.usage, "\(driver) cuffs are not HID devices")
        case .speed(let speed): (.usage, "a cuff's time cannot run \(speed) times as fast")
        case .severalPlaces: (.usage, "a simulated cuff is in one place: a HID device of this machine has no TCP port")
        case .notOneAddress(let address):
            (.usage, "a simulated cuff calls one address: `\(address)` is not an address, or --tcp was given too")
        case .noPseudoTerminal(let number): (.osError, "cannot make a pseudo terminal: \(SystemFault.lowercased(number))")
        case .noLink(let link, let number): (.cannotCreate, "cannot make the link \(link): \(SystemFault.lowercased(number))")
        }
    }
}
