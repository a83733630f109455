import CuffCore

/// A session and a simulator in memory, in virtual time. Faults are drawn from a seed.
struct HIDConversation {
    /// Faults of the cuff's reports, in percent.
    struct Faults {
        var seed: UInt64
        var lost: UInt64 = 0
        var repeated: UInt64 = 0
        var flipped: UInt64 = 0
    }

    private(set) var readings: [Reading] = []
    private(set) var clocks: [DeviceTime] = []
    private(set) var identities: [DeviceIdentity] = []
    private(set) var notes: [String] = []
    private(set) var writes: [[UInt8]] = []
    private(set) var outcome: Outcome?
    private(set) var elapsed: Duration = .zero

    private var session: any CuffSession
    private var simulator: any CuffSimulator
    private var sessionTimers: [TimerID: Duration] = [:]
    private var simulatorTimers: [TimerID: Duration] = [:]
    private var toCuff: [SimulatorEvent] = []
    private var fromCuff: [[UInt8]] = []
    private var random: SplitMix64
    private let faults: Faults
    private let commits: Bool

    init(
        _ driver: CuffDriver, _ command: SessionCommand, _ script: SimulatorScript = SimulatorScript(),
        faults: Faults = Faults(seed: 0), commits: Bool = true
    ) {
        session = driver.makeSession(SessionContext(options: script.options))
        simulator = driver.makeSimulator(script)
        random = SplitMix64(seed: faults.seed)
        self.faults = faults
        self.commits = commits
        obey(simulator.handle(.opened))
        obey(session.handle(.opened))
        obey(session.handle(.command(command)))
        run()
    }

    /// Delivers bytes first, then the earliest timer of either side. Ends with the session, after an hour, or when nothing remains.
    private mutating func run() {
        while outcome == nil, elapsed < .seconds(3600) {
            if !toCuff.isEmpty {
                obey(simulator.handle(toCuff.removeFirst()))
            } else if !fromCuff.isEmpty {
                deliver(fromCuff.removeFirst())
            } else if let first = sessionTimers.min(by: { $0.value < $1.value }),
                first.value <= simulatorTimers.values.min() ?? first.value
            {
                elapsed = first.value
                sessionTimers[first.key] = nil
                obey(session.handle(.timerFired(first.key)))
            } else if let first = simulatorTimers.min(by: { $0.value < $1.value }) {
                elapsed = first.value
                simulatorTimers[first.key] = nil
                obey(simulator.handle(.timerFired(first.key)))
            } else {
                return
            }
        }
    }

    private mutating func deliver(_ bytes: [UInt8]) {
        if random.next() % 100 < faults.lost { return }
        var bytes = bytes
        if random.next() % 100 < faults.flipped {
            let bit = Int(random.next() % UInt64(bytes.count * 8))
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        let times = random.next() % 100 < faults.repeated ? 2 : 1
        for _ in 0..<times { obey(session.handle(.received(bytes))) }
    }

    private mutating func obey(_ actions: [SessionAction]) {
        for action in actions where outcome == nil {
            switch action {
            case .write(let bytes):
                writes.append(bytes)
                toCuff.append(.received(bytes))
                obey(session.handle(.sent(bytes)))
            case .writeFeature(let bytes):
                writes.append(bytes)
                toCuff.append(.receivedFeature(bytes))
                obey(session.handle(.sent(bytes)))
            case .emit(let reading):
                readings.append(reading)
                if commits { obey(session.handle(.committed(through: readings.count))) }
            case .identify(let identity): identities.append(identity)
            case .clock(let time): clocks.append(time)
            case .cycle: break
            case .arm(let timer, let duration): sessionTimers[timer] = elapsed + duration
            case .disarm(let timer): sessionTimers[timer] = nil
            case .finish(let outcome):
                sessionTimers.removeAll()
                self.outcome = outcome
            case .live, .acknowledge, .expectRepetitions, .remember, .report: break
            }
        }
    }

    private mutating func obey(_ actions: [SimulatorAction]) {
        for action in actions {
            switch action {
            case .write(let bytes): fromCuff.append(bytes)
            case .arm(let timer, let duration): simulatorTimers[timer] = elapsed + duration
            case .disarm(let timer): simulatorTimers[timer] = nil
            case .note(let text): notes.append(text)
            case .finish: break
            }
        }
    }

    /// `128/82 71 2026-05-05T07:31 u1`: the main fields.
    static func summary(_ reading: Reading) -> String {
        let values = reading.bloodPressure.map {
            "\($0.systolic.inMmHg)/\($0.diastolic.inMmHg) \($0.pulse?.digits.mantissa ?? 0)"
        }
        return "\(values ?? "failure") \(minute(reading.clock.time))"
    }

    static func summary(_ record: SimulatedRecord) -> String {
        "\(Double(record.systolic))/\(Double(record.diastolic)) \(record.pulse) \(minute(record.time))"
    }

    private static func minute(_ time: DeviceTime?) -> String {
        time.map { "\($0.year)-\($0.month)-\($0.day) \($0.hour):\($0.minute)" } ?? "-"
    }
}
