/// The conversation with a Nano: listens, or keeps it measuring for a while with keep-alives.
struct NibpNanoSession: FramedSession {
    private enum Mode { case listening, measuring, informing, stopping }

    /// The device gives up after 500 ms without one [1].
    static let keepAlive = Duration.milliseconds(400)
    /// A device that measures sends 200 packets a second and its status four times; silent for three times the 500 ms
    /// after which it would give up on us, it is gone.
    static let silence = Duration.milliseconds(1500)
    /// Until the first beat: start-up and the search for the pulse. No source quantifies it: guess.
    static let search = Duration.seconds(120)
    /// 200 pressures a second [1].
    static let samplePeriod = Duration.milliseconds(5)
    /// Beyond this a pressure means nothing [1].
    static let maximumTenths = 3300

    var reader = FrameReader(NibpNanoFrame())
    private var mode = Mode.listening
    var isFinished = false
    private var origin = Reading.Origin.push
    private let duration: Duration

    /// The counter of the last pressure, and how many it has counted.
    private var lastCount: UInt16 = 0
    private var samples: Int64 = 0

    private var isHeard = false
    /// The bytes just received held a whole packet.
    private var hasFrame = false
    private var isBeating = false
    private var deviceMode: UInt8?
    private var error: UInt8 = 0
    private var hadNoPulse = false
    private var toldMeaningless = false
    private var identity = DeviceIdentity(manufacturer: "ADInstruments", model: "Human NIBP Nano")
    private var tries = 0

