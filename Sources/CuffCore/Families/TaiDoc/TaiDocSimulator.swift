/// A TD-3128, newest record first. Asked for user 0 it gives the records of all. `users: first`: those of user 1; `users: ignored`:
/// it ignores the user and gives all records.
struct TaiDocSimulator: CuffSimulator {
    private var records: [SimulatedRecord]
    private var clock: DeviceTime
    private let model: [UInt8]
    private let users: String?
    private var reader = FrameReader(TaiDocFrame())

    init(_ script: SimulatorScript) {
        records = script.records
        clock = script.clock
        users = script.options["users"]
        model = script.options["model"].flatMap { Hex.bytes($0) }.flatMap { $0.count == 2 ? $0.reversed() : nil } ?? [0x28, 0x31]
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        return reader.wholeFrames(of: bytes).flatMap { answer($0) }
    }

    private mutating func answer(_ frame: [UInt8]) -> [SimulatorAction] {
        guard frame[6] == 0xA3, let command = TaiDocCommand(rawValue: frame[1]) else { return [] }
        let index = Int(frame[2]) | Int(frame[3]) << 8
        switch command {
        case .hello, .communicate: return say(command, [0, 0, 0, 0])
        case .model: return say(command, model)
        case .clock: return say(command, TaiDocRecord.bytes(clock))
        case .setClock:
            if case .time(let time) = TaiDocRecord.clock(Array(frame[2..<6])) { clock = time }
            return say(command, Array(frame[2..<6]))
        case .count: return say(command, [UInt8(clamping: stored(frame[2]).count), 0, 0, 0])
        case .recordTime:
            let stored = stored(frame[5])
            return index < stored.count ? say(command, Self.time(stored[index])) : []
        case .recordValues:
            let stored = stored(frame[5])
            return index < stored.count ? say(command, Self.values(stored[index])) : []
        case .clear:
            records = []
            return say(command, [0, 0, 0, 0]) + [.note("cleared")]
        }
    }

    private func stored(_ user: UInt8) -> [SimulatedRecord] {
        let named = users == "ignored" ? 0 : users == "first" ? max(1, user) : user
        return records.filter { named == 0 || $0.user == Int(named) }.reversed()
    }

    private func say(_ command: TaiDocCommand, _ data: [UInt8]) -> [SimulatorAction] {
        [.write(TaiDocFrame.encode(command, data, direction: 0xA5))]
    }

    private static func time(_ record: SimulatedRecord) -> [UInt8] {
        var bytes = TaiDocRecord.bytes(record.time)
        bytes[2] |= record.flags.contains(.irregularPulse) ? 0xC0 : 0x80
        if record.flags.contains(.averaged) { bytes[3] |= 0x80 }
        return bytes
    }

    private static func values(_ record: SimulatedRecord) -> [UInt8] {
        let values = record.failure == nil ? [record.systolic, record.mean, record.diastolic, record.pulse] : [0, 0, 0, 0]
        return values.map { UInt8(clamping: $0) }
    }
}
