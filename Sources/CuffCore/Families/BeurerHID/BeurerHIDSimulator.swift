extension AnsweringSimulator {
    /// A BM58 in PC mode: user 1 newest first, then user 2. With `pc-mode: no` it is silent.
    static func beurerHID(_ script: SimulatorScript) -> AnsweringSimulator {
        let stored = Array(script.stored.reversed())
        let records = stored.filter { $0.user == 1 } + stored.filter { $0.user != 1 }
        return AnsweringSimulator { report in
            guard script.options["pc-mode"] != "no", let command = report.first else { return [] }
            switch command {
            case 0xAA: return say([0x55])
            case 0xA2: return say([UInt8(clamping: records.count)])
            case 0xA3:
                let index = Int(report.span.byte(1) ?? 0)
                return say(index >= 1 && index <= records.count ? record(records[index - 1]) : [BeurerHIDReport.noRecord])
            case 0xA4: return say(Array("ANDON BP".utf8))
            case 0xA5: return say(Array("M USB 08".utf8))
            case 0xA6, 0xA7: return say([])
            case 0xF6: return [.note("the session ended")]
            default: return []
            }
        }
    }

    private static func say(_ bytes: [UInt8]) -> [SimulatorAction] { [.write(BeurerHIDReport.question(bytes))] }

    private static func record(_ record: SimulatedRecord) -> [UInt8] {
        let time = record.time
        return [
            UInt8(clamping: record.systolic - 25), UInt8(clamping: record.diastolic - 25), UInt8(clamping: record.pulse),
            time.month | (record.flags.contains(.bodyMovement) ? 0x80 : 0), time.day | (record.user == 1 ? 0 : 0x80),
            time.hour, time.minute, time.fields[0] & 0x1F | (record.flags.contains(.irregularPulse) ? 0x80 : 0),
        ]
    }
}