    init(_ context: SessionContext) {
        let seconds = context.options["seconds"].flatMap { Int($0) } ?? 60
        duration = .seconds(min(max(1, seconds), 3600))
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        hasFrame = false
        receiveFrames(of: bytes, into: &actions)
        // Once for each chunk, not for each of 200 packets a second.
        if hasFrame, mode == .measuring, !isFinished { actions.append(.arm(.silence, Self.silence)) }
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes == NibpNanoCommand.start { origin = .measurement }
        if bytes == NibpNanoCommand.stop { origin = .push }
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        let sentence = isHeard ? "the line ended during the measurement" : "the line ended before the device answered"
        finish(mode == .listening ? .complete : .noAnswer(sentence), into: &actions)
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: break
        case .measure:
            mode = .measuring
            actions.append(.write(NibpNanoCommand.start))
            actions.append(.arm(.response, .seconds(5)))
            actions.append(.arm(.overall, Self.search))
            actions.append(.arm(.poll, Self.keepAlive))
        case .stop:
            actions.append(.write(NibpNanoCommand.stop))
            actions.append(.live(.aborted))
            // Its status, four times a second, tells when it no longer measures.
            mode = .stopping
            actions.append(.disarm(.overall))
            actions.append(.disarm(.silence))
            actions.append(.disarm(.poll))
            actions.append(.arm(.response, .seconds(2)))
        case .information:
            mode = .informing
            inquire(into: &actions)
        case .readMemory, .readClock, .setClock, .schedule, .clear:
            finish(.unsupported("nibp-nano keeps no readings and has no clock"), into: &actions)
        }
    }

    private mutating func inquire(into actions: inout SessionActions) {
        tries += 1
        actions.append(.write(identity.serial == nil ? NibpNanoCommand.hardware : NibpNanoCommand.application))
        actions.append(.arm(.response, .seconds(2)))
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (mode, timer) {
        case (.measuring, .poll):
            actions.append(.write(NibpNanoCommand.keepAlive))
            actions.append(.arm(.poll, Self.keepAlive))
        // A start is not repeated: a device that does not answer may still have received it.
        case (.measuring, .response): giveUp("the device says nothing", into: &actions)
        case (.measuring, .silence): giveUp("the device fell silent during the measurement", as: .lost, into: &actions)
        case (.measuring, .overall) where isBeating:
            actions.append(.write(NibpNanoCommand.stop))
            actions.append(.live(.ended))
            finish(.complete, into: &actions)
        case (.measuring, .overall): giveUp("no beat came within two minutes of the start", into: &actions)
        case (.stopping, .response): finish(.noAnswer("the device did not confirm that it stopped"), into: &actions)
        case (.informing, .response) where tries < 6: inquire(into: &actions)
        case (.informing, .response): finish(.noAnswer("the device did not tell its version"), into: &actions)
        default: break
        }
    }

    private mutating func giveUp(_ sentence: String, as reason: FailureReason = .timeout, into actions: inout SessionActions) {
        actions.append(.write(NibpNanoCommand.stop))
        actions.append(.live(.failed(Failure(reason))))
        finish(.noAnswer(sentence), into: &actions)
    }

    mutating func receive(_ step: FrameStep, into actions: inout SessionActions) {
        switch step {
        case .skipped(let count, let fault): actions.report(skipped: count, fault)
        case .frame(let range):
            hasFrame = true
            let packet = (range.lowerBound + 4)..<(range.upperBound - 1)
            if let known = NibpNanoPacket(reader.buffer.span.extracting(packet)) {
                take(known, range, into: &actions)
            } else {
                actions.append(.report(.ignored("a packet of no known kind", Array(reader.buffer[range]))))
            }
        }
    }

    private mutating func take(_ packet: NibpNanoPacket, _ range: Range<Int>, into actions: inout SessionActions) {
        if mode == .measuring && !isHeard {
            isHeard = true
            actions.append(.disarm(.response))
        }
        switch packet {
        case .beat(let pressure, let interval):
            if mode == .measuring && !isBeating { actions.append(.arm(.overall, duration)) }
            isBeating = true
            actions.append(.live(.beat(pressure, interval: interval)))
            let raw = RawBytes(reader.buffer.span.extracting(range))
            actions.emit(Reading(.bloodPressure(pressure), driver: "nibp-nano", origin: origin, raw: raw))
        case .pressure(let tenths, let count): takePressure(tenths, count, into: &actions)
        case .status(let mode, let error, let warnings): takeStatus(mode, error, warnings, into: &actions)
        case .hardware(let version, let serial):
            identity.serial = serial
            identity.id = serial
            if identity.firmware == nil { identity.firmware = "hardware \(version)" }
            tell(into: &actions)
        case .application(let version):
            identity.firmware = version
            tell(into: &actions)
        }
    }

    private mutating func takePressure(_ tenths: Int, _ count: UInt16, into actions: inout SessionActions) {
        samples += Int64(count &- lastCount)
        lastCount = count
        guard tenths <= Self.maximumTenths else {
            // 200 of them a second: once is enough.
            if !toldMeaningless { actions.append(.report(.note("pressures beyond 330 mmHg mean nothing and are left out"))) }
            toldMeaningless = true
            return
        }
        actions.append(.cuffPressure(.tenthsOfMmHg(tenths)), sampled: Self.samplePeriod * Int(samples))
    }

    private mutating func takeStatus(
        _ newMode: UInt8, _ newError: UInt8, _ warnings: UInt32, into actions: inout SessionActions
    ) {
        if newMode == 3, deviceMode != 3 { actions.append(.live(.started)) }
        let hasEnded = deviceMode == 3 && newMode == 1
        if hasEnded { actions.append(.live(.ended)) }
        deviceMode = newMode
        if mode == .stopping, newMode != 3 { return finish(.complete, into: &actions) }
        let hasNoPulse = warnings & 0x40 != 0
        if newError != error, newError != 0, newError != 43, newError != 44 {
            fail(NibpNanoPacket.failure(error: newError), into: &actions)
        } else if hasNoPulse, !hadNoPulse {
            fail(Failure(.noPulse, code: "warning 6"), into: &actions)
        }
        error = newError
        hadNoPulse = hasNoPulse
        // Stopped on the device, or finished: no stop is needed.
        if hasEnded, mode == .measuring, !isFinished {
            finish(isBeating ? .complete : .failed("the device stopped measuring before the first beat"), into: &actions)
        }
    }

    private mutating func fail(_ failure: Failure, into actions: inout SessionActions) {
        actions.append(.live(.failed(failure)))
        guard mode == .measuring, !isFinished else { return }
        actions.append(.write(NibpNanoCommand.stop))
        finish(.failed("the device reports \(failure.reason.word) (\(failure.code))"), into: &actions)
    }

    private mutating func tell(into actions: inout SessionActions) {
        actions.append(.identify(identity))
        guard mode == .informing else { return }
        if identity.serial != nil, identity.firmware?.hasPrefix("hardware") == false {
            finish(.complete, into: &actions)
        } else {
            inquire(into: &actions)
        }
    }
}
