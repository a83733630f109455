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
        while buffer.count >= request.count {
            if buffer.starts(with: request) {
                buffer.removeFirst(request.count)
                actions.append(.write(answer()))
            } else {
                buffer.removeFirst()
            }
        }
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
        var head = [UInt8](repeating: 0, count: GeUnityFrame.headLength)
        head[13] = 201
        head[15] = 20
        head[17] = 1
        for (index, byte) in "SIMULATED".utf8.enumerated() { head[24 + index] = byte }
        head[58] = UInt8(count >> 8)
        head[59] = UInt8(count & 255)
        return head + [0, 0, 0, 1, UInt8(parameters.count), 0] + parameters.joined() + [0, 0]
    }

    private static func parameter(type: UInt8, code: UInt8, _ values: [Int]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: GeUnityFrame.parameterLength)
        for (index, value) in values.enumerated() {
            let word = UInt16(bitPattern: Int16(clamping: value))
            bytes[4 + 2 * index] = UInt8(word >> 8)
            bytes[5 + 2 * index] = UInt8(word & 255)
        }
        bytes[64] = type
        bytes[65] = code
        return bytes
    }
}
