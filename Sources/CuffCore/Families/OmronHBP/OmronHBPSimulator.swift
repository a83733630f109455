/// An HBP-9030 in format 5, or with `format: bp` an HBP-9020: sends its records by itself, one per interval.
/// With `twice: yes` each line is sent twice, as some do.
struct OmronHBPSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var next = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened where !script.records.isEmpty: return [.arm(.poll, script.interval)]
        case .timerFired(.poll):
            guard next < script.records.count else { return [] }
            let line = Self.line(script.records[next], isShort: script.options["format"] == "bp")
            next += 1
            let sent = script.options["twice"] == "yes" ? line + line : line
            return [.write(sent)] + (next < script.records.count ? [.arm(.poll, script.interval)] : [])
        default: return []
        }
    }

    private static func line(_ record: SimulatedRecord, isShort: Bool) -> [UInt8] {
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
