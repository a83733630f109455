/// Sends each record as a message; after AE, or five seconds without an answer, repeats it. `variant: mindray` sends a heartbeat before
/// each result and awaits no answer; `bare` omits the MLLP bytes, `loinc` has LOINC codes and times in OBR-7.
struct HL7ORUSimulator: CuffSimulator {
    /// Longer than a message without MLLP waits for its end.
    private static let patience = Duration.seconds(5)

    private let script: SimulatorScript
    private let variant: String
    private var next = 0
    private var isWaiting = false
    private var heard: [UInt8] = []

    init(_ script: SimulatorScript) {
        self.script = script
        variant = script.options["variant"] ?? "comen"
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened:
            heard = []
            isWaiting = false
            return script.pushes && next < script.records.count ? [.arm(.poll, script.interval)] : []
        case .timerFired(.poll): return send()
        case .timerFired(.response) where isWaiting: return [.note("no answer: sent again")] + send()
        case .received(let bytes): return hear(bytes)
        default: return []
        }
    }

    private mutating func send() -> [SimulatorAction] {
        guard next < script.records.count else { return [] }
        let messages = messages(script.records[next])
        guard variant != "mindray" else {
            next += 1
            return messages.map { .write($0) } + goOn()
        }
        isWaiting = true
        return messages.map { .write($0) } + [.arm(.response, Self.patience)]
    }

    private func goOn() -> [SimulatorAction] { next < script.records.count ? [.arm(.poll, script.interval)] : [] }

    private mutating func hear(_ bytes: [UInt8]) -> [SimulatorAction] {
        // An answer has less than half a kilobyte.
        heard = Array((heard + bytes).suffix(512))
        guard isWaiting else { return [] }
        let text = String(decoding: heard, as: UTF8.self)
        let isAccepted = text.contains("MSA|AA|\(controlID)\r")
        guard isAccepted || text.contains("MSA|AE|\(controlID)\r") else { return [] }
        heard = []
        guard isAccepted else { return [.note("AE: sent again later")] }
        isWaiting = false
        next += 1
        return [.disarm(.response), .note("acknowledged")] + goOn()
    }

    private var controlID: String { "CUFF\(next + 1)" }

    private func messages(_ record: SimulatedRecord) -> [[UInt8]] {
        let message = (variant == "mindray" ? mindray(record) : observations(record)).map { "\($0)\r" }.joined()
        let heartbeat = "MSH|^~\\&|||||||ORU^R01|106|P|2.3.1|\r"
        return (variant == "mindray" ? [heartbeat, message] : [message]).map { text in
            variant == "bare"
                ? Array(text.utf8) : [HL7Frame.blockStart] + text.utf8 + [HL7Frame.blockEnd, HL7Frame.carriageReturn]
        }
    }

    private func observations(_ record: SimulatedRecord) -> [String] {
        let time = Self.stamp(record.time)
        let isLOINC = variant == "loinc"
        let codes =
            isLOINC
            ? [
                "8480-6^Systolic blood pressure^LN", "8462-4^Diastolic blood pressure^LN", "8478-0^Mean blood pressure^LN",
                "8867-4^Pulse^LN",
            ]
            : [
                "150301^MDC_PRESS_CUFF_SYS^MDC", "150302^MDC_PRESS_CUFF_DIA^MDC", "150303^MDC_PRESS_CUFF_MEAN^MDC",
                "149546^MDC_PULS_RATE_NON_INV^MDC",
            ]
        let unit = isLOINC ? "mmHg" : "266016^MDC_DIM_MMHG^MDC"
        let rate = isLOINC ? "/min" : "264864^MDC_DIM_BEAT_PER_MIN^MDC"
        let values = [record.systolic, record.diastolic, record.mean, record.pulse]
        let header = [
            "MSH|^~\\&|SIMULATED|CUFF|||\(time)||ORU^R01^ORU_R01|\(controlID)|P|2.6", "PID|||SIM\(record.user)",
            "OBR||||1^MON_PARAM|||\(time)",
        ]
        return header
            + codes.indices.map { index in
                let value = record.failure == nil ? String(values[index]) : ""
                let own = isLOINC ? "" : time
                let code = codes[index].prefix { $0 != "^" }
                return "OBX|\(index + 1)|NM|\(codes[index])|1.1.9.\(code)|\(value)|\(index < 3 ? unit : rate)|||||"
                    + "\(record.failure == nil ? "F" : "X")|||\(own)"
            }
    }

    private func mindray(_ record: SimulatedRecord) -> [String] {
        let time = Self.stamp(record.time)
        let values = [("170^Sys", record.systolic), ("171^Dia", record.diastolic), ("172^Mean", record.mean)]
        return ["MSH|^~\\&|||||||ORU^R01|503|P|2.3.1|", "PID|||SIM\(record.user)", "OBR||||Monitor|||0|"]
            + values.map { code, value in "OBX||NM|\(code)|2105|\(record.failure == nil ? String(value) : "")||||||F|||\(time)" }
    }

    private static func stamp(_ time: DeviceTime) -> String { Decimal.pairs(time.pairs) }
}
