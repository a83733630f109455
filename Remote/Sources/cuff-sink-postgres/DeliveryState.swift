import PostgresStore
import RemoteSink

/// Handles lines from `cuff` and results from the database. A pure state machine; `Delivery` performs the effects.
///
/// `ok` is sent only after the commit. `later` and `fatal` end the session: `cuff` resends unanswered lines.
struct DeliveryState {
    struct Limits: Sendable {
        /// Lines in one statement; `cuff` has at most as many unanswered.
        var batch = 1000
        /// The most queued lines; reading pauses at this limit.
        var queue = 2000
        /// The sum is below the 60 s that `cuff` waits for an answer.
        var connect = 15.0
        var statement = 30.0
        /// An idle connection is closed: a server allows about a hundred.
        var idle = 60.0
        /// After the end of standard input; `cuff` kills the program after two seconds.
        var drain = 5.0
        /// After the last answer, for the end of standard input.
        var farewell = 10.0
    }

    enum Event: Sendable, Equatable {
        case received([Conversation.Input])
        case inputEnded
        case database(Connection.Progress)
        /// A timer may have expired.
        case time
    }

    enum Effect: Sendable, Equatable {
        case connect
        case execute([ReadingLine])
        case disconnect
        case answer([Answer])
        case exit
    }

    private enum Phase: Equatable { case idle, connecting, ready, executing, over }

    private let limits: Limits
    private var phase = Phase.idle
    private var waiting: [ReadingLine] = []
    private var batch: [ReadingLine] = []
    private var work = BatchWork(count: 0)
    private var deadline: Double?
    private var drainUntil: Double?
    /// A lost connection is reopened once before `later` is sent: the server may have restarted, or a firewall dropped
    /// an idle connection.
    private var mayReconnect = false

    init(limits: Limits = Limits()) { self.limits = limits }

    /// After the last answer, input is read and dropped so that `cuff` never blocks.
    var wantsInput: Bool { phase == .over || waiting.count < limits.queue }
    /// Call `handle(.time)` by this time.
    var wakeAt: Double? { [deadline, drainUntil].compactMap { $0 }.min() }

    /// Connects at once, to report a wrong configuration before the first reading.
    mutating func start(at now: Double) -> [Effect] {
        var effects: [Effect] = []
        connect(now, &effects)
        return effects
    }

    mutating func handle(_ event: Event, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        guard phase != .over else { return event == .inputEnded || now >= drainUntil ?? now ? [.exit] : [] }
        switch event {
        case .received(let lines): accept(lines, now, &effects)
        case .inputEnded: drainUntil = drainUntil ?? now + limits.drain
        case .database(.waiting): return effects
        case .database(.connected): if phase == .connecting { rest(now) }
        case .database(.committed):
            guard phase == .executing, let range = work.current else { break }
            work.stored()
            mayReconnect = true
            rest(now)
            effects.append(.answer(batch[range].map { .ok($0) }))
        case .database(.failed(let fault)): fail(fault, now, &effects)
        case .time: pass(now, &effects)
        }
        proceed(now, &effects)
        return effects
    }

    private mutating func accept(_ lines: [Conversation.Input], _ now: Double, _ effects: inout [Effect]) {
        for line in lines {
            guard case .reading(let reading) = line else {
                return end(.fatal("a line on standard input is not a reading from cuff"), now, &effects)
            }
            if reading.isDeletion, reading.measured == nil {
                // It was never stored.
                effects.append(.answer([.ok(reading)]))
            } else if let objection = ReadingStatement.objection(to: reading) {
                effects.append(.answer([.refuse(reading, objection)]))
            } else {
                waiting.append(reading)
            }
        }
    }

    // MARK: Steps

    private mutating func proceed(_ now: Double, _ effects: inout [Effect]) {
        if work.current == nil {
            batch = Array(waiting.prefix(limits.batch))
            waiting.removeFirst(batch.count)
            work = BatchWork(count: batch.count)
        }
        switch phase {
        case .idle where work.current != nil: connect(now, &effects)
        case .ready:
            guard let range = work.current else { break }
            phase = .executing
            deadline = now + limits.statement
            effects.append(.execute(Array(batch[range])))
        case .idle, .connecting, .executing, .over: break
        }
        if drainUntil != nil, phase != .over, work.current == nil {
            phase = .over
            effects += [.disconnect, .exit]
        }
    }

    private mutating func connect(_ now: Double, _ effects: inout [Effect]) {
        phase = .connecting
        deadline = now + limits.connect
        effects.append(.connect)
    }

    private mutating func rest(_ now: Double) {
        phase = .ready
        deadline = now + limits.idle
    }

    // MARK: Faults

    private mutating func fail(_ fault: ServerFault, _ now: Double, _ effects: inout [Effect]) {
        switch fault.kind {
        case .configuration: end(.fatal(fault.text), now, &effects)
        case .reading where phase == .executing && !fault.isConnectionLost:
            rest(now)
            guard let index = work.refused() else { break }
            effects.append(.answer([.refuse(batch[index], fault.text)]))
        case .later, .reading:
            // A lost idle connection is not an error.
            guard phase == .ready || fault.isConnectionLost && mayReconnect else { return end(.later(fault.text), now, &effects) }
            mayReconnect = false
            phase = .idle
            deadline = nil
            effects.append(.disconnect)
        }
    }

    private mutating func pass(_ now: Double, _ effects: inout [Effect]) {
        if let drainUntil, now >= drainUntil {
            phase = .over
            effects += [.disconnect, .exit]
        } else if let deadline, now >= deadline {
            switch phase {
            case .connecting: end(.later("no connection within \(Int(limits.connect)) s"), now, &effects)
            case .executing: end(.later("the server did not answer within \(Int(limits.statement)) s"), now, &effects)
            case .ready:
                phase = .idle
                effects.append(.disconnect)
                self.deadline = nil
            case .idle, .over: break
            }
        }
    }

    /// Sends the last answer, then reads until `cuff` closes standard input.
    private mutating func end(_ answer: Answer, _ now: Double, _ effects: inout [Effect]) {
        phase = .over
        waiting = []
        work = BatchWork(count: 0)
        deadline = nil
        effects += [.answer([answer]), .disconnect]
        if drainUntil != nil { effects.append(.exit) }
        drainUntil = now + limits.farewell
    }
}
