/// Only listens, because frames to the cuff would need the unknown check.
/// - A result is a measurement, unless the host requested the last one and it equals the previous.
/// - Averages and readings shown again are reported, but are not readings.
struct BpTRUBPM200Session: FinishingSession {
    /// Results of this model are single bytes.
    private static let highestPressure = 400

    var isFinished = false
    var capabilities: Capabilities { CuffDriver.bptruBPM200.capabilities }
    private var reader = FrameReader(BpTRUBPM200Frame())
    var frames: Int? { reader.frames }
    private var isMeasuring = false
    private var isRepeatAsked = false
    private var shown: [UInt8] = []

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.starts(with: [0x02, BpTRUBPM200Frame.ID.command.rawValue]) else { return }
        isRepeatAsked = bytes.span.byte(2) == 0x09
    }

    /// A frame does not continue in the next report; a report may be padded with zeros.
    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        let length = report.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        reader.feed(Array(report[..<length]))
        while let step = reader.next() ?? reader.finish() {
            switch step {
            case .skipped(let count, let fault): actions.report(skipped: count, fault)
            case .frame(let range): receive(frame: Array(reader.buffer[range]), into: &actions)
            }
        }
    }

    private mutating func receive(frame: [UInt8], into actions: inout SessionActions) {
        guard let id = frame.span.byte(1).flatMap({ BpTRUBPM200Frame.ID(rawValue: $0) }), let first = frame.span.byte(2) else { return }
        switch id {
        case .inflating, .deflating: pressure(frame, isInflating: id == .inflating, into: &actions)
        case .result: result(frame, into: &actions)
        case .button where first == 0x04: start(into: &actions)
        case .button where first == 0x01: stopped(.aborted, into: &actions)
        case .notification where first == 0x08: stopped(.failed(.init(.lost)), into: &actions)
        case .average: actions.note("an average of \(first) readings was left out")
        case .review: actions.note("a reading shown again was left out")
        case .accepted, .refused, .button, .notification: break
        case .command, .reset, .unknown1, .unknown2, .unknown3, .unknown4, .unknown5:
            actions.ignore("a frame of no known kind", frame)
        }
    }

    private mutating func start(into actions: inout SessionActions) {
        guard !isMeasuring else { return }
        isMeasuring = true
        actions.append(.live(.started))
    }

    private mutating func stopped(_ event: LiveEvent, into actions: inout SessionActions) {
        guard isMeasuring else { return }
        isMeasuring = false
        actions.append(.live(event))
    }

    private mutating func pressure(_ frame: [UInt8], isInflating: Bool, into actions: inout SessionActions) {
        guard let pressure = frame.span.littleEndian16(2), Int(pressure) <= Self.highestPressure else {
            return actions.ignore("a pressure that no cuff has", frame)
        }
        if isInflating { start(into: &actions) }
        actions.append(.live(.cuffPressure(.mmHg(Int(pressure)))))
    }

    private mutating func result(_ frame: [UInt8], into actions: inout SessionActions) {
        let isRepeated = isRepeatAsked && frame == shown && !isMeasuring
        isRepeatAsked = false
        shown = frame
        guard !isRepeated, let content = BpTRUBPM200Frame.content(frame.span), let code = frame.span.byte(2) else { return }
        let wasMeasuring = isMeasuring
        stopped(.ended, into: &actions)
        var flags: MeasurementFlags = .noMeasurementCheck
        // The low bits are defined with 80 only.
        if code & 0x80 == 0, code & 0x0F != 0 { flags.insert(.qualityNoted) }
        actions.emit(
            Reading(content, driver: "bptru-bpm200", flags: flags, origin: wasMeasuring ? .measurement : .push, raw: RawBytes(frame)))
    }
}
