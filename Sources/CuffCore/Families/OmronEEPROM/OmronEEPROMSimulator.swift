/// A HEM-7131U, or with `model: hem-7322u` a HEM-7322U: each user's records from her first slot on, the rest `FF`. It answers
/// in whole reports of 64 bytes. A write changes nothing and is told.
struct OmronEEPROMSimulator: CuffSimulator {
    private static let settings = OmronEEPROMClock.settings
    private var asleep: Int
    /// From the settings to the last record.
    private let memory: [UInt8]

    init(_ script: SimulatorScript) {
        asleep = Int(script.options["asleep"] ?? "") ?? 0
        let layout = script.options["model"].flatMap { OmronEEPROMLayout(model: $0) } ?? .sixty
        let head = OmronEEPROMMemory.start - Self.settings
        let clock = [UInt8]().padded(to: OmronEEPROMClock.block - Self.settings) + OmronEEPROMClock.bytes(script.clock)
        var memory = clock.padded(to: head)
        memory += [UInt8](repeating: 0xFF, count: 2 * layout.rawValue * OmronEEPROMMemory.recordLength)
        for user in 1...2 {
            let records = script.stored.filter { $0.user == user }
            for (record, slot) in zip(records, layout.slots(of: user)) {
                let place = head + slot * OmronEEPROMMemory.recordLength
                memory.replaceSubrange(place..<(place + OmronEEPROMMemory.recordLength), with: Self.record(record))
            }
        }
        self.memory = memory
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let report) = event, report.first == 2, case .frame(let question) = OmronEEPROMFrame.judge(report) else {
            return []
        }
        switch OmronEEPROMFrame.Kind(rawValue: question.kind) {
        case .open:
            guard asleep == 0 else {
                asleep -= 1
                return [.note("START/STOP was not pressed: no answer")]
            }
            return say(OmronEEPROMFrame(kind: 0x80, subkind: 0, address: 0, count: 16, data: [UInt8](repeating: 0, count: 16)))
        case .read where question.subkind == 0: return read(question)
        case .end:
            let isGivenUp = question.subkind != 0
            return say(OmronEEPROMFrame(kind: 0x8F, subkind: question.subkind, address: 0, count: 0))
                + [.note(isGivenUp ? "the reading was given up" : "the reading ended")]
        default: return [.note("not answered: \(Hex.text(report.prefix(16)))")]
        }
    }

    private func read(_ question: OmronEEPROMFrame) -> [SimulatorAction] {
        let place = question.address - Self.settings
        guard place >= 0, question.count <= OmronEEPROMFrame.longestBlock, place + question.count <= memory.count else {
            return [.note("no memory at \(question.address)")]
        }
        let data = Array(memory[place..<(place + question.count)])
        return say(OmronEEPROMFrame(kind: 0x81, subkind: 0, address: question.address, count: question.count, data: data))
    }

    private func say(_ frame: OmronEEPROMFrame) -> [SimulatorAction] {
        [.write(frame.report(number: 1).padded(to: 64))]
    }

    private static func record(_ record: SimulatedRecord) -> [UInt8] {
        let time = record.time
        var day = Int(time.month) << 10 | Int(time.day) << 5 | Int(time.hour)
        if record.flags.contains(.bodyMovement) { day |= 0x8000 }
        if record.flags.contains(.irregularPulse) { day |= 0x4000 }
        let clock = Int(time.minute) << 6 | Int(time.second)
        let values = [record.diastolic, record.systolic - 25, Int(time.year) - 2000, record.pulse].map { UInt8(clamping: $0) }
        return (values + [UInt8](bigEndian: [day, clock])).padded(to: 14)
    }
}
