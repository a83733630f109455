/// A BPM25: answers each request with its whole memory. The unknown header and check bytes are the request's first two and zero.
struct VerovalBPM25Simulator: CuffSimulator {
    private let script: SimulatorScript
    private var buffer: [UInt8] = []

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        buffer += bytes
        var actions: [SimulatorAction] = []
        let known = [VerovalBPM25Answer.question, VerovalBPM25Answer.closing]
        while let question = buffer.takeQuestion(of: 5, where: { known.contains($0) }) {
            actions.append(question == VerovalBPM25Answer.question ? .write(answer()) : .note("closed"))
        }
        return actions
    }

    private func answer() -> [UInt8] {
        let records = script.stored.prefix(255)
        var bytes: [UInt8] = [0xA5, 0xF9, UInt8(records.count)]
        var index: [Int: UInt8] = [:]
        for record in records {
            index[record.user, default: 0] &+= 1
            let (time, values) = (record.time, record.bytes)
            bytes += [UInt8(clamping: record.user), index[record.user] ?? 0, 0, values[0], 0, values[1]]
            bytes += [record.flags.contains(.irregularPulse) ? 1 : 0, values[2], time.month, time.day]
            bytes += [UInt8](bigEndian: [Int(time.year)]) + [time.hour, time.minute]
        }
        return bytes + [0]
    }
}
