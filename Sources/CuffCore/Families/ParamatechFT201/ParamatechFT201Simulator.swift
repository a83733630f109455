extension PushSimulator {
    static func paramatechFT201(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let time = record.time
            let date = [Int(time.year) % 100, Int(time.month), Int(time.day)].flatMap { Decimal.text($0, 2).utf8 }
            let clock = [Int(time.hour), Int(time.minute)].flatMap { Decimal.text($0, 2).utf8 }
            let values = [record.systolic, record.diastolic, record.pulse].map { Array(Decimal.text($0, 3).utf8) }
            let fields = [date, clock] + values
            return [ParamatechFT201Frame.stx] + fields.flatMap { [0x20] + $0 } + [ParamatechFT201Frame.etx]
        }
    }
}
