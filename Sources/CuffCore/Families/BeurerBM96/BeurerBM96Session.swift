/// One question, one report. Rules: decoded is what was asked for last, whoever asked; a record counts only where it names
/// the user and the place that were asked for; three tries each.
struct BeurerBM96Session: FinishingSession {
    private enum State { case listening, asking, finished }

    private static let attempts = 3

    private var state = State.listening
    var isFinished: Bool {
        get { state == .finished }
        set { if newValue { state = .finished } }
    }
    private var user: Int?
    private var plan: [[UInt8]] = []
    private var current: [UInt8] = []
    private var tries = 0
    private var unread = 0

    private var asked: [UInt8] = []
    private var dump = DumpOccurrences()
    private var seen: [[UInt8]: [UInt8]] = [:]

    mutating func lineEnded(into actions: inout SessionActions) {
        finish(
            state == .listening ? .complete : .noAnswer("the cuff was unplugged before it had answered everything"), into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: return
        case .readMemory(let user):
            guard user.map({ $0 == 1 || $0 == 2 }) ?? true else {
                return finish(.unsupported("beurer-bm96 has the users 1 and 2"), into: &actions)
            }
            self.user = user
            plan = [[0xAA], [0xA2]]
        case .information: plan = [[0xAA], [0xA1]]
        default: return finish(.unsupported("beurer-bm96 has no command for that"), into: &actions)
        }
        next(into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard let first = bytes.first else { return }
        asked = first == 0xA3 ? Array(bytes.prefix(3)) : [first]
        if first == 0xAA || first == 0xA2 {
            dump = DumpOccurrences()
            seen = [:]
        }
    }

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        guard let start = report.first, start != BeurerBM96Report.filler else { return }
        guard state == .listening || asked == current else { return }
        switch asked.first {
        case 0xAA:
            guard start == 0x55 else {
                return actions.append(.report(.ignored("an answer to AA that is not 55", Array(report.prefix(16)))))
            }
        case 0xA1: actions.append(.identify(DeviceIdentity(manufacturer: "Beurer", model: BeurerBM96Report.name(report))))
        case 0xA2:
            guard let counts = BeurerBM96Report.counts(report) else {
                return actions.append(.report(.ignored("numbers of records with more behind them", Array(report.prefix(16)))))
            }
            if state == .asking { planRecords(counts, into: &actions) }
        case 0xA3 where asked.count == 3: guard receiveRecord(report, into: &actions) else { return }
        // An ECG, which other software asked for.
        case 0xA4?, 0xA5?: return
        default: return actions.append(.report(.ignored("a report that answers no question", Array(report.prefix(16)))))
        }
        if state == .asking { next(into: &actions) }
    }

    private mutating func planRecords(_ counts: [UInt8], into actions: inout SessionActions) {
        for (user, count) in counts.enumerated() where self.user == nil || self.user == user + 1 {
            plan += (0..<count).map { BeurerBM96Report.record(user: UInt8(user), index: $0) }
            actions.append(.report(.announced(records: Int(count))))
        }
    }

    /// Whether the report answers the question.
    private mutating func receiveRecord(_ report: [UInt8], into actions: inout SessionActions) -> Bool {
        guard report.count >= BeurerBM96Report.recordLength, Array(report[..<2]) == Array(asked.dropFirst()) else {
            actions.append(.report(.ignored("a record other than the one that was asked for", Array(report.prefix(16)))))
            return false
        }
        let record = Array(report[..<BeurerBM96Report.recordLength])
        guard seen[asked] != record else { return true }
        seen[asked] = record
        if var reading = BeurerBM96Report.reading(record) {
            dump.mark(&reading)
            actions.emit(reading)
        } else if record[3] == BeurerBM96Report.ecgSensor {
            actions.append(.report(.note("record \(Int(record[1]) + 1) of user \(Int(record[0]) + 1) is an ECG and was passed over")))
        } else {
            unread += 1
            actions.append(.report(.ignored("a record without a blood pressure", record)))
        }
        return true
    }

    private mutating func next(into actions: inout SessionActions) {
        tries = 0
        guard !plan.isEmpty else {
            return finish(unread == 0 ? .complete : .failed("\(unread) records could not be read"), into: &actions)
        }
        current = plan.removeFirst()
        ask(into: &actions)
    }

    private mutating func ask(into actions: inout SessionActions) {
        state = .asking
        tries += 1
        actions.append(.write(BeurerBM96Report.question(current)))
        actions.append(.arm(.response, .seconds(2)))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard state == .asking, timer == .response else { return }
        if tries < Self.attempts { return ask(into: &actions) }
        finish(
            .noAnswer(
                current == [0xAA] ? "the cuff is not in PC mode: unplug it and plug it in again" : "the cuff stopped answering"),
            into: &actions)
    }
}
