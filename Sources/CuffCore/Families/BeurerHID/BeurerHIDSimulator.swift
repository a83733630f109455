/// A BM58 in PC mode: user 1 newest first, then user 2. With `pc-mode: no` it is silent.
struct BeurerHIDSimulator: CuffSimulator {
    private let records: [SimulatedRecord]
    private let isInPCMode: Bool

    init(_ script: SimulatorScript) {
        let stored = Array(script.records.filter { $0.failure == nil }.reversed())
        records = stored.filter { $0.user == 1 } + stored.filter { $0.user != 1 }
        isInPCMode = script.options["pc-mode"] != "no"
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard isInPCMode, case .received(let report) = event, let command = report.first else { return [] }
        switch command {
        case 0xAA: return say([0x55])
        case 0xA2: return say([UInt8(clamping: records.count)])
        case 0xA3:
            let index = Int(report.span.byte(1) ?? 0)
            return index >= 1 && index <= records.count
                ? say(Self.record(records[index - 1])) : say([BeurerHIDReport.noRecord])
        case 0xA4: return say(Array("ANDON BP".utf8))
        case 0xA5: return say(Array("M USB 08".utf8))
        case 0xA6, 0xA7: return say([])
        case 0xF6: return [.note("the session ended")]
        default: return []
        }
    }

    private func say(_ bytes: [UInt8]) -> [SimulatorAction] { [.write(BeurerHIDReport.question(bytes))] }

    private static func record(_ record: SimulatedRecord) -> [UInt8] {
        let time = record.time
        return [
            UInt8(clamping: record.systolic - 25), UInt8(clamping: record.diastolic - 25),
            UInt8(clamping: record.pulse),
            time.month | (record.flags.contains(.bodyMovement) ? 0x80 : 0), time.day | (record.user == 1 ? 0 : 0x80),
            time.hour, time.minute,
            UInt8(clamping: Int(time.year) - 2000) & 0x1F | (record.flags.contains(.irregularPulse) ? 0x80 : 0),
        ]
    }
}
