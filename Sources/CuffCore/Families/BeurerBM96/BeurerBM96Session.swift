/// One request, one report, three tries. Answers are decoded by the last request of any host; records need the requested user and index.
struct BeurerBM96Session: RecordwiseSession {
    static let filling = (report: BeurerBM96Report.size, with: BeurerBM96Report.filler)
    static let memoryQuestions: [[UInt8]] = [[0xAA], [0xA2]]
    static let identityQuestions: [[UInt8]] = [[0xAA], [0xA1]]
    static let silence = "the cuff is not in PC mode: unplug it and plug it in again"

    var requests = Requests<[UInt8]>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.beurerBM96.capabilities }
    var user: Int?
    private(set) var unread = 0
    private var dump = DumpOccurrences()
    private var seen: [[UInt8]: [UInt8]] = [:]

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard let first = bytes.first else { return }
        requests.sent = first == 0xA3 ? Array(bytes.prefix(3)) : [first]
        if first == 0xAA || first == 0xA2 {
            dump = DumpOccurrences()
            seen = [:]
        }
    }

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        guard let start = report.first, start != BeurerBM96Report.filler, requests.acceptsAnswer else { return }
        let asked = requests.sent ?? []
        switch asked.first {
        case 0xAA:
            guard start == 0x55 else { return actions.ignore("an answer to AA that is not 55", Array(report.prefix(16))) }
        case 0xA1: actions.append(.identify(DeviceIdentity(manufacturer: "Beurer", model: BeurerBM96Report.name(report))))
        case 0xA2:
            guard let counts = BeurerBM96Report.counts(report) else {
                return actions.ignore("numbers of records with more behind them", Array(report.prefix(16)))
            }
            if requests.isAwaiting { planRecords(counts, into: &actions) }
        case 0xA3 where asked.count == 3: guard receiveRecord(report, asked, into: &actions) else { return }
        // An ECG, requested by other software.
        case 0xA4?, 0xA5?: return
        default: return actions.ignore("a report that answers no question", Array(report.prefix(16)))
        }
        if requests.isAwaiting { askNext(into: &actions) }
    }

    private mutating func planRecords(_ counts: [UInt8], into actions: inout SessionActions) {
        for (user, count) in counts.enumerated() where self.user == nil || self.user == user + 1 {
            requests.planned += (0..<count).map { Self.request(BeurerBM96Report.record(user: UInt8(user), index: $0)) }
            actions.append(.report(.announced(records: Int(count))))
        }
    }

    private mutating func receiveRecord(_ report: [UInt8], _ asked: [UInt8], into actions: inout SessionActions) -> Bool {
        guard report.count >= BeurerBM96Report.recordLength, Array(report[..<2]) == Array(asked.dropFirst()) else {
            actions.ignore("a record other than the one that was asked for", Array(report.prefix(16)))
            return false
        }
        let record = Array(report[..<BeurerBM96Report.recordLength])
        guard seen[asked] != record else { return true }
        seen[asked] = record
        if var reading = BeurerBM96Report.reading(record) {
            dump.mark(&reading)
            actions.emit(reading)
        } else if record[3] == BeurerBM96Report.ecgSensor {
            actions.note("record \(Int(record[1]) + 1) of user \(Int(record[0]) + 1) is an ECG and was passed over")
        } else {
            unread += 1
            actions.ignore("a record without a blood pressure", record)
        }
        return true
    }
}
