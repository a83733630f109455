/// A PM6750 whose NIBP channel answers a start with running packets twice a second and then its next record, three times.
/// ECG packets stand between them, as on a board whose other channels are enabled.
struct BerryPM6750Simulator: CuffSimulator {
    private static let ecg = BerryPM6750Frame.encode([0x01] + [UInt8](repeating: 0x80, count: 7))
    private static let cuffPressures: [UInt8] = [20, 60, 90, 75, 50, 25]

    private let script: SimulatorScript
    private var reader = FrameReader(BerryPM6750Frame())
    private var next = 0
    private var step: Int?

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received(let bytes):
            return reader.wholeFrames(of: bytes).filter { $0.count == 6 }.flatMap { obey($0) }
        case .timerFired(.poll): return tick()
        default: return []
        }
    }

    private mutating func obey(_ frame: [UInt8]) -> [SimulatorAction] {
        if frame == BerryPM6750Command.start {
            guard !script.records.isEmpty, step == nil else { return [.write(packet(status: 6))] }
            step = 0
            return [.arm(.poll, .milliseconds(500))]
        }
        if frame == BerryPM6750Command.stop {
            step = nil
            return [.disarm(.poll), .note("deflated"), .write(packet(status: 2))]
        }
        return [.note("command \(Hex.text(frame.dropFirst(3).prefix(2)))")]
    }

    private mutating func tick() -> [SimulatorAction] {
        guard let now = step else { return [] }
        step = now + 1
        if now < Self.cuffPressures.count {
            return [.write(Self.ecg + packet(status: 1, cuff: Self.cuffPressures[now])), .arm(.poll, .milliseconds(500))]
        }
        let record = script.records[min(next, script.records.count - 1)]
        let isLast = now == Self.cuffPressures.count + 2
        if isLast {
            next = min(next + 1, script.records.count)
            step = nil
        }
        return [.write(result(record) + Self.ecg)] + (isLast ? [] : [.arm(.poll, .milliseconds(500))])
    }

    private func result(_ record: SimulatedRecord) -> [UInt8] {
        if let failure = record.failure { return packet(status: Self.status(failure)) }
        return packet(status: 0, values: [record.systolic, record.mean, record.diastolic])
    }

    private static func status(_ failure: FailureReason) -> UInt8 {
        switch failure {
        case .stopped: 2
        case .overPressure: 3
        case .cuffLoose: 4
        case .timeout: 5
        case .movement: 7
        case .outOfRange: 8
        default: 6
        }
    }

    private func packet(status: UInt8, cuff: UInt8 = 0, values: [Int] = [0, 0, 0]) -> [UInt8] {
        BerryPM6750Frame.encode([0x03, status << 2, cuff] + values.map { UInt8(clamping: $0) })
    }
}
