extension PushSimulator {
    /// Pushes its records; failed ones with the state 81.
    static func andUA767PC(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            let isGood = record.failure == nil
            let values = isGood ? [record.systolic - record.diastolic, record.diastolic, record.pulse, record.mean] : [0, 0, 0, 0]
            let code: UInt8 = isGood ? 0x80 : 0x81
            return ([code] + values.map { UInt8(clamping: $0) }).flatMap { Hex.upper($0) }
        }
    }
}
