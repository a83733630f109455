package enum SimulationFault: Fault {
    /// HID reports have boundaries that a pseudo terminal does not preserve.
    case needsUHID(driver: String)
    case notHID(driver: String)
    case speed(Double)
    case severalPlaces
    /// `--connect` with an invalid address, or with `--tcp`.
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
        case .severalPlaces: (.usage, "--uhid cannot be combined with a TCP port")
        case .notOneAddress(let address):
            (.usage, "invalid address `\(address)` after --connect, or --tcp was given too")
        case .noPseudoTerminal(let number): (.osError, "cannot make a pseudo terminal: \(SystemFault.lowercased(number))")
        case .noLink(let link, let number): (.cannotCreate, "cannot make the link \(link): \(SystemFault.lowercased(number))")
        }
    }
}
