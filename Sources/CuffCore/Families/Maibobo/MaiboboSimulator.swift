/// Acknowledges connect, start and stop, sends live pressure, then its next record. With `pushes` it also sends records unasked.
struct MaiboboSimulator: CuffSimulator {
    private static let cuffPressures = [40, 100, 160, 130, 95, 60]

    private let script: SimulatorScript
    private var next = 0
    private var step: Int?
    private var buffer: [UInt8] = []

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened: return script.pushes && !script.records.isEmpty ? [.arm(.poll, script.interval)] : []
        case .received(let bytes):
            buffer += bytes
            return obeyAll()
        case .timerFired(.overall): return tick()
        case .timerFired(.poll): return push()
        default: return []
        }
    }

    /// Host frames have eight bytes; invalid ones are skipped byte by byte.
    private mutating func obeyAll() -> [SimulatorAction] {
        var actions: [SimulatorAction] = []
        while buffer.count >= 8 {
            let frame = Array(buffer.prefix(8))
            let isWhole = frame[0] == 0xCC && frame[1] == 0x80 && frame[3] == 3 && Array(frame[2..<7]).xor8 == frame[7]
            buffer.removeFirst(isWhole ? 8 : 1)
            if isWhole, frame[4] == 1, let command = MaiboboCommand(rawValue: frame[5]) {
                actions += obey(command, proto: frame[2])
            }
        }
        return actions
    }

    private mutating func obey(_ command: MaiboboCommand, proto: UInt8) -> [SimulatorAction] {
        let answer = SimulatorAction.write(MaiboboFrame.encode(0xAA, proto: proto, [0x01, command.rawValue, 0x00]))
        switch command {
        case .connect: return [.disarm(.poll), answer]
        case .start:
            guard !script.records.isEmpty else { return [] }
            step = 0
            return [.disarm(.poll), answer, .arm(.overall, .milliseconds(400))]
        case .stop:
            step = nil
            return [.disarm(.overall), .note("deflated"), answer]
        }
    }

    private mutating func tick() -> [SimulatorAction] {
        guard let now = step else { return [] }
        if now < Self.cuffPressures.count {
            step = now + 1
            return [.write(live(Self.cuffPressures[now])), .arm(.overall, .milliseconds(400))]
        }
        step = nil
        return [.write(result())]
    }

    private mutating func push() -> [SimulatorAction] {
        guard next < script.records.count, step == nil else { return [] }
        let frame = result()
        return [.write(frame)] + (next < script.records.count ? [.arm(.poll, script.interval)] : [])
    }

    /// Both offsets of the sources, so that either option shows the pressure.
    private func live(_ pressure: Int) -> [UInt8] {
        let low = UInt8(clamping: pressure)
        return MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x05, 0, low, 0, 0, low, 0])
    }

    private mutating func result() -> [UInt8] {
        let record = script.records[min(next, script.records.count - 1)]
        next = min(next + 1, script.records.count)
        if let failure = record.failure { return MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x07, Self.code(failure)]) }
        let values = [record.systolic, record.diastolic, record.pulse].flatMap { [UInt8(clamping: $0 >> 8), UInt8($0 & 255)] }
        let time = record.time
        let clock = [UInt8(clamping: Int(time.year) - 2000), time.month, time.day, time.hour, time.minute, time.second]
        return MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x06, 0x01] + clock + values)
    }

    private static func code(_ failure: FailureReason) -> UInt8 {
        switch failure {
        case .overPressure: 0x01
        case .leak: 0x0F
        default: 0x06
        }
    }
}
