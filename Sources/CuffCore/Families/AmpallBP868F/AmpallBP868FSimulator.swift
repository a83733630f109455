extension PushSimulator {
    /// Pushes its records; with `digits: 12` without the arrhythmia digit.
    static func ampallBP868F(_ script: SimulatorScript) -> PushSimulator {
        let isShort = script.options["digits"] == "12"
        return PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let values = [record.systolic, record.mean, record.diastolic, record.pulse].flatMap { Decimal.text($0, 3).utf8 }
            let arrhythmia: [UInt8] = isShort ? [] : [record.flags.contains(.irregularPulse) ? 0x31 : 0x30]
            return [AmpallBP868FFrame.caret] + values + arrhythmia + [AmpallBP868FFrame.caret]
        }
    }
}
