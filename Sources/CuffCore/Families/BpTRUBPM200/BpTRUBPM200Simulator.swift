extension PushSimulator {
    /// A BPM-200 in use: for each record the start button, three pressures and the result, in one report, with 0 for the unknown CRC.
    static func bptruBPM200(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            func frame(_ id: BpTRUBPM200Frame.ID, _ data: UInt8...) -> [UInt8] {
                [0x02, id.rawValue] + data + [UInt8](repeating: 0, count: 4 - data.count) + [0x00, 0x03]
            }
            let top = UInt8(clamping: record.systolic + 30)
            let run =
                frame(.button, 0x04) + frame(.inflating, 40) + frame(.inflating, top) + frame(.deflating, UInt8(clamping: record.mean))
            guard let failure = record.failure else {
                return run
                    + frame(.result, 0, UInt8(clamping: record.systolic), UInt8(clamping: record.diastolic), UInt8(clamping: record.pulse))
            }
            return run + frame(.result, failure == .movement ? 0x81 : failure == .weakPulse ? 0x88 : 0x80)
        }
    }
}
