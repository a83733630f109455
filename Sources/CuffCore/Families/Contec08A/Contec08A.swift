/// Contec 08A, `0483:5750`. HID reports of 64 bytes; one user's memory on request, one report per record.
/// `40 8F FF FE FD FC`      twice; each is answered; the answer is not published                         observed [1]
/// `42 8F FF FE FD FC`      -> `48 41 02 13 01 02`                                                      observed [1]
/// `43 41 01 uu 02 00`      uu = 04, 05, 06: user 1, 2, 3 (07 all: not used here)                       observed [1]
///   -> `4A 43 01`          third byte not 01: the cuff is switched off                                 observed [1]
///   -> `46 41 80 80 cc …`  cc & 7F records follow; byte 13 & 3 = user                                  observed [1]
///   -> one report per record; no acknowledgement, no end mark                                          observed [1]
/// Record  `82 80 SYS DIA PR MAP YY MM | 80 DD hh mm 80 91`, bit 7 set on every byte                    observed [1]
/// Groups of eight: the first byte carries the eighth bits of the seven after it (82: bit 1, so SYS is 128 or more).
/// This is an inference (guess): it gives the vendor program's values for all 8 published records, but each of those
/// has a systolic pressure of 128 or more, and the one reader uses SYS with its bit 7. If the two
/// differ, the reading is flagged `questionable`.
/// [1] MarkMLl/contec08a consoleapp.pas: code, recorded reports and the vendor program's CSV in its comments
extension CuffDriver {
    /// The driver `contec-08a`.
    public static let contec08A = CuffDriver(
        id: "contec-08a", models: ["Contec 08A"],
        summary: "Contec 08A over HID: each user's memory on request",
        medium: .hidraw, reports: HIDReports(input: 64, output: 64), grade: .b,
        testedOn: .recordedElsewhere("MarkMLl/contec08a, consoleapp.pas: eight reports"),
        claims: [.shared(vendor: 0x0483, product: 0x5750)],
        framing: "64-byte reports, one per record, seven bits to a byte", check: nil,
        capabilities: [.storedReadings, .users],
        unverified: [
            "systolic pressures below 128 mmHg, other values from 128 on: the eighth bits are inferred, such readings "
                + "flagged questionable",
            "the last two bytes of a record (80 91)",
            "asking for the three users one after another",
        ],
        notes: [
            "0483:5750 is an example id of ST's, so the cuff is listened to only until it is assigned."
        ],
        preparation: "switch it on",
        sources: ["MarkMLl/contec08a (consoleapp.pas with recorded reports and CSV)"],
        simulatorOptions: ["power": "off: it answers that it is switched off"],
        makeSession: { _ in Contec08ASession() },
        makeSimulator: { AnsweringSimulator.contec08A($0) },
        findFrames: { Contec08AReport.find(in: $0) },
        decodeRecord: { record, stored in Contec08AReport.reading(record, user: stored.user.map { UInt8(clamping: $0) }) },
        redaction: .contec08A)
}

enum Contec08AReport {
    static let length = 64
    static let recordLength = 14

    static let ping = [0x40, 0x8F, 0xFF, 0xFE, 0xFD, 0xFC].padded(to: length)
    static let hello = [0x42, 0x8F, 0xFF, 0xFE, 0xFD, 0xFC].padded(to: length)
    static func memory(user: UInt8) -> [UInt8] { [0x43, 0x41, 0x01, 0x03 + user, 0x02, 0x00].padded(to: length) }

    /// The 12 values of a record; `nil` if bit 7 is missing or there are more.
    static func values(_ report: [UInt8]) -> [UInt8]? {
        guard report.count >= recordLength, report[..<recordLength].allSatisfy({ $0 & 0x80 != 0 }),
            report[recordLength...].allSatisfy({ $0 == 0 })
        else { return nil }
        return (0..<recordLength).compactMap { index in
            let place = index % 8
            return place == 0 ? nil : report[index] & 0x7F | (report[index - place] >> UInt8(place - 1) & 1) << 7
        }
    }

    /// The documented reports in a row: the answer to the greeting, the head of a memory, its records. `4A 43` says too little alone.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        FoundFrames(reports: length, of: bytes) { report in
            let isHello = report == [0x48, 0x41, 0x02, 0x13, 0x01, 0x02].padded(to: length)
            let isHead = report.starts(with: [0x46, 0x41, 0x80, 0x80]) && report[4] & 0x80 != 0
            return isHello || isHead || reading(report, user: nil) != nil
        }
    }

    static func reading(_ report: [UInt8], user: UInt8?) -> Reading? {
        // The first value is where a high byte of the systolic pressure would be; it was always 0.
        guard let values = values(report), values.count == 12, values[0] == 0, values[1] > 0, values[2] > 0 else {
            return nil
        }
        let agrees = values[1] >= 128 && values[2] < 128 && values[3] < 128 && values[4] < 128
        return Reading(
            .bloodPressure(.mmHg(Int(values[1]), Int(values[2]), meanOrZero: Int(values[4]), pulseOrZero: Int(values[3]))),
            driver: "contec-08a", user: user.map(Int32.init), flags: agrees ? [] : .questionable,
            clock: DeviceClock(orUnset: values.span.time(year: 5, month: 6, day: 7, hour: 8, minute: 9)), origin: .memory,
            raw: RawBytes(Array(report[..<recordLength])))
    }
}

