/// Each start measures the next record in 20 s, with O, K and, after a start with 56, live pressures and the result.
struct SunTechAdvantageSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var buffer: [UInt8] = []
    private var current = 0
    private var step: Int?
    private var streams = false

    /// Cuff pressures of one measurement, one a second.
    private static let pressures = [3, 25, 60, 98, 134, 160, 171, 165, 158, 150, 142, 133, 125, 116, 108, 99, 90, 81, 52, 20]

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received(let bytes):
            buffer += bytes
            return answers()
        case .timerFired(.overall): return advance()
        default: return []
        }
    }

    /// Host packets have no length; unknown bytes are dropped up to the next 3A.
    private mutating func answers() -> [SimulatorAction] {
        var actions: [SimulatorAction] = []
        while let start = buffer.firstIndex(of: 0x3A) {
            buffer.removeFirst(start)
            guard buffer.count > 1 else { return actions }
            let lengths: [UInt8: Int] = [0x20: 3, 0x56: 3, 0x79: 5, 0x17: 5, 0x0C: 6, 0x81: 7, 0x8A: 3]
            guard let length = lengths[buffer[1]] else {
                buffer.removeFirst()
                continue
            }
            guard buffer.count >= length else { return actions }
            let packet = Array(buffer.prefix(length))
            guard packet.sum8 == 0 else {
                buffer.removeFirst()
                continue
            }
            buffer.removeFirst(length)
            actions += answer(Array(packet[1..<(length - 1)]))
        }
        buffer = []
        return actions
    }

    private mutating func answer(_ command: [UInt8]) -> [SimulatorAction] {
        func letter(_ character: UInt8) -> SimulatorAction { .write(SunTechPacket.module([character])) }
        switch command {
        case SunTechCommand.start, SunTechCommand.startStream:
            guard step == nil else { return [letter(0x42)] }
            step = 0
            streams = command == SunTechCommand.startStream
            return [letter(0x4F), .arm(.overall, .seconds(1))]
        case SunTechCommand.abort:
            step = nil
            return [letter(0x41), .disarm(.overall), .note("deflated")]
        case SunTechCommand.result: return [.write(SunTechPacket.module(result()))]
        case SunTechCommand.cuffPressure:
            let pressure = step.map { Self.pressures[min($0, Self.pressures.count - 1)] } ?? 0
            return [.write(SunTechPacket.module([UInt8](littleEndian: [pressure])))]
        default: return command.first == 0x17 ? [letter(0x4F)] : []
        }
    }

    private mutating func advance() -> [SimulatorAction] {
        guard let now = step else { return [] }
        guard now + 1 < Self.pressures.count else {
            step = nil
            current = min(current + 1, max(0, script.records.count - 1))
            let live = streams ? [SimulatorAction.write(SunTechPacket.module([3] + result()))] : []
            return [.write(SunTechPacket.module([0x4B]))] + live
        }
        step = now + 1
        let pressure = Self.pressures[now]
        let live = streams ? [SimulatorAction.write(SunTechPacket.module([1, UInt8(pressure & 0xFF), UInt8(pressure >> 8), 0]))] : []
        return live + [.arm(.overall, .seconds(1))]
    }

    private func result() -> [UInt8] {
        guard script.records.indices.contains(current) else { return [UInt8](repeating: 0, count: 21) }
        let record = script.records[current]
        guard record.failure == nil else { return [UInt8](repeating: 0, count: 18) + [87, 0, 0] }
        return [UInt8](littleEndian: [record.systolic, record.diastolic]) + [30, 1, 0, 0, 0, 0, 0, 0, 0x31, 0x07]
            + [UInt8](littleEndian: [record.pulse, record.mean]) + [0, 0, 0]
    }
}
