@testable import CuffCore

/// Acme BP-1: the driver to copy. The cuff is FICTIONAL: take the shape, not the bytes. Serial; the memory on request.
///
/// Frame    `A5 LL CC data… SS`   LL counts all bytes, CC command, SS the sum of all bytes before it   documented [1] p. 4
/// `01`     -> `01 n`             number of records, at most 100                                       documented [1] p. 5
/// `02 i`   -> `02 i u s d p Y M D h m`   record i, from 0, oldest first: user 1 or 2, systolic, diastolic, pulse (0: none),
///          year - 2000, month (0: the clock was never set), day, hour, minute                         observed [2]
/// Asking twice changes nothing on the cuff                                                            guess
///
/// [1] Acme Service Manual rev C (fictional)   [2] captures/acme-template/two-users.capture (fictional)
extension CuffDriver {
    static let template = CuffDriver(
        id: "acme-template", models: ["Acme BP-1"],
        summary: "fictional: the memory of both users on request, record by record",
        grade: .c, testedOn: .derived,
        line: LineSettings(rate: 9600), framing: "A5 length command data sum", check: "sum of all bytes before it",
        capabilities: [.storedReadings, .users],
        unverified: ["whether asking twice changes anything on the cuff"], sources: ["none: the cuff is fictional"],
        makeSession: { _ in TemplateSession() }, makeSimulator: { TemplateSimulator($0) },
        findFrames: { FrameReader.find(TemplateFrame(), in: $0) }, redaction: .template)
}

struct TemplateFrame: FrameFormat {
    static let startByte: UInt8? = 0xA5
    static let maximumLength = 14

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xA5 else { return .reject(.notAStart) }
        guard let length = bytes.byte(1).map({ Int($0) }) else { return .needMore }
        guard 4...Self.maximumLength ~= length else { return .reject(.badLength) }
        guard bytes.count >= length else { return .needMore }
        return Checksum.sum8(bytes, 0..<(length - 1)) == bytes[length - 1] ? .frame(length: length) : .reject(.badCheck)
    }

    static func encode(_ body: [UInt8]) -> [UInt8] {
        let frame = [0xA5, UInt8(clamping: body.count + 3)] + body
        return frame + [frame.sum8]
    }

    /// The reading of a record frame; `nil` for other frames.
    static func reading(_ frame: Span<UInt8>) -> Reading? {
        guard frame.count == maximumLength, frame[2] == 0x02, 1...2 ~= frame[4] else { return nil }
        let time = DeviceTime(
            year: 2000 + Int(frame[8]), month: Int(frame[9]), day: Int(frame[10]), hour: Int(frame[11]), minute: Int(frame[12]))
        return Reading(
            .mmHg(Int(frame[5]), Int(frame[6]), pulseOrZero: Int(frame[7])), driver: "acme-template", user: Int32(frame[4]),
            clock: frame[9] == 0 ? .unset : DeviceClock(time), origin: .memory, raw: RawBytes(frame))
    }
}

/// Requests the number of records, then each record. An answer counts only for the request sent last, by this host or another.
struct TemplateSession: FramedSession, RequestSession {
    var requests = Requests<[UInt8]>()  // by their bodies
    var reader = FrameReader(TemplateFrame())
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.template.capabilities }
    var users: ClosedRange<Int>? { 1...2 }
    private var user: Int?
    private var unread = 0
    private var dump = DumpOccurrences()

    private static func request(_ body: [UInt8]) -> Request<[UInt8]> {
        Request(body, TemplateFrame.encode(body), within: .seconds(1), attempts: 3)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard case .readMemory(let user) = command else { return }
        self.user = user
        askAll([Self.request([0x01])], into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        requests.sent = bytes.count > 3 ? Array(bytes[2..<(bytes.count - 1)]) : nil
        if requests.sent == [0x01] { dump = DumpOccurrences() }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let frame = bytes(of: range)
        guard requests.acceptsAnswer, let asked = requests.sent, frame.count > 4, frame[2...].starts(with: asked) else {
            return actions.ignore("an answer to no question", frame)
        }
        requests.sent = nil
        if asked == [0x01] {
            requests.planned = (0..<min(frame[3], 100)).map { Self.request([0x02, $0]) }
        } else if var reading = TemplateFrame.reading(frame.span) {
            dump.mark(&reading)
            if user == nil || reading.user == user.map({ Int32($0) }) { actions.emit(reading) }
        } else {
            unread += 1
            actions.ignore("a record of unknown form", frame)
        }
        if requests.isAwaiting { askNext(into: &actions) }
    }

    mutating func allAnswered(into actions: inout SessionActions) {
        finish(unread == 0 ? .complete : .failed("\(unread) records could not be read"), into: &actions)
    }
}

struct TemplateSimulator: CuffSimulator {
    private let records: [SimulatedRecord]
    private var reader = FrameReader(TemplateFrame())

    init(_ script: SimulatorScript) { records = Array(script.records.filter { $0.failure == nil }.prefix(100)) }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        return reader.wholeFrames(of: bytes).compactMap { frame in
            if frame[2] == 0x01 { return .write(TemplateFrame.encode([0x01, UInt8(records.count)])) }
            guard frame[2] == 0x02, Int(frame[3]) < records.count else { return nil }
            let (record, time) = (records[Int(frame[3])], records[Int(frame[3])].time)
            let values = [record.user, record.systolic, record.diastolic, record.pulse, Int(time.year) - 2000]
            let body = values.map { UInt8(clamping: $0) } + [time.month, time.day, time.hour, time.minute]
            return .write(TemplateFrame.encode([0x02, frame[3]] + body))
        }
    }
}

extension Redaction {
    /// The date of a record, and the sum.
    static let template = frames(TemplateFrame()) { frame, side, work in
        guard side == .fromCuff, frame.count == TemplateFrame.maximumLength else { return }
        work.shiftBytes(&frame, year: 8, month: 9, day: 10)
        frame[frame.count - 1] = Checksum.sum8(frame.span, 0..<(frame.count - 1))
    }
}
