import CuffCore

/// A driver of one's own, in any package. The cuff is FICTIONAL: it sends each result once, as `A5 systolic diastolic pulse sum`.
extension CuffDriver {
    public static let acme = CuffDriver(
        id: "acme-push", models: ["Acme BP-2"], summary: "fictional: results as they are measured", grade: .c, testedOn: .derived,
        line: LineSettings(rate: 9600), framing: "A5 and four bytes", check: "sum of all bytes before it", capabilities: .push,
        sources: ["none: the cuff is fictional"], makeSession: { _ in AcmeSession() }, makeSimulator: { AcmeSimulator($0) })
}

struct AcmeFrame: FrameFormat {
    static let startByte: UInt8? = 0xA5
    static let maximumLength = 5

    /// Its answer must not change when more bytes follow.
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xA5 else { return .reject(.notAStart) }
        guard bytes.count >= 5 else { return .needMore }
        return Checksum.sum8(bytes, 0..<4) == bytes[4] ? .frame(length: 5) : .reject(.badCheck)
    }
}

/// Writes nothing, whatever the command.
struct AcmeSession: FramedSession {
    var reader = FrameReader(AcmeFrame())
    var isFinished = false
    var capabilities: Capabilities { .push }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        let pressure = BloodPressure.mmHg(Int(frame[1]), Int(frame[2]), pulse: Int(frame[3]))
        actions.emit(Reading(.bloodPressure(pressure), driver: "acme-push", origin: .push, raw: RawBytes(frame)))
    }
}

struct AcmeSimulator: CuffSimulator {
    private let records: [SimulatedRecord]

    init(_ script: SimulatorScript) { records = script.records }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .opened = event else { return [] }
        return records.map { record in
            let frame = [0xA5] + [record.systolic, record.diastolic, record.pulse].map { UInt8(clamping: $0) }
            return .write(frame + [frame.reduce(0, &+)])
        }
    }
}
