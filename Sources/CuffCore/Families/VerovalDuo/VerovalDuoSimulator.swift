/// A Veroval duo control: accepts a command, and answers on ENQ. The five unknown bytes before an answer are STX and the command's letters.
/// With `reopen: yes` it answers one command per opening, with `refuse: yes` none.
struct VerovalDuoSimulator: CuffSimulator {
    private let records: [SimulatedRecord]
    private let answersOnce: Bool
    private let refuses: Bool
    private var collected: [UInt8]?
    private var pending: VerovalDuoCommand?
    private var hasAnswered = false

    init(_ script: SimulatorScript) {
        records = script.stored
        answersOnce = script.options["reopen"] == "yes"
        refuses = script.options["refuse"] == "yes"
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened:
            (collected, pending, hasAnswered) = (nil, nil, false)
            return []
        case .received(let bytes): return bytes.flatMap { received($0) }
        default: return []
        }
    }

    private mutating func received(_ byte: UInt8) -> [SimulatorAction] {
        switch byte {
        case VerovalDuoAnswer.start: collected = []
        case VerovalDuoAnswer.end:
            pending = collected.flatMap { VerovalDuoCommand($0) }
            collected = nil
            if answersOnce, hasAnswered { return [.note("no answer before the port is opened again")] }
            guard pending != nil, !refuses else { return [.write([VerovalDuoAnswer.refused])] }
            return [.write([VerovalDuoAnswer.accepted])]
        case VerovalDuoAnswer.enquiry where collected == nil:
            guard let command = pending, !refuses, !(answersOnce && hasAnswered) else { return [] }
            pending = nil
            hasAnswered = true
            return [.write(answer(command))]
        default: if let command = collected { collected = command.count < 6 ? command + [byte] : nil }
        }
        return []
    }

    private func answer(_ command: VerovalDuoCommand) -> [UInt8] {
        let stored = records.filter { $0.user == command.user }.prefix(100)
        let head = [VerovalDuoAnswer.start] + Array(command.text.utf8.dropFirst().prefix(4))
        switch command {
        case .number: return head + Array(Decimal.text(stored.count, 3).utf8)
        case .records: return head + stored.flatMap { Self.record($0) }
        }
    }

    private static func record(_ record: SimulatedRecord) -> [UInt8] {
        func flag(_ isSet: Bool) -> [UInt8] { [isSet ? 0x31 : 0x30] }
        return Array(record.time.printed.utf8) + flag(!record.flags.contains(.irregularPulse))
            + [record.systolic, record.diastolic, record.pulse].flatMap { Array(Decimal.text($0, 3).utf8) }
            + flag(record.flags.contains(.bodyMovement)) + flag(record.flags.contains(.cuffLoose)) + [0x30, 0x30, 0x31]
    }
}
