/// A TM-2655P: answers RB with its last result, acknowledges ST and sends the next one, answers RP with a pulse table. With `variant:
/// inbody` it writes zeros as an InBody. With `pushes` it sends its records unasked.
struct AndStdSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var reader = FrameReader(AndStdFrame())
    private var next = 0
    private var isInflating = false

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened: return script.pushes && !script.records.isEmpty ? [.arm(.poll, script.interval)] : []
        case .received(let bytes):
            return reader.wholeFrames(of: bytes).filter { $0.count == 10 }.flatMap { answer(String(decoding: $0[6..<8], as: UTF8.self)) }
        case .timerFired(.poll): return push()
        case .timerFired(.overall) where isInflating:
            isInflating = false
            return [.write(result(advance()))]
        default: return []
        }
    }

    private mutating func answer(_ command: String) -> [SimulatorAction] {
        switch AndStdCommand(rawValue: command) {
        case .result?: return script.records.isEmpty ? [] : [.write(result(script.records[max(0, next - 1)]))]
        case .start?, .startInBody?:
            guard !script.records.isEmpty else { return [.write([0x16, 0x16, 1, 0x30, 0x30, AndStdFrame.nak])] }
            isInflating = true
            return [.write([0x16, 0x16, 1, 0x30, 0x30, AndStdFrame.ack]), .arm(.overall, script.interval)]
        case .stop?:
            isInflating = false
            return [.disarm(.overall), .note("deflated")]
        case .check?: return [.write(frame("CON"))]
        case .pulseTable?: return [.write(pulseTable())]
        case nil: return []
        }
    }

    private mutating func push() -> [SimulatorAction] {
        guard next < script.records.count else { return [] }
        let more: [SimulatorAction] = next + 1 < script.records.count ? [.arm(.poll, script.interval)] : []
        return [.write(result(advance()))] + more
    }

    private mutating func advance() -> SimulatedRecord {
        let record = script.records[min(next, script.records.count - 1)]
        next = min(next + 1, script.records.count)
        return record
    }

    private func frame(_ text: String) -> [UInt8] { AndStdFrame.text(Array(text.utf8), address: [0x30, 0x30]) }

    private func result(_ record: SimulatedRecord) -> [UInt8] {
        func three(_ value: Int) -> String { String("  \(value)".suffix(3)) }
        let failed = record.failure != nil
        let values = failed ? ["  0", "  0", "  0", "  0"] : [record.systolic, record.mean, record.diastolic, record.pulse].map(three)
        if script.options["variant"] == "inbody" {
            return frame(
                "\(String(repeating: "0", count: 27))S\(values[0])\u{1E}M000\u{1E}D\(values[2])\u{1E}P\(values[3])\u{1E}O00\u{1E}0000\u{1E}"
            )
        }
        let error = failed ? "E44" : "E00"
        return frame(
            "TM2655\u{1E}\(record.time.printed)\u{1E}RB\u{1E}M\u{1E}\(error)\u{1E}S\(values[0])\u{1E}M\(values[1])\u{1E}D\(values[2])\u{1E}P\(values[3])\u{1E}I17\u{1E}L139\u{1E}"
        )
    }

    private func pulseTable() -> [UInt8] {
        let pairs = stride(from: 150, to: 50, by: -10).map { "\($0),\(String("00\(170 - $0)".suffix(3)))" }
        return frame("TM2655\u{1E}2605050731\u{1E}RP\u{1E}N\(pairs.count)\u{1E}\(pairs.joined(separator: "\u{1E}"))\u{1E}")
    }
}
