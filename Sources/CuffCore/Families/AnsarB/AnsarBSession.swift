/// Listens to a Vital-Guard and gives each result that its messages show anew.
struct AnsarBSession: FramedSession {
    var reader = FrameReader(AnsarBFrame())
    var isFinished = false
    private var emitted = 0
    private var committed = 0
    /// What the latest message showed; `nil` before the first.
    private var shown: AnsarBResult?
    /// The four values that an earlier conversation with this monitor saw last, and the place where they are remembered.
    private let former: [UInt8]?
    private let key: String
    private let device: UInt64
    private let isRecorded: Bool
    /// To be remembered when so many readings are on disk.
    private var note: (through: Int, text: [UInt8])?

    init(_ context: SessionContext) {
        device = XXHash64.hash(Array(context.device.utf8).span)
        key = "last-\(Hex.text([UInt8(truncatingIfNeeded: device)]))"
        isRecorded = context.isRecorded
        let value = context.memory[key] ?? []
        former = !isRecorded && value.span.bigEndian64(0) == device ? Array(value.dropFirst(8)) : nil
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) { remember(through, into: &actions) }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        guard command != .follow else { return }
        finish(.unsupported("ansar-b only sends by itself; it takes no commands"), into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        finish(.complete, into: &actions)
    }

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range): receive(frame: Array(reader.buffer[range]), into: &actions)
        }
    }

    private mutating func receive(frame: [UInt8], into actions: inout SessionActions) {
        guard let line = AnsarBFrame.line(frame.span), let result = AnsarBResult(line) else {
            return actions.append(.report(.ignored("a message without a readable NIBP line", [])))
        }
        guard result.isEmpty || result.pressure != nil else {
            return actions.append(.report(.ignored("values that are no blood pressure", line)))
        }
        let isFirst = shown == nil
        guard result != shown else { return }
        shown = result
        let isKnown = isFirst && former == result.text
        if let pressure = result.pressure, !isKnown {
            emitted += 1
            // What stands there at the beginning is of an unknown time.
            actions.emit(
                Reading(
                    .bloodPressure(pressure), driver: "ansar-b", flags: .noMeasurementCheck, origin: isFirst ? .memory : .push,
                    raw: RawBytes(line)))
        }
        guard !isKnown, !isRecorded else { return }
        note = (emitted, result.text)
        remember(0, into: &actions)
    }

    /// Only what is on disk is remembered: after a crash the result that stands there is given once more.
    private mutating func remember(_ through: Int, into actions: inout SessionActions) {
        committed = max(committed, through)
        guard let note, note.through <= committed else { return }
        self.note = nil
        let word = (0..<8).map { UInt8(truncatingIfNeeded: device >> UInt64(56 - 8 * $0)) }
        actions.append(.remember(key: key, value: word + note.text))
    }
}
