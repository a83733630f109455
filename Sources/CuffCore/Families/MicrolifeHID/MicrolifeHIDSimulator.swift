/// A B3 Comfort PC with its memory, oldest record first. As the recorded one it fills the high nibble of its counts.
struct MicrolifeHIDSimulator: CuffSimulator {
    private static let reports = CountedReports(.lowNibble)
    private let records: [SimulatedRecord]
    private var reader = FrameReader(MicrolifeHIDFrame())

    init(_ script: SimulatorScript) { records = Array(script.records.filter { $0.failure == nil }.prefix(255)) }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let report) = event, let payload = Self.reports.payload(of: report) else { return [] }
        return reader.wholeFrames(of: Array(payload)).flatMap { frame in
            if frame == MicrolifeHIDFrame.readMemory { return memory() }
            return frame.count == 12 && frame[4] == 0x0D ? [.note("the clock was set to \(Hex.text(frame[5..<11]))")] : []
        }
    }

    private func memory() -> [SimulatorAction] {
        var body: [UInt8] =
            [0, 0, 0, UInt8(records.count), 1] + [UInt8](repeating: 0, count: MicrolifeHIDFrame.header - 9)
        for record in records {
            let time = record.time
            var status: UInt8 = record.flags.contains(.cuffLoose) ? 0 : 0x80
            if record.flags.contains(.irregularPulse) { status |= 0x40 }
            body += [
                UInt8(clamping: record.systolic), UInt8(clamping: record.diastolic), UInt8(clamping: record.pulse),
                UInt8(clamping: Int(time.year) - 2000), time.month, time.day, time.hour, time.minute, status, 0,
            ]
        }
        return Self.reports.reports(of: MicrolifeHIDFrame.encode(body, direction: 0x3A)).map {
            .write([$0[0] | 0xF0] + $0[1...])
        }
    }
}
