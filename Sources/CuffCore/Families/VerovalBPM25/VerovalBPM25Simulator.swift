/// A BPM25: answers each request with its whole memory. The unknown header and check bytes are the request's first two and zero.
struct VerovalBPM25Simulator: CuffSimulator {
    private let script: SimulatorScript
    private var buffer: [UInt8] = []

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        buffer += bytes
        var actions: [SimulatorAction] = []
        while buffer.count >= 5 {
            let question = Array(buffer.prefix(5))
            let isKnown = question == VerovalBPM25Answer.question || question == VerovalBPM25Answer.closing
            buffer.removeFirst(isKnown ? 5 : 1)
            if question == VerovalBPM25Answer.question { actions.append(.write(answer())) }
            if question == VerovalBPM25Answer.closing { actions.append(.note("closed")) }
        }
        return actions
    }

    private func answer() -> [UInt8] {
        let records = script.records.filter { $0.failure == nil }.prefix(255)
        var bytes: [UInt8] = [0xA5, 0xF9, UInt8(records.count)]
        var index: [Int: UInt8] = [:]
        for record in records {
            index[record.user, default: 0] &+= 1
            let time = record.time
            bytes += [
                UInt8(clamping: record.user), index[record.user] ?? 0, 0, UInt8(clamping: record.systolic), 0,
                UInt8(clamping: record.diastolic), record.flags.contains(.irregularPulse) ? 1 : 0,
                UInt8(clamping: record.pulse), time.month, time.day, UInt8(clamping: Int(time.year) >> 8),
                UInt8(truncatingIfNeeded: time.year), time.hour, time.minute,
            ]
        }
        return bytes + [0]
    }
}
