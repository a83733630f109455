extension AnsweringSimulator {
    /// A Contec 08A with three users, oldest record first. With `power: off` it answers as if switched off.
    static func contec08A(_ script: SimulatorScript) -> AnsweringSimulator {
        AnsweringSimulator { report in
            switch report.first {
            case 0x40: return say([0x50, 0x8F])
            case 0x42: return say([0x48, 0x41, 0x02, 0x13, 0x01, 0x02])
            case 0x43 where script.options["power"] == "off": return say([0x4A, 0x43, 0x00])
            case 0x43:
                let user = Int(report.span.byte(3) ?? 0) - 3
                let stored = script.stored.filter { $0.user == user }.prefix(100)
                let header = [0x46, 0x41, 0x80, 0x80, 0x80 | UInt8(stored.count), 0x82].padded(to: 13, with: 0x80)
                return say([0x4A, 0x43, 0x01]) + say(header + [0x80 | UInt8(user & 3)]) + stored.flatMap { say(record($0)) }
            default: return []
            }
        }
    }

    private static func say(_ bytes: [UInt8]) -> [SimulatorAction] { [.write(bytes.padded(to: Contec08AReport.length))] }

    private static func record(_ record: SimulatedRecord) -> [UInt8] {
        let values = [0] + record.bytes + [UInt8(clamping: record.mean)] + record.time.fields + [0, 0x11]
        return stride(from: 0, to: values.count, by: 7).flatMap { start -> [UInt8] in
            let group = values[start..<min(start + 7, values.count)]
            var carried: UInt8 = 0x80
            for (place, value) in group.enumerated() where value & 0x80 != 0 { carried |= 1 << UInt8(place) }
            return [carried] + group.map { $0 | 0x80 }
        }
    }
}
