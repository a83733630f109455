import FuzzMain

@testable import CuffCore

/// A manager's whole session against a simulated agent and a hostile line, in any order of events: what the agent sends,
/// damaged or not; APDUs made of the input, with right lengths or wrong ones; the timers that are armed; commits that
/// come late, or never; commands; another manager's messages. The first bytes choose the agent and the command.
///
/// Nothing may trap. No APDU of ours is longer than an agent must take, no buffer grows without bound, nothing is written
/// after the end or before a command, and nothing is confirmed while a reading of it is not on disk.
@_cdecl("FuzzPHD_main")
public func fuzzPHDMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 3 else { return 0 }
        var run = Run(Input(bytes: Array(UnsafeBufferPointer(start: start, count: count))))
        run.play()
        return 0
    }
}

private struct Input {
    var bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index >= bytes.count }
    mutating func byte() -> UInt8 {
        guard index < bytes.count else { return 0 }
        defer { index += 1 }
        return bytes[index]
    }
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, index + count)
        defer { index = end }
        return Array(bytes[index..<end])
    }
    mutating func word() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }
}

/// The lines a sink would write.
private final class Lines {
    private var text = TextBuffer()

    func append(_ reading: Reading) {
        ReadingLine(includesRaw: true).append(reading, device: "", to: &text)
        if text.count > 1 << 20 { text.removeAll() }
    }
}

private struct Run {
    var input: Input
    var session: PHDSession
    var agent: PHDSimulator
    var ledger = ReadingLedger(device: "", driver: "phd")
    let lines = Lines()
    var timers: [TimerID] = []
    var agentTimers: [TimerID] = []
    var toAgent: [[UInt8]] = []
    var fromAgent: [[UInt8]] = []
    var unsent: [[UInt8]] = []
    var holdsSent = false
    var isCommanded = false
    var lastInvoke: UInt16 = 0
    var emitted = 0
    var committed = 0
    var isFinished = false

    private static let agents: [[String: String]] = [
        [:], ["configuration": "extended"], ["persons": "yes"], ["report": "variable", "unit": "kPa"],
        ["report": "apart", "batch": "3"], ["status": "yes", "batch": "7"], ["store": "yes"],
        ["store": "yes", "persons": "yes", "status": "yes"], ["store": "yes", "time": "relative"],
        ["confirm": "no", "time": "base-offset"], ["time": "unset"], ["release": "no"],
    ]

    init(_ input: Input) {
        var input = input
        let kind = input.byte()
        let ways = input.byte()
        var options: [String: String] = [:]
        if ways & 1 != 0 { options["scanners"] = "yes" }
        if ways & 2 != 0 { options["data-request"] = "yes" }
        if ways & 4 != 0 { options["configuration"] = "ask" }
        session = PHDSession(SessionContext(options: options))
        agent = PHDSimulator(
            SimulatorScript(
                records: SimulatedRecord.sample(count: Int(ways >> 4) % 8, seed: 3), options: Self.agents[Int(kind) % Self.agents.count]))
        self.input = input
    }

    mutating func play() {
        tell(.opened)
        command(input.byte())
        perform(agent.handle(.opened))
        while !input.isAtEnd, !isFinished { step() }
        let before = isFinished
        tell(.closed)
        if !isFinished && !before { fatalError("no end after the line's end") }
    }

    private mutating func step() {
        let kind = input.byte()
        let more = Int(kind >> 4)
        switch kind & 15 {
        case 0: tell(.received(input.take(more * 4 + 1)))
        case 1: presentation(more)
        case 2: report(more, isConfirmed: input.byte() & 1 == 0)
        case 3, 4: for _ in 0...more { exchange() }
        case 5: damagedExchange()
        case 6: fire(\.timers, more) { $0.tell(.timerFired($1)) }
        case 7: fire(\.agentTimers, more) { $0.perform($0.agent.handle(.timerFired($1))) }
        case 8, 9: commit(emitted - min(emitted, more))
        case 10: if more < 4 { command(input.byte()) } else { settleSent() }
        case 11: tell(.sent(input.take(more * 4 + 1)))
        case 12: holdsSent.toggle()
        case 13: tell(.received(agent.cuff.associationRequest))
        case 14: tell(.received(agent.cuff.configurationReport(invoke: input.word(), id: more & 1 == 0 ? 0x4000 : 0x02BC)))
        default:
            guard more == 15 else { return answer(more) }
            perform(agent.handle(.closed))
            perform(agent.handle(.opened))
        }
    }

    // MARK: what the line brings

    private mutating func exchange() {
        if !toAgent.isEmpty { return perform(agent.handle(.received(toAgent.removeFirst()))) }
        if !fromAgent.isEmpty { tell(.received(fromAgent.removeFirst())) }
    }

    private mutating func damagedExchange() {
        let place = Int(input.byte())
        let value = input.byte()
        guard !fromAgent.isEmpty else { return }
        var bytes = fromAgent.removeFirst()
        guard !bytes.isEmpty else { return }
        bytes[place % bytes.count] = value
        tell(.received(bytes))
    }

    /// A PRST with right lengths, whatever is in it.
    private mutating func presentation(_ more: Int) {
        let messages: [UInt16] = [0x0100, 0x0101, 0x0103, 0x0107, 0x0201, 0x0203, 0x0205, 0x0207, 0x0300, 0x0400, 0x0999]
        let message = messages[Int(input.byte()) % messages.count]
        let body = input.take(more * 8 + 2)
        let invoke = message >= 0x0200 ? lastInvoke : input.word()
        tell(.received(PHDWriter.presentation(invoke: invoke, message) { $0.append(body) }))
    }

