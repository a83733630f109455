/// A HEM-790IT, or with `variant: mes` a HEM-7301-ITKE7. As the real one it leaves stale bytes behind the count of its
/// reports. `not-ready` says how often it answers `08 60` to an opening, `refusals` how often NO to each record.
struct OmronHIDSimulator: CuffSimulator {
    private static let reports = CountedReports(.wholeByte)

    private let script: SimulatorScript
    private let isMES: Bool
    private var notReady: Int
    private let refusals: Int
    private var refused: [OmronQuestion: Int] = [:]
    private var records: [SimulatedRecord]
    private var question: [UInt8] = []
    private var zeros = 0
    private var isOpen = false
    private var last = [UInt8](repeating: 0, count: 8)

    init(_ script: SimulatorScript) {
        self.script = script
        isMES = script.options["variant"] == "mes"
        notReady = Int(script.options["not-ready"] ?? "") ?? 0
        refusals = Int(script.options["refusals"] ?? "") ?? 0
        records = script.stored
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        // Opening it again discards an incomplete question.
        case .receivedFeature, .opened:
            zeros = 0
            question = []
            return []
        case .received(let report): return received(report)
        default: return []
        }
    }

    private mutating func received(_ report: [UInt8]) -> [SimulatorAction] {
        guard let payload = Self.reports.payload(of: report), let first = payload.first else { return [] }
        if question.isEmpty && first == 0 {
            zeros += 1
            if zeros == (isMES ? 2 : 5) || payload.count == 2 { return opened() }
            return zeros == 1 && !isMES ? say([]) : []
        }
        question += payload
        guard let whole = OmronQuestion(question) else {
            if question.count > 9 { question = [] }
            return []
        }
        question = []
        zeros = 0
        return isOpen ? answer(whole) : []
    }

    private mutating func opened() -> [SimulatorAction] {
        zeros = 0
        if notReady > 0 {
            notReady -= 1
            last[0] = 8
            last[1] = 0x60
            return [.write(last)]
        }
        isOpen = true
        return say(Array("OK".utf8))
    }

    private mutating func answer(_ question: OmronQuestion) -> [SimulatorAction] {
        switch question.verb {
        case .version where !isMES: return say(data: Array("M7080IT 207".utf8))
        case .profile where !isMES: return say(data: Array("0010100000".utf8))
        case .serial where !isMES: return say(data: [6, 0, 0, 0, 0, 0, 0])
        case .count where !isMES:
            let count = UInt8(clamping: stored(bank: question.bank ?? 0).count)
            return say(data: [0, 0x0A, 0, count])
        case .reading where !isMES: return record(question, in: stored(bank: question.bank ?? 0))
        case .recordCount where isMES: return say(data: [0, UInt8(clamping: records.count)])
        case .record where isMES: return record(question, in: records.reversed())
        case .clock where isMES: return say(data: Self.stamp(script.clock))
        case .erase where isMES:
            records = []
            return say(Array("OK".utf8)) + [.note("erased")]
        case .end:
            isOpen = false
            return say(Array("OK".utf8)) + say(Array("OFF\r\n".utf8)) + [.note("switched off")]
        default: return say(Array("NO".utf8))
        }
    }

    private mutating func record(_ question: OmronQuestion, in stored: [SimulatedRecord]) -> [SimulatorAction] {
        let index = Int(question.index ?? 0)
        guard index < stored.count, refused[question, default: 0] >= refusals else {
            refused[question, default: 0] += 1
            return say(Array("NO".utf8))
        }
        let record = stored[index]
        var flags: UInt8 = record.flags.contains(.irregularPulse) ? 1 : 0
        if record.flags.contains(.bodyMovement) { flags |= 2 }
        let systolic = [UInt8](bigEndian: [record.systolic])
        return say(data: Self.stamp(record.time) + [0] + systolic + record.bytes.dropFirst() + [0, flags])
    }

    /// The newest first.
    private func stored(bank: UInt8) -> [SimulatedRecord] { records.filter { $0.user == Int(bank) + 1 }.reversed() }

    private static func stamp(_ time: DeviceTime) -> [UInt8] {
        time.fields + [time.second]
    }

    private mutating func say(data: [UInt8]) -> [SimulatorAction] {
        say(Array("OK".utf8) + [0] + data + [data.xor8])
    }

    private mutating func say(_ bytes: [UInt8]) -> [SimulatorAction] {
        let parts = bytes.isEmpty ? [[0]] : Self.reports.reports(of: bytes).map { Array($0.prefix(1 + Int($0[0]))) }
        return parts.map { part in
            for index in part.indices { last[index] = part[index] }
            return .write(last)
        }
    }
}
