/// A Nano: pressures while it measures, a beat with its next record once a second, a status four times a second. It stops without
/// keep-alives. It sends every fifth pressure, 40 a second, or all with `rate: 200`.
struct NibpNanoSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var reader = FrameReader(NibpNanoFrame())
    private var isMeasuring = false
    private var time: UInt16 = 1000
    private var next = 0
    private var ticks = 0
    private var error: UInt8 = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened: return script.pushes && !script.records.isEmpty ? begin() : []
        case .received(let bytes):
            return reader.wholeFrames(of: bytes).flatMap { obey($0) }
        case .timerFired(.poll) where isMeasuring: return tick()
        case .timerFired(.overall) where isMeasuring:
            error = 45
            return end() + [.note("no keep-alive")]
        default: return []
        }
    }

    private mutating func obey(_ frame: [UInt8]) -> [SimulatorAction] {
        switch frame {
        case NibpNanoCommand.start:
            guard !script.records.isEmpty else { return [.write(status())] }
            error = 0
            return isMeasuring ? [] : begin() + [.arm(.overall, .seconds(2))]
        case NibpNanoCommand.stop: return [.note("deflated")] + end()
        case NibpNanoCommand.keepAlive: return isMeasuring ? [.arm(.overall, .seconds(2))] : []
        case NibpNanoCommand.hardware: return [.write(version(0x00))]
        case NibpNanoCommand.application: return [.write(version(0x0A))]
        default: return [.note("a command that is not simulated: \(Hex.text(frame))")]
        }
    }

    private mutating func begin() -> [SimulatorAction] {
        isMeasuring = true
        return [.write(status()), .arm(.poll, .milliseconds(250))]
    }

    private mutating func end() -> [SimulatorAction] {
        isMeasuring = false
        return [.disarm(.poll), .disarm(.overall), .write(status())]
    }

    private mutating func tick() -> [SimulatorAction] {
        ticks += 1
        var bytes: [UInt8] = []
        let record = script.records[next]
        for index in stride(from: 0, to: 50, by: script.options["rate"] == "200" ? 1 : 5) {
            let height = index < 25 ? index : 50 - index
            let tenths = record.diastolic * 10 + (record.systolic - record.diastolic) * 10 * height / 25
            bytes += NibpNanoFrame.encode(
                [0x64] + [UInt8](littleEndian: [Int(time) + index, tenths]) + [0, 0, 0, 0, 7])
        }
        time &+= 50
        bytes += status()
        guard ticks % 4 == 0 else { return [.write(bytes), .arm(.poll, .milliseconds(250))] }
        if record.failure == nil {
            let values = [record.systolic * 10, record.diastolic * 10, record.mean * 10, record.pulse * 10, 60_000 / max(1, record.pulse)]
            bytes += NibpNanoFrame.encode([0x62] + [UInt8](littleEndian: [Int(time)]) + [0] + [UInt8](littleEndian: values) + [0])
        } else {
            error = record.failure == .overPressure ? 39 : 46
            bytes += status()
        }
        next = (next + 1) % script.records.count
        let isLast = script.pushes && next == 0
        return [.write(bytes)] + (isLast ? end() : [.arm(.poll, .milliseconds(250))])
    }

    private func status() -> [UInt8] {
        let mode: UInt8 = error != 0 ? 15 : isMeasuring ? 3 : 1
        return NibpNanoFrame.encode(
            [0x73] + [UInt8](littleEndian: [Int(time)]) + [mode << 4, error, 0, 0, 0, 0, 0x40, 0x01, 0x40, 0, 0, 0, 0])
    }

    private func version(_ kind: UInt8) -> [UInt8] {
        let hardware = [0x76, kind].padded(to: 10) + [2].padded(to: 20) + Array("NANO-SIM-1".utf8)
        let application = [0x76, kind].padded(to: 12) + [2, 0, 1]
        return NibpNanoFrame.encode((kind == 0 ? hardware : application).padded(to: 0x82))
    }
}