    /// An event report with right lengths down to its information.
    private mutating func report(_ more: Int, isConfirmed: Bool) {
        let event = 0x0D1C + UInt16(input.byte()) % 19
        let handle = UInt16(input.byte() % 10)
        let info = input.take(more * 8 + 4)
        let invoke = UInt16(input.byte())
        tell(
            .received(
                PHDWriter.presentation(invoke: invoke, isConfirmed ? 0x0101 : 0x0100) {
                    $0.append16(handle)
                    $0.append32(0xFFFF_FFFF)
                    $0.append16(event)
                    $0.counted { $0.append(info) }
                }))
    }

    /// An answer to the last request, as an action's or a GET's.
    private mutating func answer(_ more: Int) {
        let action = [PHDAction.segmentInfo, PHDAction.triggerTransfer, PHDAction.clearSegments, PHDAction.setTime][more % 4]
        let handle = UInt16(input.byte() % 10)
        let body = input.take(Int(input.byte()))
        tell(
            .received(
                PHDWriter.presentation(invoke: lastInvoke, more < 8 ? 0x0207 : 0x0203) {
                    $0.append16(handle)
                    if more < 8 { $0.append16(action) }
                    $0.counted { $0.append(body) }
                }))
    }

    private mutating func fire(_ path: WritableKeyPath<Run, [TimerID]>, _ number: Int, _ body: (inout Run, TimerID) -> Void) {
        guard !self[keyPath: path].isEmpty else { return }
        let timer = self[keyPath: path].remove(at: number % self[keyPath: path].count)
        body(&self, timer)
    }

    private mutating func commit(_ through: Int) {
        committed = max(committed, through)
        tell(.committed(through: through))
    }

    private mutating func command(_ number: UInt8) {
        let commands: [SessionCommand] = [
            .follow, .readMemory(user: nil), .readMemory(user: 1), .clear(user: nil), .information, .readClock,
            .setClock(DeviceTime(year: 2026, month: 5, day: 5)),
        ]
        if number == 255 { return }
        isCommanded = true
        tell(.command(commands[Int(number) % commands.count]))
    }

    private mutating func settleSent() {
        let due = unsent
        unsent = []
        for bytes in due { tell(.sent(bytes)) }
    }

    // MARK: what the session does

    private mutating func tell(_ event: SessionEvent) {
        let actions = session.handle(event)
        if isFinished, !actions.isEmpty { fatalError("something after the end: \(actions)") }
        let before = emitted
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .write(let bytes):
                if isFinished { fatalError("a write after the end") }
                if !isCommanded { fatalError("a write before any command") }
                for apdu in Self.apdus(bytes) {
                    if apdu.count > 224 { fatalError("an APDU of \(apdu.count) bytes: \(Hex.text(apdu))") }
                    confirm(apdu, before)
                }
                sent.append(bytes)
            case .emit(var reading):
                emitted += 1
                _ = ledger.admit(&reading, received: nil)
                lines.append(reading)
                if case .bloodPressure(let pressure) = reading.content, !pressure.isPlausible, !reading.flags.contains(.implausible) {
                    fatalError("an implausible reading is not flagged")
                }
            case .arm(let timer, let duration):
                if duration < .zero { fatalError("a timer in the past") }
                timers.removeAll { $0 == timer }
                timers.append(timer)
            case .disarm(let timer): timers.removeAll { $0 == timer }
            case .finish: isFinished = true
            default: break
            }
        }
        if session.reader.waiting > PHDFrame.maximumLength || session.requests.count > 16 || session.confirmations.count > 70000 {
            fatalError("something grows")
        }
        if isFinished { return }
        toAgent += sent.prefix(64)
        if toAgent.count > 256 { toAgent.removeFirst(toAgent.count - 256) }
        for bytes in sent {
            if let invoke = bytes.span.bigEndian16(6), bytes.span.bigEndian16(8).map({ $0 < 0x0200 }) ?? false { lastInvoke = invoke }
            if holdsSent { unsent.append(bytes) } else { tell(.sent(bytes)) }
            if isFinished { return }
        }
        if unsent.count > 256 { settleSent() }
    }

    /// Confirmations that are due together leave in one write.
    private static func apdus(_ bytes: [UInt8]) -> [[UInt8]] {
        var apdus: [[UInt8]] = []
        var offset = 0
        while let length = bytes.span.bigEndian16(offset + 2), offset + 4 + Int(length) <= bytes.count {
            apdus.append(Array(bytes[offset..<offset + 4 + Int(length)]))
            offset += 4 + Int(length)
        }
        if offset != bytes.count { fatalError("a write that is not APDUs: \(Hex.text(bytes))") }
        return apdus
    }

    /// A confirmation of observations or entries while nothing was ever committed, though something was emitted.
    private func confirm(_ bytes: [UInt8], _ emittedBefore: Int) {
        let span = bytes.span
        guard span.bigEndian16(0) == PHDChoice.presentation, span.bigEndian16(8) == PHDMessage.eventReportResult,
            let event = span.bigEndian16(18), event != PHDEvent.configuration
        else { return }
        if event == PHDEvent.segmentData, let status = span.bigEndian16(32), status & 0x0080 == 0 { return }
        if emittedBefore > 0, committed == 0 { fatalError("confirmed \(Hex.text(bytes)) with nothing on disk") }
    }

    private mutating func perform(_ actions: [SimulatorAction]) {
        for action in actions {
            switch action {
            case .write(let bytes): if fromAgent.count < 256 { fromAgent.append(bytes) }
            case .arm(let timer, _):
                agentTimers.removeAll { $0 == timer }
                agentTimers.append(timer)
            case .disarm(let timer): agentTimers.removeAll { $0 == timer }
            case .note, .finish: break
            }
        }
    }
}
