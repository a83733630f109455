import PostgresStore
import RemoteSink

/// Moves messages from one queue into the database. A pure state machine; `Gateway` performs the effects.
///
/// - A message is acknowledged to the broker after the commit of everything in its batch.
/// - The broker is connected only while the database is, so that messages wait in the queue and not here.
/// - A message that can never be stored is first set aside in the database with its reason, then acknowledged.
struct GatewayState {
    struct Limits: Sendable {
        /// The most unacknowledged messages, and the most in one transaction.
        var prefetch = 200
        /// How long a batch that is not full waits for more.
        var collect = 0.05
        var connect = 15.0
        var statement = 30.0
        var firstPause = 0.2
        var longestPause = 30.0
        /// After a request to stop.
        var drain = 5.0
    }

    struct Message: Sendable, Equatable {
        let tag: UInt64
        let routingKey: String
        let body: [UInt8]
    }

    struct Refused: Sendable, Equatable {
        let routingKey: String
        let body: [UInt8]
        let reason: String
    }

    enum Event: Sendable, Equatable {
        case database(Connection.Progress)
        case brokerConnected
        case brokerFailed(String)
        case delivered(Message)
        case stop
        /// A timer may have expired.
        case time
    }

    enum Effect: Sendable, Equatable {
        case connectDatabase
        case connectBroker
        case store([ReadingStatement.Item])
        case setAside([Refused])
        /// Notes when messages of machines came, and what they said about themselves.
        case note([MachineStatement.Report])
        /// Acknowledges this message and all before it.
        case acknowledge(UInt64)
        case disconnect
        case tell(String)
        case exit
    }

    private enum Phase: Equatable {
        case idle
        case resting(until: Double)
        case connectingDatabase
        case connectingBroker
        /// Both are connected; no statement is running.
        case ready
        case storing
        case settingAside
        case noting
        case over
    }

