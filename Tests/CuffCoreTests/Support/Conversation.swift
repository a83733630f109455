import CuffCore

/// A session and a simulator in memory, over a line with optional faults, in virtual time.
struct Conversation {
    private(set) var readings: [Reading] = []
    private(set) var lives: [LiveEvent] = []
    private(set) var identity: DeviceIdentity?
    private(set) var clocks: [DeviceTime] = []
    private(set) var cycles: [Int] = []
    private(set) var writes: [[UInt8]] = []
    private(set) var notes: [String] = []
    /// Notes of the simulated cuff.
    private(set) var cuffNotes: [String] = []
    private(set) var remembered: [String: [UInt8]] = [:]
    /// `nil`: the session fell silent without an end.
    private(set) var outcome: Outcome?
    /// Microseconds from the opening to the end.
    private(set) var elapsed: Int64 = 0
    private(set) var steps = 0
    /// When the last byte of the cuff arrived, in microseconds from the opening.
    private(set) var heardAt: Int64 = 0

    private enum Event {
        case toCuff([UInt8]), featureToCuff([UInt8]), toHost([UInt8])
        case hostTimer(TimerID, Int), cuffTimer(TimerID, Int)
        case committed(Int)
        case command(SessionCommand)
        case close
    }

    private let driver: CuffDriver
    private var session: any CuffSession
    /// The present cuff, which another conversation may continue with.
    private(set) var simulator: any CuffSimulator
    private var ledger: ReadingLedger
    /// Future events, the next one last.
    private var queue: [(time: Int64, event: Event)] = []
    private var hostTimers: [TimerID: Int] = [:]
    private var cuffTimers: [TimerID: Int] = [:]
    private var generation = 0
    private var emitted = 0
    private var random: SplitMix64
    private let faultRate: Double

    static let stepLimit = 50_000
    /// Longer than any family's own limits: a measurement of four minutes, and retries.
    static let timeLimit: Int64 = 1_800_000_000

    /// `faultRate` is the share of bytes that are dropped, doubled or have a bit flipped, in equal parts. HID reports are dropped or
    /// doubled whole. `closesAfter`: the end of the line, for `.follow`, which does not end itself.
    init(
        _ driver: CuffDriver, _ command: SessionCommand, script: SimulatorScript = SimulatorScript(),
        context: SessionContext = SessionContext(), faultRate: Double = 0, seed: UInt64 = 0, closesAfter: Duration? = nil,
        then: (command: SessionCommand, after: Duration)? = nil, with former: (any CuffSimulator)? = nil
    ) {
        self.driver = driver
        self.faultRate = faultRate
        session = driver.makeSession(context)
        simulator = former ?? driver.makeSimulator(script)
        ledger = ReadingLedger(device: context.device, driver: driver.id)
        random = SplitMix64(seed: seed)
        if let closesAfter { post(.close, after: Self.microseconds(closesAfter)) }
        if let then { post(.command(then.command), after: Self.microseconds(then.after)) }
        perform(simulator.handle(.opened))
        perform(session.handle(.opened))
        perform(session.handle(.command(command)))
        run()
    }

    private mutating func run() {
        while outcome == nil, steps < Self.stepLimit, elapsed < Self.timeLimit, let (time, event) = queue.popLast() {
            steps += 1
            elapsed = max(elapsed, time)
            switch event {
            case .toCuff(let bytes): perform(simulator.handle(.received(bytes)))
            case .featureToCuff(let bytes): perform(simulator.handle(.receivedFeature(bytes)))
            case .toHost(let bytes):
                heardAt = elapsed
                perform(session.handle(.received(bytes)))
            case .hostTimer(let timer, let number):
                if hostTimers[timer] == number { perform(session.handle(.timerFired(timer))) }
            case .cuffTimer(let timer, let number):
                if cuffTimers[timer] == number { perform(simulator.handle(.timerFired(timer))) }
            case .committed(let through): perform(session.handle(.committed(through: through)))
            case .command(let command): perform(session.handle(.command(command)))
            case .close: perform(session.handle(.closed))
            }
        }
    }

