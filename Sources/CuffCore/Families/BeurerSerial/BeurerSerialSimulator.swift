/// A BM58 in PC mode: answers AA, A4, A2 and A3 n for its records. With `asleep: N` it ignores AA N times.
struct BeurerSerialSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var sleeps: Int
    private var awaitsNumber = false

    init(_ script: SimulatorScript) {
        self.script = script
        sleeps = script.options["asleep"].flatMap { Int($0) } ?? 0
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        var actions: [SimulatorAction] = []
        for byte in bytes {
            let answer = answer(byte)
            if !answer.isEmpty { actions.append(.write(answer)) }
        }
        return actions
    }

    private mutating func answer(_ byte: UInt8) -> [UInt8] {
        if awaitsNumber {
            awaitsNumber = false
            return record(Int(byte))
        }
        switch byte {
        case 0xAA:
            sleeps -= 1
            return sleeps < 0 ? [0x55] : []
        case 0xA4 where sleeps <= 0: return Array("Andon Blood Pressure Meter KD001".utf8)
        case 0xA2 where sleeps <= 0: return [UInt8(clamping: script.records.count)]
        case 0xA3 where sleeps <= 0:
            awaitsNumber = true
            return []
        default: return []
        }
    }

    private func record(_ number: Int) -> [UInt8] {
        guard number >= 1, number <= script.records.count else { return [0xA9] }
        let record = script.records[number - 1]
        let values = [record.systolic - 25, record.diastolic - 25, record.pulse].map { UInt8(clamping: $0) }
        return [0xAC] + values + record.time.fields.dropFirst() + record.time.fields.prefix(1)
    }
}
