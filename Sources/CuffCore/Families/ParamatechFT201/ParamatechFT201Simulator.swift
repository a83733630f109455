extension PushSimulator {
    /// An FT-201 that pushes its records with their times.
    static func paramatechFT201(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let time = record.time
            let date = [Int(time.year) % 100, Int(time.month), Int(time.day)].flatMap { digits($0, 2) }
            let clock = [Int(time.hour), Int(time.minute)].flatMap { digits($0, 2) }
            let values = [record.systolic, record.diastolic, record.pulse].map { digits($0, 3) }
            let fields = [date, clock] + values
            return [ParamatechFT201Frame.stx] + fields.flatMap { [0x20] + $0 } + [ParamatechFT201Frame.etx]
        }
    }
}