    private mutating func post(_ event: Event, after delay: Int64) {
        let time = elapsed + delay
        // Stopped timers stay in the queue, which may become long.
        var (place, end) = (0, queue.count)
        while place < end {
            let middle = (place + end) / 2
            if queue[middle].time > time { place = middle + 1 } else { end = middle }
        }
        queue.insert((time, event), at: place)
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }

    private mutating func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .write(let bytes):
                writes.append(bytes)
                let arrived = worn(bytes)
                if !arrived.isEmpty || bytes.isEmpty { post(.toCuff(arrived), after: 2000) }
                perform(session.handle(.sent(bytes)))
            case .writeFeature(let bytes):
                writes.append(bytes)
                post(.featureToCuff(bytes), after: 2000)
                perform(session.handle(.sent(bytes)))
            case .emit(var reading):
                emitted += 1
                if ledger.admit(&reading, received: nil) { readings.append(reading) }
                post(.committed(emitted), after: 1000)
            case .live(let event): lives.append(event)
            case .identify(let identity): self.identity = identity
            case .clock(let time): clocks.append(time)
            case .cycle(let minutes): cycles.append(minutes)
            case .arm(let timer, let duration):
                generation += 1
                hostTimers[timer] = generation
                post(.hostTimer(timer, generation), after: Self.microseconds(duration))
            case .disarm(let timer): hostTimers[timer] = nil
            case .acknowledge(let through): ledger.acknowledge(through: through)
            case .expectRepetitions(let isLost): ledger.expectRepetitions(isLost: isLost)
            case .remember(let key, let value): remembered[key] = value
            case .report(let diagnostic): notes.append(diagnostic.sentence)
            case .finish(let outcome):
                hostTimers.removeAll()
                if self.outcome == nil { self.outcome = outcome }
            }
        }
    }

    private mutating func perform(_ actions: [SimulatorAction]) {
        for action in actions {
            switch action {
            case .write(let bytes):
                for piece in driver.medium == .hidraw ? wornReport(bytes) : cut(worn(bytes)) { post(.toHost(piece), after: 3000) }
            case .arm(let timer, let duration):
                generation += 1
                cuffTimers[timer] = generation
                post(.cuffTimer(timer, generation), after: Self.microseconds(duration))
            case .disarm(let timer): cuffTimers[timer] = nil
            case .note(let text): cuffNotes.append(text)
            case .finish: break
            }
        }
    }

    private mutating func isFaulty() -> Bool {
        faultRate > 0 && Double(random.next() % 1_000_000) < faultRate * 1_000_000
    }

    private mutating func worn(_ bytes: [UInt8]) -> [UInt8] {
        guard faultRate > 0 else { return bytes }
        if driver.medium == .hidraw { return wornReport(bytes).first ?? [] }
        var result: [UInt8] = []
        for byte in bytes {
            guard isFaulty() else {
                result.append(byte)
                continue
            }
            switch random.next() % 3 {
            case 0: break
            case 1: result += [byte, byte]
            default: result.append(byte ^ 1 << UInt8(random.next() % 8))
            }
        }
        return result
    }

    private mutating func wornReport(_ report: [UInt8]) -> [[UInt8]] {
        guard isFaulty() else { return [report] }
        switch random.next() % 3 {
        case 0: return []
        case 1: return [report, report]
        default:
            var flipped = report
            let index = report.isEmpty ? 0 : Int(random.next() % UInt64(report.count))
            if !report.isEmpty { flipped[index] ^= 1 << UInt8(random.next() % 8) }
            return [flipped]
        }
    }

    /// Pieces of any size, as from a serial driver.
    private mutating func cut(_ bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = 1 + Int(random.next() % 24)
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

extension SessionCommand {
    /// One of each kind.
    static let all: [SessionCommand] = [
        .follow, .readMemory(user: nil), .readMemory(user: 1), .measure, .stop, .readClock,
        .setClock(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10)), .information,
        .schedule(.get), .schedule(.off), .schedule(.every(30)), .clear(user: nil), .clear(user: 1),
    ]
}

extension Outcome {
    var isUnsupported: Bool { if case .unsupported = self { true } else { false } }
}
