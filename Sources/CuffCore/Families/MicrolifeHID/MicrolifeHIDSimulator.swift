/// A B3 Comfort PC with its memory, oldest record first. As the recorded one it fills the high nibble of its counts.
struct MicrolifeHIDSimulator: CuffSimulator {
    private static let reports = CountedReports(.lowNibble)
    private let records: [SimulatedRecord]
    private var reader = FrameReader(MicrolifeHIDFrame())

    init(_ script: SimulatorScript) { records = Array(script.stored.prefix(255)) }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let report) = event, let payload = Self.reports.payload(of: report) else { return [] }
        return reader.wholeFrames(of: Array(payload)).flatMap { frame in
            if frame == MicrolifeHIDFrame.readMemory { return memory() }
            return frame.count == 12 && frame[4] == 0x0D ? [.note("the clock was set to \(Hex.text(frame[5..<11]))")] : []
        }
    }

    private func memory() -> [SimulatorAction] {
        var body = [0, 0, 0, UInt8(records.count), 1].padded(to: MicrolifeHIDFrame.header - 4)
        for record in records {
            var status: UInt8 = record.flags.contains(.cuffLoose) ? 0 : 0x80
            if record.flags.contains(.irregularPulse) { status |= 0x40 }
            body += record.bytes + record.time.fields + [status, 0]
        }
        return Self.reports.reports(of: MicrolifeHIDFrame.encode(body, direction: 0x3A)).map {
            .write([$0[0] | 0xF0] + $0[1...])
        }
    }
}
