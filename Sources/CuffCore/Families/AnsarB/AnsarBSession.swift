/// Results come every second without a check: one that follows others, or an empty line, is believed when it comes a second time.
struct AnsarBSession: FramedSession {
    var reader = FrameReader(AnsarBFrame())
    var hearsCommits: Bool { false }
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.ansarB.capabilities }
    private var emitted = 0
    private var standing = StandingResult<AnsarBResult>()
    private var wasEmpty = false
    private var last: AnsarBResult?

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        guard let line = AnsarBFrame.line(reader.buffer.span.extracting(range)), let result = AnsarBResult(line) else {
            return actions.ignore("a message without a readable NIBP line", [])
        }
        guard !result.isEmpty else { return (wasEmpty, last) = (true, nil) }
        guard let pressure = result.pressure else { return actions.ignore("values that are no blood pressure", line) }
        let isFirst = last == nil && !wasEmpty
        defer { last = result }
        guard isFirst || result == last else { return }
        let reading = Reading(
            .bloodPressure(pressure), driver: "ansar-b", flags: .noMeasurementCheck, origin: .memory, raw: RawBytes(result.text))
        _ = standing.receive(reading, result, isNew: wasEmpty, emitted: &emitted, into: &actions)
        wasEmpty = false
    }
}
