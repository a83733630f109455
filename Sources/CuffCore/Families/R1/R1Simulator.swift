/// An ACCUNIQ BP500: answers ENQ with its last result or zeros, deletes it on ACK, answers V. `variant: bp250` answers in the slash form,
/// followed by EOT, and is silent without a result. `variant: terumo` pushes its records and ignores input.
struct R1Simulator: CuffSimulator {
    private let script: SimulatorScript
    private var reader = FrameReader(R1Frame())
    private var stored: SimulatedRecord?
    private var next = 0

    init(_ script: SimulatorScript) {
        self.script = script
        stored = script.records.last
    }

    private var variant: String { script.options["variant"] ?? "bp500" }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened where variant == "terumo" && !script.records.isEmpty: return [.arm(.poll, script.interval)]
        case .timerFired(.poll):
            guard next < script.records.count else { return [] }
            let result = Self.result(script.records[next])
            next += 1
            return [.write(result)] + (next < script.records.count ? [.arm(.poll, script.interval)] : [])
        case .received(let bytes) where variant != "terumo":
            return reader.wholeFrames(of: bytes).filter { $0.count == 4 }.flatMap { answer($0[1]) }
        default: return []
        }
    }

    private mutating func answer(_ question: UInt8) -> [SimulatorAction] {
        switch question {
        case R1Frame.enq:
            if variant == "bp250" {
                return stored.map { [.write(Self.slashed($0)), .write(R1Frame.encode([R1Frame.eot]))] } ?? []
            }
            return [
                .write(
                    stored.map(Self.result) ?? R1Frame.encode(Array("R1,000000000,000000,000000,000,000,000,000,0000,0000,00000,000".utf8)))
            ]
        case R1Frame.ack:
            stored = nil
            return [.note("the stored result is deleted")]
        case R1Frame.version: return [.write(R1Frame.encode(Array("V1.00".utf8)))]
        default: return []
        }
    }

    private static func values(_ record: SimulatedRecord) -> String {
        let numbers = record.failure == nil ? [record.systolic, record.mean, record.diastolic, record.pulse] : [0, 0, 0, 0]
        return numbers.map { Decimal.text($0, 3) }.joined(separator: ",")
    }

    private static func result(_ record: SimulatedRecord) -> [UInt8] {
        let (date, clock) = (Decimal.pairs(record.time.pairs[1...3]), Decimal.pairs(record.time.pairs[4...]))
        return R1Frame.encode(Array("R1,000000000,\(date),\(clock),\(values(record)),0000,0000,00000,000".utf8))
    }

    private static func slashed(_ record: SimulatedRecord) -> [UInt8] {
        let fields = record.time.fields.map { Decimal.text(Int($0), 2) }
        let (date, clock) = (fields[..<3].joined(separator: "/"), fields[3...].joined(separator: "/"))
        return R1Frame.encode(Array("0000,\(date),\(clock),\(values(record)),0,0,0,0,0,0".utf8))
    }
}
