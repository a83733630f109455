/// The words of the Omron USB protocol, without any conversation: questions, answers, records.

/// What the host asks: three letters, arguments, the exclusive or of the arguments.
struct OmronQuestion: Sendable, Hashable {
    enum Verb: String, Sendable, CaseIterable {
        case version = "VER"
        case profile = "PRF"
        case serial = "SRL"
        case end = "END"
        case count = "GDC"
        case reading = "GME"
        case morningAverage = "GMA"
        case eveningAverage = "GEA"
        case clock = "GCL"
        case recordCount = "CNT"
        case record = "MES"
        case erase = "MCL"

        /// Bytes of the question, check included.
        var length: Int {
            switch self {
            case .version, .profile, .serial, .end, .clock, .recordCount, .erase: 5
            case .record: 7
            case .count, .reading: 8
            case .morningAverage, .eveningAverage: 9
            }
        }
    }

    var verb: Verb
    var arguments: [UInt8]

    init(_ verb: Verb, _ arguments: [UInt8]) {
        self.verb = verb
        self.arguments = arguments
    }

    /// The question that `bytes` begins with, once it is whole. Its check is not demanded: the vendor's own program
    /// sends wrong ones for some weekly averages, and the cuff answers them.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 5, let verb = Verb(rawValue: String(decoding: bytes[..<3], as: UTF8.self)),
            bytes.count >= verb.length
        else { return nil }
        self.init(verb, Array(bytes[3..<(verb.length - 1)]))
    }

    static let version = OmronQuestion(.version, [0x30])
    static let clock = OmronQuestion(.clock, [0x30])
    static let recordCount = OmronQuestion(.recordCount, [0x30])
    static let erase = OmronQuestion(.erase, [0x30])
    static func count(bank: UInt8) -> OmronQuestion { OmronQuestion(.count, [0, bank, 0, 0]) }
    static func reading(bank: UInt8, index: UInt8) -> OmronQuestion { OmronQuestion(.reading, [0, bank, 0, index]) }
    static func record(index: UInt8) -> OmronQuestion { OmronQuestion(.record, [0, 0, index]) }

    var bytes: [UInt8] { Array(verb.rawValue.utf8) + arguments + [arguments.xor8] }

    /// Memory bank of the question; `nil` where it names none.
    var bank: UInt8? { (verb == .count || verb == .reading) && arguments.count == 4 ? arguments[1] : nil }
    /// Place of the record, 0 the newest.
    var index: UInt8? { verb == .reading || verb == .record ? arguments.last : nil }

    /// Whether an answer of `length` bytes, `OK` and check included, can belong to this question.
    func accepts(_ length: Int) -> Bool {
        switch verb {
        case .version: length == 15
        case .profile: length == 14
        case .serial: length == 11
        case .count: length == 8
        case .reading: length == 17 || length == 15
        // The length is not published; 20 is the pedometer HJ-720IT's answer to the same letters.
        case .record: (15...19).contains(length)
        case .morningAverage, .eveningAverage: length == 12
        case .clock: length == 10
        case .recordCount: (6...8).contains(length)
        case .end, .erase: true
        }
    }
}

/// Puts reports together into answers.
struct OmronAnswers: Sendable {
    enum Step: Equatable {
        case waiting
        /// `08`: not ready.
        case notReady
        /// `OK` alone, `NO`, `OFF`.
        case confirmed, refused, off
        /// `OK` with data whose check agrees.
        case data([UInt8])
        case damaged(Int, FrameFault)
    }

    /// The longest known answer, the pedometer's, has 37 bytes.
    static let maximumLength = 40
    private static let reports = CountedReports(.wholeByte)
    private var bytes: [UInt8] = []

    mutating func reset() { bytes = [] }

    /// An answer ends with a report that is not full, or at the one length (PRF: 14) that fills its reports.
    mutating func take(_ report: [UInt8], for question: OmronQuestion?) -> Step {
        if report.first == 8 {
            bytes = []
            return .notReady
        }
        guard let payload = Self.reports.payload(of: report) else { return damaged(.badLength) }
        if payload.isEmpty { return .waiting }
        if bytes.isEmpty {
            let start = Array(payload.prefix(2))
            guard start == [0x4F, 0x4B] || start == [0x4E, 0x4F] || start == [0x4F, 0x46] else {
                return .damaged(payload.count, .notAStart)
            }
        }
        bytes += payload
        guard bytes.count <= Self.maximumLength else { return damaged(.tooLong) }
        guard payload.count < 7 || question?.verb == .profile && bytes.count == 14 else { return .waiting }
        let message = bytes
        if message == [0x4E, 0x4F] { return ended(.refused) }
        if message == [0x4F, 0x4B] { return ended(.confirmed) }
        if message == [0x4F, 0x46, 0x46, 0x0D, 0x0A] { return ended(.off) }
        guard message.starts(with: [0x4F, 0x4B]), message.count >= 5 else { return damaged(.badLength) }
        guard Array(message[2...]).xor8 == 0 else { return damaged(.badCheck) }
        return ended(.data(message))
    }

