/// Sends a message per second with flat waves; each `interval` its NIBP line changes to the next record. A failed record has no values.
struct AnsarBSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var shown = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened:
            guard script.pushes else { return [] }
            return [.arm(.overall, .seconds(1))] + (shown < script.records.count ? [.arm(.poll, script.interval)] : [])
        case .timerFired(.overall): return [.write(message()), .arm(.overall, .seconds(1))]
        case .timerFired(.poll):
            shown = min(shown + 1, script.records.count)
            return [.write(message())] + (shown < script.records.count ? [.arm(.poll, script.interval)] : [])
        default: return []
        }
    }

    private func message() -> [UInt8] {
        let record = shown > 0 ? script.records[shown - 1] : nil
        let values = record.flatMap { $0.failure == nil ? "\($0.systolic);\($0.diastolic);\($0.mean);\($0.pulse)" : nil } ?? ";;;"
        return Self.message("NIBP=4;\(values);;")
    }

    static func message(_ line: String) -> [UInt8] {
        let lines = ["HR=1;80;", "SPO2=1;98;PR=80 ;", line, "P1=3;111;73;88;;", "T1=1;;;"]
        var message = [0xFF] + Array("ANSAR-B ".utf8)
        message += [UInt8](repeating: 0x80, count: AnsarBFrame.waves)
        for line in lines { message += Array("\(line)\r".utf8) }
        return message + [AnsarBFrame.end]
    }
}
