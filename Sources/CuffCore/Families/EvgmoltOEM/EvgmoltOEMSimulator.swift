/// An evgmolt board: runs for a few polls after a start, then marks its next record as new in one answer. A record present from the
/// beginning is marked too, so that a poll without a start finds it.
struct EvgmoltOEMSimulator: CuffSimulator {
    private static let rotation: [UInt8] = [0, 1, 2, 4, 5, 6, 7]
    /// Low three bits of status and the cuff pressure, per answer.
    private static let run: [(status: UInt8, cuff: Int)] = [(4, 0), (7, 60), (7, 150), (0x26, 120), (0x26, 90), (0x26, 60)]

    private let script: SimulatorScript
    private var next = 0
    private var shown: SimulatedRecord?
    private var isNew = false
    private var step: Int?
    private var place = 0
    private var isManometer = false

    init(_ script: SimulatorScript) {
        self.script = script
        shown = script.records.first
        isNew = shown != nil && shown?.failure == nil
        next = shown == nil ? 0 : 1
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        return bytes.flatMap { byte -> [SimulatorAction] in
            guard let command = EvgmoltOEMCommand(rawValue: byte) else { return [] }
            return obey(command)
        }
    }

    private mutating func obey(_ command: EvgmoltOEMCommand) -> [SimulatorAction] {
        switch command {
        case .poll: break
        case .start:
            step = 0
            isNew = false
        case .stop: step = nil
        case .manometerOn: isManometer = true
        case .manometerOff: isManometer = false
        }
        let answer = answer(command)
        return [.write(answer)] + (command == .stop ? [.note("deflated")] : [])
    }

    private mutating func answer(_ command: EvgmoltOEMCommand) -> [UInt8] {
        var status: UInt8 = 0
        var cuff = 0
        if let now = step {
            if now < Self.run.count {
                status = Self.run[now].status
                cuff = Self.run[now].cuff
                step = now + 1
            } else {
                step = nil
                shown = script.records.isEmpty ? nil : script.records[min(next, script.records.count - 1)]
                next += 1
                isNew = shown?.failure == nil && shown != nil
            }
        }
        if isNew && step == nil {
            status |= 0x40
            isNew = false
        }
        let index = Self.rotation[place % Self.rotation.count]
        place += 1
        let isGood = shown?.failure == nil
        var bytes: [UInt8] = [
            command.rawValue, UInt8(clamping: isGood ? shown?.systolic ?? 0 : 0),
            UInt8(clamping: isGood ? shown?.diastolic ?? 0 : 0), UInt8(truncatingIfNeeded: cuff),
            status | (cuff > 255 ? 0x80 : 0), step == nil ? error : 0, isManometer ? 0x10 : 0, index,
            value(index),
        ]
        bytes.append(bytes.sum8)
        return bytes
    }

    private func value(_ index: UInt8) -> UInt8 {
        switch index {
        case 0: 1
        case 1: 44
        case 2: 3
        case 6: UInt8(clamping: shown?.mean ?? 0)
        case 7: UInt8(clamping: shown?.pulse ?? 0)
        default: 0
        }
    }

    private var error: UInt8 { shown?.failure.map { UInt8(EvgmoltOEMSession.failures.code($0) ?? 7) } ?? 0 }
}
