/// Why a capture, or a stream of a cuff's bytes, cannot be read. The first text is the name of the file.
public enum InputFault: Fault {
    case empty(String)
    /// A pipe or terminal that ended at once.
    case noBytes(String)
    /// The capture is damaged; `unit` is what `number` counts: a line of text, a block of pcapng.
    case damaged(String, unit: String, number: Int, why: String)
    /// There is no byte of a cuff in it; the remark says what was found instead.
    case noConversation(String, remark: String?)
    /// Nothing in it tells the family.
    case noDriver(String)
    /// A capture where the bytes of a cuff alone are expected.
    case isCapture(String, isStandardInput: Bool)
    /// A clock of the reader's own was asked for.
    case hasTimes(String)
    case isTerminal(String)
    /// A device or chip is chosen where there is no USB bus.
    case notOfABus(String)
    case unknownChip(String, known: [String])
    case notAUSBDevice(String)
    /// Longer than what can be held to be played.
    case tooLong(String)
    /// Frames of this driver have no fields within fields.
    case nothingToExplain(driver: String)
    /// Bytes, and none of them an IEEE 11073 APDU.
    case noAPDU(String)
    /// The program was stopped before the file was whole.
    case notWritten(String)

    /// What kind of failure each is, and what happened.
    public var statement: (status: RunStatus, text: String) {
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
        case .nothingToExplain(let driver): (.usage, "\(driver) has nothing to explain: only IEEE 11073 APDUs have fields within fields")
        case .noAPDU(let name): (.badData, "\(name) holds no IEEE 11073 APDU: there is nothing to explain")
        case .notWritten(let name): (.tryAgain, "\(name) was not written: the program was stopped")
        }
    }
}
