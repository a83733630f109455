/// A BP A6 PC: answers 22 with its records, 24 with its patient id, 26 with its clock, and takes a new time after 27.
/// `clock: unset` writes the records of a cuff whose clock was never set.
struct MicrolifeBPA100Simulator: CuffSimulator {
    private let script: SimulatorScript
    private var buffer: [UInt8] = []
    private var clock: DeviceTime
    private var takesTime = false

    init(_ script: SimulatorScript) {
        self.script = script
        clock = script.clock
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        buffer += bytes
        var actions: [SimulatorAction] = []
        while true {
            if let command = buffer.firstIndex(of: 0x12), buffer.count >= command + 4 {
                let question = MicrolifeCommand(Array(buffer[command..<(command + 4)]))
                buffer.removeFirst(question == nil ? command + 1 : command + 4)
                if let question { actions += answer(question) }
            } else if takesTime, buffer.count >= 82 {
                takesTime = false
                actions += take(Array(buffer.prefix(82)))
                buffer = []
            } else {
                if !takesTime, buffer.count > 64 { buffer = [] }
                return actions
            }
        }
    }

    private mutating func answer(_ question: MicrolifeCommand) -> [SimulatorAction] {
        takesTime = question == .setClock
        switch question {
        case .cycles:
            let head = "0" + Self.hex(script.records.count, 3) + "0001" + Self.id(24)
            return [.write(Self.closed(head + script.records.map(record).joined()))]
        case .patientID: return [.write(Self.closed(Self.id(22) + ",05.00\r\n"))]
        case .clock:
            let text = MicrolifeBPA100Session.clockText(clock)
            return [.write(Self.closed(text + String(repeating: "0", count: 76 - text.utf8.count) + ",05.00\r\n"))]
        case .setClock: return [.write([0x06])]
        case .slots:
            let text = MicrolifeCommand.slots.bytes + Array((script.options["slots"] ?? "11").utf8)
            return [.write([0x06] + text + Hex.upper(text.sum8))]
        }
    }

    private mutating func take(_ text: [UInt8]) -> [SimulatorAction] {
        let sum = Array(text[..<80]).sum8
        let time = text.span.printedTime(year: 4, month: 0, day: 2, hour: 8, minute: 10, second: 12)
        guard text.span.hexDigits(80, 2) == Int(sum), let time else { return [] }
        clock = time
        return [.write([0x06]), .note("the clock is set")]
    }

    private func record(_ record: SimulatedRecord) -> String {
        let date = script.options["clock"] == "unset" ? "1500000000" : record.time.printed
        let word = Self.hex(record.systolic | record.diastolic << 10 | record.pulse << 20, 8)
        return date + "000000" + word + word
    }

    private static func closed(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [0x06] + bytes + Hex.upper(bytes.sum8)
    }

    private static func hex(_ value: Int, _ width: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// The id "A1", padded with 9.
    private static func id(_ width: Int) -> String { "4131" + String(repeating: "9", count: width - 4) }
}
