/// A V100 whose last determination is its first record, 42 s old. NC0 measures the next one, busy for 20 s; ND cancels. Answers have check
/// characters, except with `check: no`. The source of the pulse is the cuff.
struct DinamapASCIISimulator: CuffSimulator {
    private let script: SimulatorScript
    private var reader = FrameReader(DinamapLine())
    private var current = 0
    private var age = 42
    private var status = 1

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened: return [.arm(.poll, .seconds(1))]
        case .timerFired(.poll):
            age += 1
            return age < 7200 ? [.arm(.poll, .seconds(1))] : []
        case .timerFired(.overall):
            guard status == 0 else { return [] }
            current = min(current + 1, max(0, script.records.count - 1))
            age = 0
            status = record?.failure == nil ? 1 : 3
            return []
        case .received(let bytes):
            return reader.wholeFrames(of: bytes).filter { $0.count > 1 }.flatMap { answer($0) }
        default: return []
        }
    }

    private var record: SimulatedRecord? { script.records.indices.contains(current) ? script.records[current] : nil }

    private mutating func answer(_ line: [UInt8]) -> [SimulatorAction] {
        guard DinamapLine.isChecked(line.span, line.count - 1) else { return [] }
        let text = String(decoding: line.dropLast(3), as: UTF8.self)
        switch text {
        case " NA":
            let values = record.map { [$0.systolic, $0.diastolic, $0.mean] } ?? [0, 0, 0]
            let shown = record?.failure == nil ? values.map { Decimal.text($0, 3) }.joined() : "000000000"
            return [reply(" NA\(status)10\(record == nil || age > 5400 ? "9999" : Decimal.text(age, 4))\(shown)")]
        case " RA": return [reply(" RA3\(record.map { Decimal.text($0.pulse, 3) } ?? "-99")")]
        case " NC0":
            status = 0
            return [reply(" NC"), .arm(.overall, .seconds(20))]
        case " ND":
            if status == 0 { status = 1 }
            return [reply(" ND"), .disarm(.overall), .note("cancelled")]
        default: return []
        }
    }

    private func reply(_ text: String) -> SimulatorAction {
        let bytes = Array(text.utf8)
        return .write(script.options["check"] == "no" ? bytes + [DinamapLine.carriageReturn] : DinamapLine.encode(bytes))
    }
}
