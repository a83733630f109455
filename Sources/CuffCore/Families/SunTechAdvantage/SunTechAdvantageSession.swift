struct SunTechAdvantageSession: FramedSession, MeasuringSession {
    private enum Mode { case listening, reading, measuring, stopping }
    private enum Phase { case inflating, starting, running, fetching }

    /// Unanswered polls of the cuff pressure before the module counts as gone.
    private static let pollLimit = 3
    private static let pollPause = Duration.milliseconds(500)

    var reader = FrameReader(SunTechPacket())
    /// Without the start byte and the check.
    var requests = Requests<[UInt8]>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.suntechAdvantage.capabilities }
    var isListening: Bool { mode == .listening }
    let stopCommand = SunTechPacket.host(SunTechCommand.abort)
    private var mode = Mode.listening
    private var phase = Phase.fetching
    private var unansweredPolls = 0
    private var isStarted = false
    /// The stored result emitted last; `nil` once a measurement may have replaced it.
    private var shown: [UInt8]?
    private let streams: Bool
    private let inflation: Int?

    init(_ context: SessionContext) {
        streams = context.options["stream"] == "yes"
        inflation = context.options["inflation"].flatMap { Int($0) }.flatMap { 100...240 ~= $0 ? $0 : nil }
    }

    /// The last command that was sent, by this host or another.
    private var asked: [UInt8] { requests.sent ?? [] }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        unansweredPolls = 0
        receiveFrames(of: bytes, into: &actions)
        // A module that streams is polled only when its stream has ceased.
        if streams, mode == .measuring, phase == .running { actions.arm(.poll, Self.pollPause * 3) }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .readMemory:
            mode = .reading
            ask(SunTechCommand.result, attempts: 3, into: &actions)
        case .measure:
            mode = .measuring
            guard let inflation else { return start(into: &actions) }
            phase = .inflating
            ask(SunTechCommand.inflation(inflation), attempts: 1, into: &actions)
        case .stop:
            // The module answers A when it has released the pressure.
            mode = .stopping
            stop(within: .seconds(2), into: &actions)
        default: break
        }
    }

    private mutating func ask(_ command: [UInt8], attempts: Int, into actions: inout SessionActions) {
        ask(Request(command, SunTechPacket.host(command), within: .seconds(2), attempts: attempts), into: &actions)
    }

    private mutating func start(into actions: inout SessionActions) {
        phase = .starting
        ask(streams ? SunTechCommand.startStream : SunTechCommand.start, attempts: 1, into: &actions)
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.count >= 3, bytes[0] == 0x3A, bytes.sum8 == 0 else { return }
        let command = Array(bytes[1..<(bytes.count - 1)])
        requests.sent = command
        if command == SunTechCommand.start || command == SunTechCommand.startStream { isStarted = true }
        if command == SunTechCommand.abort { isStarted = false }
    }

    mutating func unanswered(_ question: [UInt8], into actions: inout SessionActions) {
        switch (mode, phase) {
        case (.measuring, .starting): giveUp("the module did not acknowledge the start", into: &actions)
        case (.measuring, .inflating): finish(.noAnswer("the module did not answer; nothing was started"), into: &actions)
        default: finish(.noAnswer("the module did not give its result"), into: &actions)
        }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, mode, phase) {
        case (.response, .stopping, _): finish(.noAnswer("the module did not confirm that it stopped"), into: &actions)
        // A stream's result did not follow it.
        case (.response, .measuring, .fetching): ask(SunTechCommand.result, attempts: 3, into: &actions)
        case (.overall, .measuring, _): giveUp("the module did not finish within three minutes", into: &actions)
        case (.poll, .measuring, .running):
            guard unansweredPolls < Self.pollLimit else {
                return giveUp("the module stopped answering", as: .lost, into: &actions)
            }
            unansweredPolls += 1
            actions.append(.write(SunTechPacket.host(SunTechCommand.cuffPressure)))
            actions.arm(.poll, Self.pollPause)
        default: break
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        let packet = bytes(of: range)
        // Without a visible start, anything but results and an abort (A) may belong to a measurement with a result of its own.
        if !isStarted, packet.count < 0x18, (packet.count, packet[2]) != (4, 0x41) { shown = nil }
        switch (packet.count, packet[2]) {
        case (4, let letter): told(letter, into: &actions)
        case (5, _) where asked == SunTechCommand.cuffPressure:
            actions.append(.live(.cuffPressure(.mmHg(Int(packet[2]) | Int(packet[3]) << 8))))
        case (7, 1) where packet[5] == 0: actions.append(.live(.cuffPressure(.mmHg(Int(packet[3]) | Int(packet[4]) << 8))))
        case (0x18, _): arrived(packet, offset: 2, into: &actions)
        case (0x19, 3): arrived(packet, offset: 3, into: &actions)
        default: actions.ignore("a packet of no known kind", packet)
        }
    }

    private var asksForStart: Bool { asked == SunTechCommand.start || asked == SunTechCommand.startStream }

    private mutating func told(_ letter: UInt8, into actions: inout SessionActions) {
        switch (letter, mode, phase) {
        case (0x4F, .measuring, .inflating): start(into: &actions)
        case (0x4F, .measuring, .starting):
            phase = .running
            requests.end(into: &actions)
            // Longer than error 88, the module's own time-out, which its sources do not quantify: guess.
            actions.arm(.overall, .seconds(180))
            if !streams { actions.arm(.poll, Self.pollPause) }
            actions.append(.live(.started))
        case (0x4F, .listening, _) where isStarted && asksForStart:
            actions.append(.live(.started))
        case (0x4B, .measuring, .running):
            ended(into: &actions)
            // In stream mode the result comes unasked; the request is the retry.
            if streams {
                actions.arm(.response, .seconds(2))
            } else {
                ask(SunTechCommand.result, attempts: 3, into: &actions)
            }
        case (0x4B, .listening, _) where isStarted: actions.append(.live(.ended))
        case (0x42, .measuring, .starting), (0x42, .measuring, .inflating), (0x45, .measuring, .starting),
            (0x45, .measuring, .inflating):
            finish(.failed(letter == 0x42 ? "the module is busy" : "the module refused the command"), into: &actions)
        case (0x41, .stopping, _): finish(.complete, into: &actions)
        case (0x41, .measuring, .running):
            actions.append(.live(.aborted))
            finish(.aborted("the measurement was stopped on the module"), into: &actions)
        case (0x41, .listening, _) where isStarted || asked == SunTechCommand.abort:
            isStarted = false
            actions.append(.live(.aborted))
        // Nothing was started: the stored result is the former one.
        case (0x42, .listening, _) where asksForStart, (0x45, .listening, _) where asksForStart: isStarted = false
        case (0x53, .measuring, _), (0x53, .reading, _): finish(.failed("the module is asleep"), into: &actions)
        case (0x41, _, _), (0x42, _, _), (0x45, _, _), (0x4B, _, _), (0x4F, _, _), (0x53, _, _): break
        default: actions.ignore("an answer of no known meaning", SunTechPacket.module([letter]))
        }
    }

    private mutating func ended(into actions: inout SessionActions) {
        phase = .fetching
        actions.disarm(.poll)
        actions.disarm(.overall)
        actions.append(.live(.ended))
    }

    private mutating func arrived(_ packet: [UInt8], offset: Int, into actions: inout SessionActions) {
        // The K before the last packet of a stream may have been lost.
        if mode == .measuring, phase == .running, streams, packet.count == 0x19 {
            ended(into: &actions)
            actions.arm(.response, .seconds(2))
        }
        // While a measurement runs, the stored result is the former one.
        if mode == .stopping || mode == .measuring && phase != .fetching { return }
        guard Self.isWithinRange(packet.span, offset) else {
            // The sum does not detect two exchanged bytes; the request is repeated after its time-out.
            return actions.ignore("a result beyond the module's own range", packet)
        }
        guard let content = Self.content(packet.span, offset) else {
            if mode == .reading { finish(.complete, into: &actions) }
            return
        }
        // The stored result fetched again is not a second measurement; without visible requests each may be one.
        let isRepeated = !isStarted && asked == SunTechCommand.result && shown == packet
        shown = packet
        if isRepeated { return }
        actions.emit(
            Reading(content, driver: "suntech-advantage", origin: isStarted ? .measurement : .memory, raw: RawBytes(packet)))
        isStarted = false
        if mode != .listening { finish(.complete, into: &actions) }
    }

    /// No cuff of this module holds more than 300 mmHg: observed [3]. With an error the pressures mean nothing.
    static func isWithinRange(_ packet: Span<UInt8>, _ offset: Int) -> Bool {
        if let error = packet.byte(offset + 18), error != 0 { return true }
        return [0, 2, 16].allSatisfy { packet.littleEndian16(offset + $0) ?? .max <= 300 }
    }

    static func content(_ packet: Span<UInt8>, _ offset: Int) -> Reading.Content? {
        guard let systolic = packet.littleEndian16(offset), let diastolic = packet.littleEndian16(offset + 2),
            let rate = packet.byte(offset + 14), let mean = packet.littleEndian16(offset + 16), let error = packet.byte(offset + 18)
        else { return nil }
        guard error == 0 else { return .failure(failures.failure(Int(error))) }
        if systolic == 0, diastolic == 0 { return nil }
        return .mmHg(Int(systolic), Int(diastolic), meanOrZero: Int(mean), pulseOrZero: Int(rate))
    }

    static let failures: [Int: FailureReason] = [
        3: .outOfRange, 86: .stopped, 87: .leak, 88: .timeout, 89: .overPressure, 90: .hardware, 91: .zeroCalibration, 97: .hardware,
        99: .hardware,
    ]
}
