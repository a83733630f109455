extension PushSimulator {
    /// Pushes its records. The output after a failed measurement is in no source.
    static func sunrom1437(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let values = [record.systolic, record.diastolic, record.pulse].map { Decimal.text($0, 3) }
            return Array(" \(values.joined(separator: ", "))\n".utf8)
        }
    }
}
