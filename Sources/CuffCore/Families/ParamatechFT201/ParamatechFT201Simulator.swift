extension PushSimulator {
    static func paramatechFT201(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let time = Array(record.time.printed.utf8)
            var frame = [ParamatechFT201Frame.stx, 0x20] + time[..<6] + [0x20] + time[6...]
            for value in [record.systolic, record.diastolic, record.pulse] { frame += [0x20] + Array(Decimal.text(value, 3).utf8) }
            frame.append(ParamatechFT201Frame.etx)
            return frame
        }
    }
}
