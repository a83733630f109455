import CuffCore

/// Manager and simulated agent in memory with virtual time. Writes can be lost, doubled, cut or delayed; time advances only when neither
/// side has anything to do.
struct PHDConversation {
    var session: any CuffSession
    var agent: any CuffSimulator
    var ledger: ReadingLedger
    var readings: [Reading] = []
    /// The highest revision of each reading by id, as in a sink.
    var stored: [UInt64: Reading] = [:]
    var managerWrites: [[UInt8]] = []
    var agentWrites: [[UInt8]] = []
    var outcome: Outcome?
    var clocks: [DeviceTime] = []
    var identities: [DeviceIdentity] = []
    var remembered: [String: [UInt8]] = [:]
    var notes: [String] = []
    var now = Duration.zero
    /// Changes a write on its way; empty: lost.
    var fault: (_ fromAgent: Bool, _ number: Int, _ bytes: [UInt8]) -> [[UInt8]] = { _, _, bytes in [bytes] }
    /// The delay of a write. Later ones of the same side wait behind it: a stream keeps its order.
    var latency: (_ fromAgent: Bool, _ number: Int) -> Duration = { _, _ in .zero }
    /// Prints each write and note, for debugging.
    var isLoud = false
    /// How long a sink takes to store readings.
    var commitDelay: Duration?

    private var sessionTimers: [TimerID: Duration] = [:]
    private var agentTimers: [TimerID: Duration] = [:]
    private var toAgent: [(at: Duration, bytes: [UInt8])] = []
    private var toSession: [(at: Duration, bytes: [UInt8])] = []
    private var emitted = 0
    private var commits: [(at: Duration, through: Int)] = []
    private var written = (manager: 0, agent: 0)

    init(_ script: SimulatorScript, options: [String: String] = [:], memory: [String: [UInt8]] = [:]) {
        session = CuffDriver.phd.makeSession(SessionContext(options: options, memory: memory))
        agent = CuffDriver.phd.makeSimulator(script)
        ledger = ReadingLedger(device: "", driver: "phd")
    }

    mutating func start(_ command: SessionCommand) {
        tell(.opened)
        tell(.command(command))
        perform(agent.handle(.opened))
    }

    /// The agent's button is pressed: it starts again with what it still holds.
    mutating func press() {
        perform(agent.handle(.closed))
        perform(agent.handle(.opened))
    }

    mutating func tell(_ event: SessionEvent) { perform(session.handle(event)) }

    /// Runs until the session finishes, nothing remains to be done, or `limit` is over.
    mutating func run(until limit: Duration = .seconds(600)) {
        var steps = 0
        while outcome == nil, steps < 20000 {
            steps += 1
            if let first = toAgent.first, first.at <= now {
                perform(agent.handle(.received(toAgent.removeFirst().bytes)))
            } else if let first = toSession.first, first.at <= now {
                tell(.received(toSession.removeFirst().bytes))
            } else if !wait(limit) {
                return
            }
        }
    }

    private mutating func wait(_ limit: Duration) -> Bool {
        let arrivals = [toAgent.first?.at, toSession.first?.at].compactMap { $0 }
        let moments = Array(sessionTimers.values) + Array(agentTimers.values) + commits.map(\.at) + arrivals
        guard let next = moments.min(), next <= limit else { return false }
        now = max(now, next)
        if arrivals.contains(where: { $0 <= now }) { return true }
        if let index = commits.firstIndex(where: { $0.at <= now }) {
            tell(.committed(through: commits.remove(at: index).through))
        } else if let timer = Self.due(sessionTimers, now) {
            sessionTimers[timer] = nil
            tell(.timerFired(timer))
        } else if let timer = Self.due(agentTimers, now) {
            agentTimers[timer] = nil
            perform(agent.handle(.timerFired(timer)))
        }
        return true
    }

    /// The earliest, then the lowest, for reproducible runs.
    private static func due(_ timers: [TimerID: Duration], _ now: Duration) -> TimerID? {
        timers.filter { $0.value <= now }.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }?.key
    }

    private mutating func perform(_ actions: [SessionAction]) {
        let before = emitted
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .write(let bytes), .writeFeature(let bytes):
                managerWrites.append(bytes)
                if isLoud { print(now, "manager", Hex.text(bytes)) }
                sent.append(bytes)
                let pieces = fault(false, written.manager, bytes)
                let at = max(now + latency(false, written.manager), toAgent.last?.at ?? .zero)
                toAgent += pieces.map { (at, $0) }
                written.manager += 1
            case .emit(var reading):
                emitted += 1
                if ledger.admit(&reading, received: Timestamp(milliseconds: 1_770_000_000_000)) {
                    readings.append(reading)
                    if let known = stored[reading.id.hash], known.revision > reading.revision { continue }
                    stored[reading.id.hash] = reading
                }
            case .identify(let identity):
                identities.append(identity)
                ledger.identify(identity.id, driver: "phd")
            case .clock(let time): clocks.append(time)
            case .cycle: break
            case .arm(let timer, let duration): sessionTimers[timer] = now + duration
            case .disarm(let timer): sessionTimers[timer] = nil
            case .acknowledge(let through): ledger.acknowledge(through: through)
            case .expectRepetitions(let isLost): ledger.expectRepetitions(isLost: isLost)
            case .remember(let key, let value): remembered[key] = value
            case .report(let diagnostic):
                notes.append(diagnostic.sentence)
                if isLoud { print(now, "note   ", diagnostic.sentence) }
            case .finish(let end): outcome = end
            case .live: break
            }
        }
        for bytes in sent { tell(.sent(bytes)) }
        guard emitted > before else { return }
        if let commitDelay { commits.append((now + commitDelay, emitted)) } else { tell(.committed(through: emitted)) }
    }

    private mutating func perform(_ actions: [SimulatorAction]) {
        for action in actions {
            switch action {
            case .write(let bytes):
                agentWrites.append(bytes)
                if isLoud { print(now, "agent  ", Hex.text(bytes)) }
                let pieces = fault(true, written.agent, bytes)
                let at = max(now + latency(true, written.agent), toSession.last?.at ?? .zero)
                toSession += pieces.map { (at, $0) }
                written.agent += 1
            case .arm(let timer, let duration): agentTimers[timer] = now + duration
            case .disarm(let timer): agentTimers[timer] = nil
            case .note, .finish: break
            }
        }
    }

    /// The final blood pressures in a sink, as text, in the order of their time.
    var pressures: [String] {
        stored.values.filter { !$0.isPending }.compactMap { reading in
            reading.bloodPressure.map { pressure in
                "\(reading.clock.time?.wallSeconds ?? 0) \(reading.user ?? 0) \(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa) \(pressure.pulse?.digits.mantissa ?? -1)"
            }
        }.sorted()
    }
}
