/// A Dash that shows its first record; with `pushes` the next one from every third answer. It answers only the known request, and also
/// shows an ECG and an arterial line. The check, which is unknown, is two zeros.
struct GeUnitySimulator: CuffSimulator {
    private let script: SimulatorScript
    private var buffer: [UInt8] = []
    private var answers = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        buffer += bytes
        var actions: [SimulatorAction] = []
        let request = GeUnityFrame.request
        while buffer.takeQuestion(of: request.count, where: { $0 == request }) != nil { actions.append(.write(answer())) }
        return actions
    }

    private mutating func answer() -> [UInt8] {
        let current = script.pushes ? min(answers / 3, max(0, script.records.count - 1)) : 0
        answers += 1
        var values = [-32767, -32767, -32767]
        if script.records.indices.contains(current), script.records[current].failure == nil {
            let record = script.records[current]
            values = [record.mean, record.systolic, record.diastolic]
        }
        let parameters = [
            Self.parameter(type: 1, code: 1, [72, 0, -32767]), Self.parameter(type: 2, code: 77, [98, 142, 76]),
            Self.parameter(type: 10, code: 24, values),
        ]
        let count = GeUnityFrame.summaryLength + parameters.count * GeUnityFrame.parameterLength
        let head = ([UInt8]().padded(to: 13) + [201, 0, 20, 0, 1]).padded(to: 24) + Array("SIMULATED".utf8).padded(to: 34)
        return head + [UInt8](bigEndian: [count]) + [0, 0, 0, 1, UInt8(parameters.count), 0] + parameters.joined() + [0, 0]
    }

    private static func parameter(type: UInt8, code: UInt8, _ values: [Int]) -> [UInt8] {
        ([0, 0, 0, 0] + [UInt8](bigEndian: values)).padded(to: 64) + [type, code, 0, 0]
    }
}
