extension PushSimulator {
    /// A board that pushes its records. What it sends after a failed measurement, no source says.
    static func sunrom1437(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            guard record.failure == nil else { return nil }
            let values = [record.systolic, record.diastolic, record.pulse].map { Decimal.text($0, 3) }
            return Array(" \(values.joined(separator: ", "))\n".utf8)
        }
    }
}
