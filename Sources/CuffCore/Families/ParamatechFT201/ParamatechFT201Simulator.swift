extension PushSimulator {
    static func paramatechFT201(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let time = Array(record.time.printed.utf8)
            let values = [record.systolic, record.diastolic, record.pulse].map { Array(Decimal.text($0, 3).utf8) }
            let fields = [Array(time[..<6]), Array(time[6...])] + values
            return [ParamatechFT201Frame.stx] + fields.flatMap { [0x20] + $0 } + [ParamatechFT201Frame.etx]
        }
    }
}
