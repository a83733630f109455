/// A monitor in native binary mode: fifty blocks a second with flat waves and empty parameters, for two hundred blocks. The script's
/// records are not used, because their encoding is unknown.
struct DinamapNativeSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var sent = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened: return script.pushes ? [.arm(.poll, .milliseconds(20))] : []
        case .timerFired(.poll):
            let block = DinamapNativeFrame.encode(sequence: UInt8(sent % 200), [UInt8](repeating: 0, count: 14))
            sent += 1
            return [.write(block)] + (sent < 200 ? [.arm(.poll, .milliseconds(20))] : [])
        default: return []
        }
    }
}