/// Pings twice, greets, requests each user's memory. Records count only after their header, up to its number; an incomplete memory is
/// requested twice more, and its readings emitted once.
struct Contec08ASession: RequestSession {
    enum Question: Equatable, Sendable { case ping, hello, memory(user: UInt8) }

    var requests = Requests<Question>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.contec08A.capabilities }
    var users: ClosedRange<Int>? { 1...3 }
    private var failure: Outcome?

    private var askedUser: UInt8?
    private var user: UInt8?
    private var announced = 0
    private var left = 0
    private var dump = DumpOccurrences()
    /// How often each record of this user's memory came, in this pass and in earlier ones.
    private var seen: [[UInt8]: Int] = [:]
    private var given: [[UInt8]: Int] = [:]
    private var isReceiving = false

    mutating func lineEnded(into actions: inout SessionActions) {
        if isListening, left > 0 { actions.warn("\(left) of \(announced) announced records did not come") }
        finishAtEnd(into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard case .readMemory(let user) = command else { return }
        let ping = Request(Question.ping, Contec08AReport.ping, within: .milliseconds(500), attempts: 1)
        let hello = Request(Question.hello, Contec08AReport.hello, within: .seconds(2), attempts: 3)
        let users: [UInt8] = user.map { [UInt8(clamping: $0)] } ?? [1, 2, 3]
        let memories = users.map {
            Request(Question.memory(user: $0), Contec08AReport.memory(user: $0), within: .seconds(2), attempts: 3)
        }
        askAll([ping, ping, hello] + memories, into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.starts(with: [0x43, 0x41, 0x01]), let code = bytes.span.byte(3) else { return }
        let next = code >= 4 && code <= 6 ? code - 3 : nil
        if next != askedUser || isListening { given = [:] }
        askedUser = next
        announced = 0
        left = 0
        isReceiving = false
    }

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        // The answers to pings are not published: any report is accepted.
        if requests.question == .ping || requests.question == .hello { return askNext(into: &actions) }
        if report.starts(with: [0x4A, 0x43]) {
            if report.span.byte(2) != 0x01, !isListening, !isReceiving {
                finish(.failed("the cuff is switched off: switch it on and try again"), into: &actions)
            }
        } else if report.starts(with: [0x46, 0x41]), let count = report.span.byte(4) {
            begin(count: Int(count & 0x7F), user: (report.span.byte(13) ?? 0) & 3, into: &actions)
        } else if left > 0 {
            receive(record: report, into: &actions)
        } else if isListening, report.first != 0x48 {
            actions.ignore("a report outside a memory", Array(report.prefix(16)))
        }
    }

    private mutating func begin(count: Int, user: UInt8, into actions: inout SessionActions) {
        if user != 0 && user != self.user && askedUser == nil { given = [:] }
        self.user = user == 0 ? askedUser : user
        announced = count
        left = count
        dump = DumpOccurrences()
        seen = [:]
        guard !isListening, !isReceiving else { return }
        isReceiving = true
        actions.append(.report(.announced(records: count)))
        received(into: &actions)
    }

    private mutating func receive(record report: [UInt8], into actions: inout SessionActions) {
        left -= 1
        if var reading = Contec08AReport.reading(report, user: user) {
            dump.mark(&reading)
            let raw = reading.raw.array
            seen[raw, default: 0] += 1
            if seen[raw, default: 0] > given[raw, default: 0] {
                given[raw] = seen[raw]
                actions.emit(reading)
            }
        } else {
            actions.ignore("a record of unknown form", Array(report.prefix(16)))
            if isReceiving { failure = .failed("a record has an unknown form") }
        }
        if isReceiving { received(into: &actions) }
    }

    private mutating func received(into actions: inout SessionActions) {
        guard left > 0 else { return askNext(into: &actions) }
        actions.arm(.response, .seconds(2))
    }

    mutating func allAnswered(into actions: inout SessionActions) { finish(failure ?? .complete, into: &actions) }

    mutating func unanswered(_ question: Question, into actions: inout SessionActions) {
        switch question {
        case .ping: askNext(into: &actions)
        case .hello: finish(.noAnswer("the cuff does not answer: is it switched on?"), into: &actions)
        case .memory where isReceiving: finish(.failed("\(left) of \(announced) announced records did not come"), into: &actions)
        case .memory(let user): finish(.noAnswer("the cuff does not send the memory of user \(user)"), into: &actions)
        }
    }
}
