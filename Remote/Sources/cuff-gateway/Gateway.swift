import Glibc
import PostgresStore
import RemoteSink

/// The pipe that the signal handler writes to. Set once, before the handler is installed.
nonisolated(unsafe) private var stopRequest: Int32 = -1

/// Performs the effects of `GatewayState`: one poll() for the broker, the database and timers.
struct Gateway {
    static let queue = "cuff"

    private let broker: Broker
    private let connection: Connection
    private var state = GatewayState()
    private var isDone = false
    /// For the metrics.
    var counts: GatewayCounts?
    private let stop: Int32

    init(_ broker: Broker, _ database: PostgresAddress) {
        self.broker = broker
        connection = Connection(database, program: "cuff-gateway")
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        stop = ends[0]
        stopRequest = ends[1]
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _ = write(stopRequest, "", 1) } }
    }

    mutating func run() {
        handle(.time)
        while !isDone { wait() }
        say("cuff-gateway: stopped; stored: \(state.storedCount), set aside: \(state.refusedCount)")
    }

    private mutating func handle(_ event: GatewayState.Event) {
        perform(state.handle(event, at: monotonicSeconds()))
        counts?.set(stored: state.storedCount, refused: state.refusedCount)
    }

    private mutating func perform(_ effects: [GatewayState.Effect]) {
        for effect in effects {
            switch effect {
            case .connectDatabase: handle(.database(connection.start()))
            case .connectBroker: connectBroker()
            case .store(let items): handle(.database(connection.execute(ReadingStatement.insert, ReadingStatement.parameter(items))))
            case .setAside(let refused):
                let items = refused.map { (routingKey: $0.routingKey, body: $0.body, reason: $0.reason) }
                handle(.database(connection.execute(RefusedStatement.insert, RefusedStatement.parameter(items))))
            case .note(let reports): handle(.database(connection.execute(MachineStatement.insert, MachineStatement.parameter(reports))))
            case .acknowledge(let tag):
                do throws(BrokerFault) { try broker.acknowledge(tag) } catch { handle(.brokerFailed(error.text)) }
            case .disconnect:
                broker.close()
                connection.close()
            case .tell(let text): say("cuff-gateway: " + text)
            case .exit: isDone = true
            }
        }
    }

    private mutating func connectBroker() {
        do throws(BrokerFault) {
            try broker.connect()
            try broker.consume(Self.queue, prefetch: GatewayState.Limits().prefetch)
            handle(.brokerConnected)
        } catch { handle(.brokerFailed(error.text)) }
    }

    private mutating func wait() {
        // `receive` sends the broker's heartbeats.
        var limit = min(5, state.wakeAt.map { max(0, $0 - monotonicSeconds()) } ?? 5)
        if broker.hasBuffered { limit = 0 }
        var entries = [
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0), pollfd(fd: broker.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection.descriptor, events: connection.events, revents: 0),
        ]
        _ = poll(&entries, 3, limit > 0 ? Int32(limit * 1000) + 1 : 0)
        if entries[0].revents != 0 {
            var room = [UInt8](repeating: 0, count: 64)
            _ = read(stop, &room, room.count)
            handle(.stop)
        }
        if entries[2].revents != 0 { handle(.database(connection.advance())) }
        receive()
        handle(.time)
    }

    /// Enough for the prefetch count and a few other frames.
    private mutating func receive() {
        for _ in 0..<256 {
            do throws(BrokerFault) {
                guard let message = try broker.receive() else { return }
                handle(.delivered(message))
            } catch { return handle(.brokerFailed(error.text)) }
        }
    }
}
