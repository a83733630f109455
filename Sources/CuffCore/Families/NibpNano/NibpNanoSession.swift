/// A session with a Nano: listens, or keeps it measuring for a while with keep-alives.
struct NibpNanoSession: FramedSession, MeasuringSession {
    private enum Mode { case listening, measuring, informing, stopping }

    /// The device gives up after 500 ms without one [1].
    static let keepAlive = Duration.milliseconds(400)
    /// A measuring device sends 200 packets a second; three times its own time-out of 500 ms.
    static let silence = Duration.milliseconds(1500)
    /// Until the first beat: start-up and the search for the pulse. No source quantifies it: guess.
    static let search = Duration.seconds(120)
    /// 200 pressures a second [1].
    static let samplePeriod = Duration.milliseconds(5)
    /// Larger pressures are meaningless [1].
    static let maximumTenths = 3300

    var reader = FrameReader(NibpNanoFrame())
    var requests = Requests<[UInt8]>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.nibpNano.capabilities }
    var isListening: Bool { mode == .listening }
    let stopCommand = NibpNanoCommand.stop
    private var mode = Mode.listening
    private var origin = Reading.Origin.push
    private let duration: Duration

    private var wave = Wave()
    private var hasFrame = false
    /// The outcome, when the device no longer measures.
    private var ending = Outcome.complete
    private var isBeating = false
    private var status = Status()
    private var identity = DeviceIdentity(manufacturer: "ADInstruments", model: "Human NIBP Nano")

    private struct Wave {
        var lastCount: UInt16 = 0
        var samples: Int64 = 0
        var hasReportedMeaningless = false
    }

    private struct Status {
        var mode: UInt8?
        var error: UInt8 = 0
        var hasNoPulse = false
    }

    init(_ context: SessionContext) {
        let seconds = context.options["seconds"].flatMap { Int($0) } ?? 60
        duration = .seconds(min(max(1, seconds), 3600))
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        hasFrame = false
        receiveFrames(of: bytes, into: &actions)
        // Once per chunk, not for each of 200 packets a second.
        if hasFrame, mode == .measuring, !isFinished { actions.arm(.silence, Self.silence) }
    }

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        if bytes == NibpNanoCommand.start { origin = .measurement }
        if bytes == NibpNanoCommand.stop { origin = .push }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .measure:
            mode = .measuring
            ask(Request(NibpNanoCommand.start, NibpNanoCommand.start, within: .seconds(5), attempts: 1), into: &actions)
            actions.arm(.overall, Self.search)
            actions.arm(.poll, Self.keepAlive)
        case .stop:
            // Its status, four times a second, shows when it no longer measures.
            mode = .stopping
            stop(within: .seconds(2), into: &actions)
        case .information:
            mode = .informing
            inquire(into: &actions)
        default: break
        }
    }

    private mutating func inquire(into actions: inout SessionActions) {
        let question = identity.serial == nil ? NibpNanoCommand.hardware : NibpNanoCommand.application
        ask(Request(question, question, within: .seconds(2), attempts: 6), into: &actions)
    }

    mutating func unanswered(_ question: [UInt8], into actions: inout SessionActions) {
        if question == NibpNanoCommand.start { return giveUp("the device says nothing", into: &actions) }
        finish(.noAnswer("the device did not report its version"), into: &actions)
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (mode, timer) {
        case (.measuring, .poll):
            actions.append(.write(NibpNanoCommand.keepAlive))
            actions.arm(.poll, Self.keepAlive)
        case (.measuring, .silence): giveUp("the device fell silent during the measurement", as: .lost, into: &actions)
        case (.measuring, .overall) where isBeating:
            stopMeasuring(.complete, into: &actions)
        case (.measuring, .overall): giveUp("no beat came within two minutes of the start", into: &actions)
        case (.stopping, .response): finish(.noAnswer("the device did not confirm that it stopped"), into: &actions)
        default: break
        }
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        hasFrame = true
        let packet = (range.lowerBound + 4)..<(range.upperBound - 1)
        if let known = NibpNanoPacket(reader.buffer.span.extracting(packet)) {
            receive(known, range, into: &actions)
        } else {
            actions.ignore("a packet of no known kind", bytes(of: range))
        }
    }

    private mutating func receive(_ packet: NibpNanoPacket, _ range: Range<Int>, into actions: inout SessionActions) {
        if mode == .measuring { requests.end(into: &actions) }
        switch packet {
        case .beat(let pressure, let interval):
            if mode == .measuring && !isBeating { actions.arm(.overall, duration) }
            isBeating = true
            actions.append(.live(.beat(pressure, interval: interval)))
            let raw = RawBytes(reader.buffer.span.extracting(range))
            actions.emit(Reading(.bloodPressure(pressure), driver: "nibp-nano", origin: origin, raw: raw))
        case .pressure(let tenths, let count): receive(pressure: tenths, count, into: &actions)
        case .status(let mode, let error, let warnings):
            receive(Status(mode: mode, error: error, hasNoPulse: warnings & 0x40 != 0), into: &actions)
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

    private mutating func receive(pressure tenths: Int, _ count: UInt16, into actions: inout SessionActions) {
        wave.samples += Int64(count &- wave.lastCount)
        wave.lastCount = count
        guard tenths <= Self.maximumTenths else {
            // 200 of them a second: report once.
            if !wave.hasReportedMeaningless {
                actions.note("pressures beyond 330 mmHg mean nothing and are left out")
            }
            wave.hasReportedMeaningless = true
            return
        }
        actions.append(.cuffPressure(.tenthsOfMmHg(tenths)), sampled: Self.samplePeriod * Int(wave.samples))
    }

    private mutating func receive(_ new: Status, into actions: inout SessionActions) {
        let former = status
        status = new
        if new.mode == 3, former.mode != 3 { actions.append(.live(.started)) }
        let hasEnded = former.mode == 3 && new.mode == 1
        if hasEnded { actions.append(.live(.ended)) }
        if mode == .stopping, new.mode != 3 { return finish(ending, into: &actions) }
        if new.error != former.error, ![0, 43, 44].contains(new.error) {
            fail(NibpNanoPacket.failure(error: new.error), into: &actions)
        } else if new.hasNoPulse, !former.hasNoPulse {
            fail(MeasurementFailure(.noPulse, code: "warning 6"), into: &actions)
        }
        // Stopped on the device, or finished: no stop is needed.
        if hasEnded, mode == .measuring {
            finish(isBeating ? .complete : .failed("the device stopped measuring before the first beat"), into: &actions)
        }
    }

    private mutating func fail(_ failure: MeasurementFailure, into actions: inout SessionActions) {
        actions.append(.live(.failed(failure)))
        guard mode == .measuring, !isFinished else { return }
        stopMeasuring(.failed("the device reports \(failure.reason.word) (\(failure.code))"), into: &actions)
    }

    /// Stops the measurement, and ends as `ending` when the device no longer measures.
    private mutating func stopMeasuring(_ ending: Outcome, into actions: inout SessionActions) {
        mode = .stopping
        self.ending = ending
        stop(within: .seconds(2), isAborted: false, into: &actions)
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
