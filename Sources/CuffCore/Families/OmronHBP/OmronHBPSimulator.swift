extension PushSimulator {
    /// An HBP-9030 in format 5, or with `format: bp` an HBP-9020: sends its records, one per interval. With `twice: yes` each line
    /// is sent twice, as some do.
    static func omronHBP(_ script: SimulatorScript) -> PushSimulator {
        PushSimulator(script) { record in
            let line = omronHBPLine(record, isShort: script.options["format"] == "bp")
            return script.options["twice"] == "yes" ? line + line : line
        }
    }

    private static func omronHBPLine(_ record: SimulatedRecord, isShort: Bool) -> [UInt8] {
        let time = record.time
        let id = String(repeating: "9", count: 20)
        let date = [Int(time.month), Int(time.day)].map { Decimal.text($0, 2) }
        let clock = [Int(time.hour), Int(time.minute)].map { Decimal.text($0, 2) }
        let year = Decimal.text(Int(time.year), 4)
        let moves = record.flags.contains(.bodyMovement) ? 1 : 0
        func value(_ number: Int) -> String { record.failure == nil ? Decimal.text(number, 3) : isShort ? "000" : "   " }
        let values = [record.systolic, record.diastolic, record.pulse].map(value)
        let text =
            isShort
            ? "bp,\(id),\(year)/\(date[0])/\(date[1]),\(clock[0]):\(clock[1]),\(values[0]),\(value(record.mean)),\(values[1]),\(values[2]),\(moves)\r\n"
            : "\(year),\(date[0]),\(date[1]),\(clock[0]),\(clock[1]),\(id),\(record.failure == nil ? 0 : 1),\(values[0]),\(values[1]),\(values[2]),\(moves)\r\n"
        return Array(text.utf8)
    }
}
