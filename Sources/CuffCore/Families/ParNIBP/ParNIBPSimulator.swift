/// A NIBP2020 whose result is its first record; 01 measures the next one in 12 s, with two live frames a second and 999 at the end; 18
/// sends the status; X stops; 03…13 set the cycle. `variant: combi` frames with FD and FE and sends an oximeter frame before each answer.
struct ParNIBPSimulator: CuffSimulator {
    private let script: SimulatorScript
    private let isCombi: Bool
    private var buffer: [UInt8] = []
    private var current = 0
    private var step: Int?
    private var cycle = 0
    private var message = 0

    private static let pressures = [3, 25, 60, 98, 134, 160, 171, 165, 158, 150, 142, 133, 125, 116, 108, 99, 90, 81, 70, 60, 52, 44, 20]

    init(_ script: SimulatorScript) {
        self.script = script
        isCombi = script.options["variant"] == "combi"
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received(let bytes):
            buffer += bytes
            return answers()
        case .timerFired(.overall): return advance()
        default: return []
        }
    }

    private mutating func answers() -> [SimulatorAction] {
        var actions: [SimulatorAction] = []
        while let first = buffer.first {
            if first == ParCommands.abort {
                step = nil
                actions += [.disarm(.overall), .note("deflated")]
            } else if first == (isCombi ? 0xFD : 0x02) {
                guard buffer.count >= 8 else { return actions }
                let text = Array(buffer[1..<5])
                if let number = ParCommands.number(buffer), Array(buffer[5..<7]) == Hex.upper(text.sum8) {
                    buffer.removeFirst(7)
                    actions += answer(number)
                }
            }
            buffer.removeFirst()
        }
        return actions
    }

    private mutating func answer(_ number: Int) -> [SimulatorAction] {
        switch number {
        case ParCommands.start where step == nil:
            step = 0
            return [.arm(.overall, .milliseconds(500))]
        case ParCommands.manual: cycle = 0
        case 4...13: cycle = ParCommands.cycles[number - 4]
        case ParCommands.result: return [.write(status())]
        default: break
        }
        return []
    }

    private mutating func advance() -> [SimulatorAction] {
        guard let now = step else { return [] }
        guard now < Self.pressures.count else {
            step = nil
            current = min(current + 1, max(0, script.records.count - 1))
            message = script.records.indices.contains(current) && script.records[current].failure != nil ? 7 : 0
            return [.write(frame("999"))]
        }
        step = now + 1
        return [.write(frame("\(Decimal.text(Self.pressures[now], 3))C0S3")), .arm(.overall, .milliseconds(500))]
    }

    private func status() -> [UInt8] {
        let state = step != nil ? 3 : message != 0 ? 2 : cycle > 0 ? 6 : 1
        var values = "---------"
        var rate = "---"
        if script.records.indices.contains(current) {
            let record = script.records[current]
            values = [record.systolic, record.diastolic, record.mean].map { Decimal.text($0, 3) }.joined()
            rate = Decimal.text(record.pulse, 3)
        }
        let next = cycle > 0 ? Decimal.text(cycle * 60, 4) : "    "
        let text = "S\(state);A0;C\(Decimal.text(cycle, 2));M\(Decimal.text(message, 2));P\(values);R\(rate);T\(next);;"
        let oximeter: [UInt8] = isCombi ? [0x55, 0xAA, 0x07, 0x6C, 0x02, 0x7F, 0xFF, 0x00, 0xF3] : []
        return oximeter + frame(text + String(decoding: Hex.upper(Array(text.utf8).sum8), as: UTF8.self))
    }

    private func frame(_ text: String) -> [UInt8] {
        [isCombi ? 0xFD : 0x02] + Array(text.utf8) + [isCombi ? 0xFE : 0x03, 0x0D]
    }
}
