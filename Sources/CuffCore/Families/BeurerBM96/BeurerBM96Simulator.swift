/// The oldest record of each user is number 0. Every third record of user 1 is preceded by an ECG. With `pc-mode: no` it is silent.
struct BeurerBM96Simulator: CuffSimulator {
    private static let answerSize = 64
    private let isInPCMode: Bool
    /// The records of user 1 and of user 2, without the two leading bytes.
    private let records: [[[UInt8]]]

    init(_ script: SimulatorScript) {
        isInPCMode = script.options["pc-mode"] != "no"
        records = (1...2).map { user in
            let stored = script.records.filter { $0.failure == nil && $0.user == user }
            let all = stored.enumerated().flatMap { index, record in
                index % 3 == 0 && user == 1 ? [Self.ecg(record), Self.pressure(record)] : [Self.pressure(record)]
            }
            // Numbers from F4 would be taken for padding.
            return Array(all.prefix(0xF0))
        }
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard isInPCMode, case .received(let report) = event, let command = report.first else { return [] }
        switch command {
        case 0xAA: return say([0x55])
        case 0xA1: return say(Array("BM96".utf8))
        case 0xA2: return say(records.map { UInt8(clamping: $0.count) })
        case 0xA3:
            guard let user = report.span.byte(1), let index = report.span.byte(2), user < 2, Int(index) < records[Int(user)].count
            else { return [.note("no such record")] }
            return say([user, index] + records[Int(user)][Int(index)])
        case 0xF6: return [.note("it left its PC mode")]
        default: return []
        }
    }

    private func say(_ bytes: [UInt8]) -> [SimulatorAction] {
        [.write(bytes + [UInt8](repeating: BeurerBM96Report.filler, count: max(0, Self.answerSize - bytes.count)))]
    }

    private static func pressure(_ record: SimulatedRecord) -> [UInt8] {
        head(record, BeurerBM96Report.pressureSensor) + [
            record.flags.contains(.irregularPulse) ? 9 : 2, 0, UInt8(clamping: record.systolic), UInt8(clamping: record.diastolic),
            UInt8(clamping: record.pulse),
        ]
    }

    private static func ecg(_ record: SimulatedRecord) -> [UInt8] {
        head(record, BeurerBM96Report.ecgSensor) + [0, 0, UInt8(clamping: record.pulse), 0, 0]
    }

    private static func head(_ record: SimulatedRecord, _ sensor: UInt8) -> [UInt8] {
        let time = record.time
        return [0, sensor, time.hour, time.minute, time.day, time.month, UInt8(clamping: Int(time.year) - 2000)]
    }
}