    /// The answers with data in a row of reports, each with a check that agrees.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var found = FoundFrames()
        var (answer, first): ([UInt8], Int) = ([], 0)
        for start in stride(from: 0, through: bytes.count - CountedReports.size, by: CountedReports.size) {
            guard bytes[start] < CountedReports.size, let payload = reports.payload(of: bytes.span.part(start, CountedReports.size)) else {
                answer = []
                continue
            }
            if payload.starts(with: [0x4F, 0x4B]) { (answer, first) = ([], start) }
            answer += payload
            guard answer.starts(with: [0x4F, 0x4B]), answer.count <= maximumLength else {
                answer = []
                continue
            }
            guard payload.count < 7 || answer.count == 14, answer.count >= 5, Array(answer[2...]).xor8 == 0 else { continue }
            found.ranges.append(first..<(start + CountedReports.size))
            answer = []
        }
        return found
    }

    private mutating func ended(_ step: Step) -> Step {
        bytes = []
        return step
    }

    private mutating func damaged(_ fault: FrameFault) -> Step {
        defer { bytes = [] }
        return .damaged(max(1, bytes.count), fault)
    }
}

/// Decoding of whole, checked answers.
enum OmronRecord {
    /// The measurement of a GME or MES answer; `nil` when it holds none.
    static func reading(_ answer: [UInt8], of question: OmronQuestion) -> Reading? {
        let bytes = answer.span
        guard let systolicHigh = bytes.byte(10), let systolic = bytes.bigEndian16(10), let diastolic = bytes.byte(12),
            let pulse = bytes.byte(13), bytes.count >= 15, systolic > 0, diastolic > 0
        else { return nil }
        // The reader of MES passes this byte over, so what a value in it would mean there is not known.
        if question.verb == .record && systolicHigh != 0 { return nil }
        var flags: MeasurementFlags = []
        if bytes.count == 17, let word = bytes.bigEndian16(14), question.verb == .reading {
            if word & 0x0001 != 0 { flags.insert(.irregularPulse) }
            if word & 0x0002 != 0 { flags.insert(.bodyMovement) }
        }
        return Reading(
            .bloodPressure(.mmHg(Int(systolic), Int(diastolic), pulseOrZero: Int(pulse))), driver: "omron-hid",
            user: question.bank.map { Int32($0) + 1 }, flags: flags, clock: clock(bytes, 3), origin: .memory,
            raw: RawBytes(Array(answer[3...])))
    }

    /// The reading of a stored record: what stood behind `OK` and the zero in its answer. The bank is the user's; a record without
    /// one answered MES.
    static func reading(ofStored record: [UInt8], user: Int32?) -> Reading? {
        let question = user.map { OmronQuestion.reading(bank: UInt8(clamping: $0 - 1), index: 0) } ?? OmronQuestion(.record, [0, 0, 0])
        return reading([0, 0, 0] + record, of: question)
    }

    /// Year since 2000, month, day, hour, minute, second.
    static func clock(_ bytes: Span<UInt8>, _ offset: Int) -> DeviceClock {
        let (day, hour) = (offset + 2, offset + 3)
        return DeviceClock(
            orUnset: bytes.time(year: offset, month: offset + 1, day: day, hour: hour, minute: offset + 4, second: offset + 5))
    }

    static func clock(_ answer: [UInt8]) -> DeviceClock { clock(answer.span, 3) }

    /// How many records a GDC or CNT answer announces; `nil` where the higher byte, which no source shows set, is not 0.
    static func count(_ answer: [UInt8], of question: OmronQuestion) -> Int? {
        let offset = question.verb == .count ? 5 : 3
        let value = answer.span.bigEndian16(offset)
        guard let value, value < 256 else { return nil }
        return Int(value)
    }
}
