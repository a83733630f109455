/// The settings of a serial line. Rates are in bit/s.
public struct LineSettings: Sendable, Hashable {
    /// The parity bit. The raw value is the letter in `8N1`.
    public enum Parity: Character, Sendable { case none = "N", even = "E", odd = "O" }

    /// Flow control; hardly any cuff needs it.
    public enum FlowControl: String, Sendable, CaseIterable { case none, hardware = "rtscts", software = "xonxoff" }

    /// Bits per second.
    public var rate: Int
    /// 7 or 8.
    public var dataBits: Int
    /// The parity bit, usually none.
    public var parity: Parity
    /// 1 or 2.
    public var stopBits: Int
    /// Flow control, usually none.
    public var flow: FlowControl
    /// Raise DTR on opening (some adapters power the cuff's interface from DTR and RTS).
    public var raisesDTR: Bool
    /// Raise RTS on opening.
    public var raisesRTS: Bool

    /// Default: 9600 8N1 without flow control. Nothing is checked; the kernel refuses unsupported settings.
    public init(
        rate: Int = 9600, dataBits: Int = 8, parity: Parity = .none, stopBits: Int = 1, flow: FlowControl = .none,
        raisesDTR: Bool = true, raisesRTS: Bool = true
    ) {
        self.rate = rate
        self.dataBits = dataBits
        self.parity = parity
        self.stopBits = stopBits
        self.flow = flow
        self.raisesDTR = raisesDTR
        self.raisesRTS = raisesRTS
    }

    /// Text such as `9600 8N1`, with a word for each unusual setting: `9600 8N1 rtscts nodtr`.
    public var text: String {
        var text = "\(rate) \(dataBits)\(parity.rawValue)\(stopBits)"
        if flow != .none { text += " \(flow.rawValue)" }
        if !raisesDTR { text += " nodtr" }
        if !raisesRTS { text += " norts" }
        return text
    }

    /// Parses `9600`, `9600 8N1` or `9600-8N1`, followed by any of `rtscts`, `xonxoff`, `nodtr`, `norts`; `nil` for other text.
    public init?(_ text: String) {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "-" || $0 == "/" })
        guard text.first?.isNumber == true, let first = parts.first, let rate = Int(first), rate > 0, rate <= 4_000_000 else {
            return nil
        }
        self.init(rate: rate)
        for (index, part) in parts.dropFirst().enumerated() {
            switch part.lowercased() {
            case "nodtr": raisesDTR = false
            case "norts": raisesRTS = false
            case "rtscts" where flow == .none: flow = .hardware
            case "xonxoff" where flow == .none: flow = .software
            default: guard index == 0, takeFrame(part) else { return nil }
            }
        }
    }

    private mutating func takeFrame(_ text: Substring) -> Bool {
        let mode = Array(text)
        guard mode.count == 3, let bits = mode[0].wholeNumberValue, bits == 7 || bits == 8,
            let first = mode[1].uppercased().first, let parity = Parity(rawValue: first),
            let stop = mode[2].wholeNumberValue, stop == 1 || stop == 2
        else { return false }
        dataBits = bits
        self.parity = parity
        stopBits = stop
        return true
    }
}
