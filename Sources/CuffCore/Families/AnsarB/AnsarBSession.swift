/// Results come every second without a check: values are believed when they come a second time, or if one message is all that comes.
struct AnsarBSession: FramedSession {
    var reader = FrameReader(AnsarBFrame())
    var hearsCommits: Bool { false }
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.ansarB.capabilities }
    private var emitted = 0
    private var standing = StandingResult<AnsarBResult>()
    private var wasEmpty = false
    private var last, first: AnsarBResult?

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        guard let line = AnsarBFrame.line(reader.buffer.span.extracting(range)), let result = AnsarBResult(line) else {
            return actions.ignore("a message without a readable NIBP line", [])
        }
        guard !result.isEmpty else {
            if let first { actions.ignore("a result that came only once", first.text) }
            return (wasEmpty, last, first) = (true, nil, nil)
        }
        guard result.pressure != nil else { return actions.ignore("values that are no blood pressure", line) }
        let isRepeated = result == last || result == first
        (last, first) = (result, wasEmpty || standing.isKnown ? nil : first ?? result)
        if isRepeated { emit(result, into: &actions) }
    }

    private mutating func emit(_ result: AnsarBResult, into actions: inout SessionActions) {
        guard let pressure = result.pressure else { return }
        let reading = Reading(
            .bloodPressure(pressure), driver: "ansar-b", flags: .noMeasurementCheck, origin: .memory, raw: RawBytes(result.text))
        _ = standing.receive(reading, result, isNew: wasEmpty, emitted: &emitted, into: &actions)
        (wasEmpty, first) = (false, nil)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if let first, first == last { emit(first, into: &actions) }
        finishAtEnd(into: &actions)
    }
}
