/// Why a capture or byte stream cannot be read. The first text is the name of the file.
package enum InputFault: Fault {
    case empty(String)
    /// A pipe or terminal that ended without a byte.
    case noBytes(String)
    /// `unit` is what `number` counts: a line of text, a block of pcapng.
    case damaged(String, unit: String, number: Int, why: String)
    /// No bytes of a cuff; the remark names what was found instead.
    case noConversation(String, remark: String?)
    case noDriver(String)
    case isCapture(String, isStandardInput: Bool)
    /// `--live` with a capture, which has its own times.
    case hasTimes(String)
    case isTerminal(String)
    /// `--usb` or `--chip` without a USB capture.
    case notOfABus(String)
    case unknownChip(String, known: [String])
    case notAUSBDevice(String)
    /// Too long to be kept in memory for playing.
    case tooLong(String)
    /// The older format of packets, of tcpdump and early Wireshark.
    case classicPcap(String)
    /// With gzip.
    case compressed(String)
    /// Frames of this driver have no nested fields.
    case noFrame(String, driver: String)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .empty(let name): (.badData, "\(name) is empty")
        case .noBytes(let name): (.badData, "\(name) is empty: no byte came")
        case .damaged(let name, "line", let number, let why): (.badData, "\(name):\(number): \(why)")
        case .damaged(let name, let unit, let number, let why): (.badData, "\(name): \(unit) \(number): \(why)")
        case .noConversation(let name, let remark):
            (.badData, "\(name) holds no conversation: \(remark ?? "there is no line or packet of bytes in it")")
        case .noDriver(let name): (.usage, "\(name) names no driver: its header does not say which cuff family it is")
        case .isCapture(let name, _): (.usage, "\(name) is a capture, and decode takes the raw bytes of a cuff")
        case .hasTimes(let name): (.usage, "--live has no effect on \(name): a capture has times of its own")
        case .isTerminal(let name): (.usage, "\(name) is a terminal: bytes of a cuff are expected there")
        case .notOfABus(let name): (.usage, "--usb and --chip have no effect on \(name): they choose within a capture of a USB bus")
        case .unknownChip(let chip, let known): (.usage, "unknown chip `\(chip)`: chips are \(known.joined(separator: ", "))")
        case .notAUSBDevice(let text): (.usage, "invalid USB device `\(text)`")
        case .tooLong(let name): (.badData, "\(name) is too long to be played")
        case .classicPcap(let name): (.badData, "\(name) is a classic pcap file: a capture is pcapng or text")
        case .compressed(let name): (.badData, "\(name) is compressed with gzip: a capture is pcapng or text")
        case .noFrame(let name, let driver): (.badData, "\(name) has no frame of \(driver): there is nothing to explain")
        }
    }
}
