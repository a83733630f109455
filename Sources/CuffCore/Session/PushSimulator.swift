/// A cuff that only sends its records, one per `interval`, and ignores input.
struct PushSimulator: CuffSimulator {
    private let script: SimulatorScript
    /// The frame of a record; `nil` if no source documents it.
    private let encode: @Sendable (SimulatedRecord) -> [UInt8]?
    private var next = 0

    init(_ script: SimulatorScript, encode: @escaping @Sendable (SimulatedRecord) -> [UInt8]?) {
        self.script = script
        self.encode = encode
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened: return script.pushes && !script.records.isEmpty ? [.arm(.poll, script.interval)] : []
        case .timerFired(.poll): return push()
        default: return []
        }
    }

    private mutating func push() -> [SimulatorAction] {
        guard next < script.records.count else { return [] }
        let record = script.records[next]
        next += 1
        let more: [SimulatorAction] = next < script.records.count ? [.arm(.poll, script.interval)] : []
        guard let frame = encode(record) else {
            return [.note("a failed measurement: no source says what this cuff sends, so it sends nothing")] + more
        }
        return [.write(frame)] + more
    }
}
