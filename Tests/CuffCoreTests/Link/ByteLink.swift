@testable import CuffCore

/// A link whose cuff is commanded by bytes: 1 to 9 write that byte, 10 finishes, 11 identifies the cuff as "new", 20 and above are
/// readings. Commits are acknowledged with the byte 0xAC.
struct ByteLink {
    private struct Session: CuffSession {
        var hasClosingMessage: Bool

        mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
            switch event {
            case .received(let bytes): for byte in bytes { handle(byte, into: &actions) }
            case .committed(let through):
                actions.append(.acknowledge(through: through))
                actions.append(.write([0xAC]))
            case .command(let command) where command != .follow: actions.append(.report(.note("command \(command)")))
            case .timerFired: actions.append(.report(.note("timer")))
            case .command, .opened, .sent, .closed: break
            }
        }

        private func handle(_ byte: UInt8, into actions: inout SessionActions) {
            switch byte {
            case 0: actions.append(.arm(.response, .seconds(5)))
            case 1...9: actions.append(.write([byte]))
            case 10: actions.append(.finish(.complete))
            case 12: actions.append(.finish(.failed("refused")))
            case 11: actions.append(.identify(DeviceIdentity(id: "new")))
            default:
                var reading = Reading(
                    .bloodPressure(.mmHg(120, Int(byte))), driver: "byte-link", clock: .absent, origin: .push, raw: RawBytes([byte]))
                reading.repetition = .untilAcknowledged
                actions.emit(reading)
            }
        }

        mutating func endInOrder(into actions: inout SessionActions) -> Bool {
            if hasClosingMessage { actions.append(.write([0xED])) }
            return hasClosingMessage
        }
    }

    var state: LinkState
    /// The effects of the last event, as text.
    private(set) var effects: [String] = []
    private(set) var batches: [ReadingBatch] = []
    /// The outstanding records as they were last persisted.
    private(set) var outstanding = OutstandingRecords()

    init(capabilities: Capabilities = [.push], hasClosingMessage: Bool = false, _ change: (inout LinkState.Setup) -> Void = { _ in }) {
        let driver = CuffDriver(
            id: "byte-link", models: ["none"], summary: "a test", grade: .a, testedOn: .derived, line: LineSettings(rate: 9600),
            framing: "none", check: "none", capabilities: capabilities, changes: "nothing", sources: ["a test"],
            makeSession: { _ in Session(hasClosingMessage: hasClosingMessage) }, makeSimulator: CuffDriver.r1.makeSimulator)
        var setup = LinkState.Setup(driver, device: "one")
        change(&setup)
        state = LinkState(setup)
    }

    mutating func handle(_ event: LinkEvent, _ seconds: Int64 = 0) {
        var done: [LinkEffect] = []
        state.handle(event, at: LinkTime(elapsed: .seconds(seconds), wall: Timestamp(seconds: 1_795_435_200 + seconds)), into: &done)
        state.flush(into: &done)
        effects = done.map(Self.word)
        for case .persist(let records, _, _) in done { outstanding = records }
        batches = done.compactMap { if case .submit(let batch) = $0 { batch } else { nil } }
    }

    mutating func receive(_ bytes: [UInt8], _ seconds: Int64 = 0) { handle(.transport(.received(bytes)), seconds) }

    private static func word(_ effect: LinkEffect) -> String {
        switch effect {
        case .write(let bytes), .writeFeature(let bytes): "write \(Hex.text(bytes))"
        case .pauseReading: "pause"
        case .resumeReading: "resume"
        case .submit(let batch): "submit \(batch.device) \(batch.entries.readings.map { $0.raw.array[0] }) through \(batch.through)"
        case .remember(let key, _): "remember \(key)"
        case .persist(let records, _, let durably): "persist \(records.bytes.count / 16)\(durably ? " durably" : "")"
        case .notify(.diagnostic(let diagnostic)): diagnostic.sentence
        case .notify(.finished(let command, let outcome)): "finished \(command) \(outcome)"
        case .notify(.ended(let outcome)): "ended \(outcome)"
        case .notify(.identified(let identity)): "identified \(identity.id)"
        case .notify(.measurement(let effect, _)): "measurement \(effect)"
        case .notify(.clock), .notify(.cycle): "clock"
        case .close: "close"
        }
    }
}
