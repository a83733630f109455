/// A Contec 08A with three users, oldest record first. With `power: off` it answers as if switched off.
struct Contec08ASimulator: CuffSimulator {
    private let records: [SimulatedRecord]
    private let isOn: Bool

    init(_ script: SimulatorScript) {
        records = script.records.filter { $0.failure == nil }
        isOn = script.options["power"] != "off"
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let report) = event, let command = report.first else { return [] }
        switch command {
        case 0x40: return say([0x50, 0x8F])
        case 0x42: return say([0x48, 0x41, 0x02, 0x13, 0x01, 0x02])
        case 0x43:
            guard isOn else { return say([0x4A, 0x43, 0x00]) }
            let user = Int(report.span.byte(3) ?? 0) - 3
            let stored = records.filter { $0.user == user }.prefix(100)
            let header: [UInt8] =
                [0x46, 0x41, 0x80, 0x80, 0x80 | UInt8(stored.count), 0x82] + [UInt8](repeating: 0x80, count: 7)
                + [0x80 | UInt8(user & 3)]
            return say([0x4A, 0x43, 0x01]) + say(header) + stored.flatMap { say(Self.record($0)) }
        default: return []
        }
    }

    private func say(_ bytes: [UInt8]) -> [SimulatorAction] { [.write(Contec08AReport.question(bytes))] }

    private static func record(_ record: SimulatedRecord) -> [UInt8] {
        let time = record.time
        let values: [UInt8] = [
            0, UInt8(clamping: record.systolic), UInt8(clamping: record.diastolic), UInt8(clamping: record.pulse),
            UInt8(clamping: record.mean), UInt8(clamping: Int(time.year) - 2000), time.month, time.day, time.hour,
            time.minute, 0, 0x11,
        ]
        return stride(from: 0, to: values.count, by: 7).flatMap { start -> [UInt8] in
            let group = values[start..<min(start + 7, values.count)]
            var carried: UInt8 = 0x80
            for (place, value) in group.enumerated() where value & 0x80 != 0 { carried |= 1 << UInt8(place) }
            return [carried] + group.map { $0 | 0x80 }
        }
    }
}