    private let limits: Limits
    private var phase = Phase.idle
    private var pause: Double
    private var held: [Message] = []
    private var heldSince = 0.0
    private var batch: [Message] = []
    private var items: [(item: ReadingStatement.Item, message: Message)] = []
    private var refused: [Refused] = []
    private var machines = MachineReports()
    private var reports: [MachineStatement.Report] = []
    private var work = BatchWork(count: 0)
    private var deadline: Double?
    private var stopBy: Double?
    private var lastText = ""
    /// For the summary on exit.
    private(set) var storedCount = 0
    private(set) var refusedCount = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
        pause = limits.firstPause
    }

    var wakeAt: Double? {
        var times = [deadline, stopBy].compactMap { $0 }
        if case .resting(let until) = phase { times.append(until) }
        if phase == .ready && !held.isEmpty { times.append(heldSince + limits.collect) }
        return times.min()
    }

    mutating func handle(_ event: Event, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .database(.waiting): return effects
        case .database(.connected):
            guard phase == .connectingDatabase else { break }
            phase = .connectingBroker
            deadline = nil
            effects.append(.connectBroker)
        case .brokerConnected:
            guard phase == .connectingBroker else { break }
            phase = .ready
            tell("storing readings from the queue", &effects)
        case .delivered(let message):
            guard [.ready, .storing, .settingAside, .noting].contains(phase) else { break }
            if held.isEmpty { heldSince = now }
            held.append(message)
        case .database(.committed): committed(&effects)
        case .database(.failed(let fault)): databaseFailed(fault, now, &effects)
        case .brokerFailed(let text): fail("the broker: " + text, now, &effects)
        case .stop: stopBy = stopBy ?? now + limits.drain
        case .time: pass(now, &effects)
        }
        proceed(now, &effects)
        return effects
    }

    // MARK: Steps

    private mutating func proceed(_ now: Double, _ effects: inout [Effect]) {
        if case .resting(let until) = phase, now >= until { phase = .idle }
        if stopBy != nil, phase != .over, !isExecuting {
            phase = .over
            effects += [.disconnect, .exit]
        }
        if phase == .idle {
            phase = .connectingDatabase
            deadline = now + limits.connect
            effects.append(.connectDatabase)
        }
        if phase == .ready && !held.isEmpty && (held.count >= limits.prefetch || now >= heldSince + limits.collect) {
            begin(now)
            next(now, &effects)
        } else if isExecuting, deadline == nil {
            next(now, &effects)
        }
    }

    private var isExecuting: Bool { phase == .storing || phase == .settingAside || phase == .noting }

    private mutating func begin(_ now: Double) {
        batch = Array(held.prefix(limits.prefetch))
        held.removeFirst(batch.count)
        heldSince = now
        (items, refused) = ([], [])
        for message in batch {
            let kind = Routing(message.routingKey).kind
            machines.add(kind, message.body, at: now)
            switch kind {
            case .ignored, .presence, .heartbeat: break
            // `cuff-sink-mqtt --check` sends an empty message to test its permissions.
            case .reading where message.body.isEmpty: break
            case .reading(let machine):
                guard let reading = ReadingLine(message.body) else {
                    refuse(message, "not a reading from cuff")
                    continue
                }
                if let objection = ReadingStatement.objection(to: reading) {
                    refuse(message, objection)
                } else {
                    items.append((ReadingStatement.Item(reading, machine: machine), message))
                }
            }
        }
        reports = machines.take()
        work = BatchWork(count: items.count)
        phase = .storing
    }

    private mutating func refuse(_ message: Message, _ reason: String) {
        refused.append(Refused(routingKey: message.routingKey, body: message.body, reason: reason))
    }

    /// The next statement of the batch, or its acknowledgement.
    private mutating func next(_ now: Double, _ effects: inout [Effect]) {
        if let range = work.current {
            deadline = now + limits.statement
            effects.append(.store(items[range].map(\.item)))
        } else if !refused.isEmpty {
            phase = .settingAside
            deadline = now + limits.statement
            effects.append(.setAside(refused))
        } else if !reports.isEmpty {
            phase = .noting
            deadline = now + limits.statement
            effects.append(.note(reports))
        } else {
            phase = .ready
            if let last = batch.last { effects.append(.acknowledge(last.tag)) }
            batch = []
            pause = limits.firstPause
            proceed(now, &effects)
        }
    }

    private mutating func committed(_ effects: inout [Effect]) {
        deadline = nil
        switch phase {
        case .storing:
            storedCount += work.current?.count ?? 0
            work.stored()
        case .settingAside:
            refusedCount += refused.count
            tell(
                "set aside \(refused.count == 1 ? "1 message" : "\(refused.count) messages") in cuff.refused: \(refused[0].reason)",
                &effects)
            refused = []
        case .noting: reports = []
        default: break
        }
    }

    // MARK: Faults

    private mutating func databaseFailed(_ fault: ServerFault, _ now: Double, _ effects: inout [Effect]) {
        if phase == .noting, !fault.isConnectionLost {
            // A failed report must not block readings.
            tell("a machine's report is left out: \(fault.text)", &effects)
            (reports, deadline) = ([], nil)
            return
        }
        guard phase == .storing, fault.kind == .reading, !fault.isConnectionLost else {
            return fail("the database: " + fault.text, now, &effects)
        }
        deadline = nil
        if let index = work.refused() { refuse(items[index].message, fault.text) }
    }

    private mutating func pass(_ now: Double, _ effects: inout [Effect]) {
        if let stopBy, now >= stopBy, phase != .over {
            phase = .over
            effects += [.disconnect, .exit]
        } else if let deadline, now >= deadline {
            fail("the database: no answer within \(Int(phase == .connectingDatabase ? limits.connect : limits.statement)) s", now, &effects)
        }
    }

    /// Closes both connections. The broker redelivers unacknowledged messages.
    private mutating func fail(_ text: String, _ now: Double, _ effects: inout [Effect]) {
        guard phase != .over else { return }
        effects.append(.disconnect)
        tell(text, &effects)
        phase = .resting(until: now + pause)
        pause = min(pause * 2, limits.longestPause)
        deadline = nil
        (held, batch, items, refused, reports) = ([], [], [], [], [])
        work = BatchWork(count: 0)
    }

    /// Repeated texts are reported once.
    private mutating func tell(_ text: String, _ effects: inout [Effect]) {
        guard text != lastText else { return }
        lastText = text
        effects.append(.tell(text))
    }
}
