extension AnsweringSimulator {
    /// The oldest record of each user is number 0. Every third record of user 1 is preceded by an ECG. With `pc-mode: no` it is silent.
    static func beurerBM96(_ script: SimulatorScript) -> AnsweringSimulator {
        // The records of user 1 and of user 2, without the two leading bytes. Numbers from F4 would be taken for padding.
        let records = (1...2).map { user in
            let all = script.stored.filter { $0.user == user }.enumerated().flatMap { index, record in
                let flags: UInt8 = record.flags.contains(.irregularPulse) ? 9 : 2
                let pressure = head(record, BeurerBM96Report.pressureSensor) + [flags, 0] + record.bytes
                let ecg = head(record, BeurerBM96Report.ecgSensor) + [0, 0, UInt8(clamping: record.pulse), 0, 0]
                return index % 3 == 0 && user == 1 ? [ecg, pressure] : [pressure]
            }
            return Array(all.prefix(0xF0))
        }
        return AnsweringSimulator { report in
            guard script.options["pc-mode"] != "no", let command = report.first else { return [] }
            switch command {
            case 0xAA: return say([0x55])
            case 0xA1: return say(Array("BM96".utf8))
            case 0xA2: return say(records.map { UInt8(clamping: $0.count) })
            case 0xA3:
                guard let user = report.span.byte(1), let index = report.span.byte(2), user < 2, Int(index) < records[Int(user)].count
                else { return [.note("no such record")] }
                return say([user, index] + records[Int(user)][Int(index)])
            case 0xF6: return [.note("it left its PC mode")]
            default: return []
            }
        }
    }

    private static func say(_ bytes: [UInt8]) -> [SimulatorAction] { [.write(bytes.padded(to: 64, with: BeurerBM96Report.filler))] }

    private static func head(_ record: SimulatedRecord, _ sensor: UInt8) -> [UInt8] {
        let time = record.time
        return [0, sensor, time.hour, time.minute, time.day, time.month, time.fields[0]]
    }
}
