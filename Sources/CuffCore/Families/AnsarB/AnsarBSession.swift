struct AnsarBSession: FramedSession {
    var reader = FrameReader(AnsarBFrame())
    var hearsCommits: Bool { false }
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.ansarB.capabilities }
    private var emitted = 0
    private var standing = StandingResult<AnsarBResult>()
    private var wasEmpty = false

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        guard let line = AnsarBFrame.line(reader.buffer.span.extracting(range)), let result = AnsarBResult(line) else {
            return actions.ignore("a message without a readable NIBP line", [])
        }
        guard !result.isEmpty else { return wasEmpty = true }
        guard let pressure = result.pressure else { return actions.ignore("values that are no blood pressure", line) }
        let reading = Reading(
            .bloodPressure(pressure), driver: "ansar-b", flags: .noMeasurementCheck, origin: .memory, raw: RawBytes(result.text))
        _ = standing.receive(reading, result, isNew: wasEmpty, emitted: &emitted, into: &actions)
        wasEmpty = false
    }
}
