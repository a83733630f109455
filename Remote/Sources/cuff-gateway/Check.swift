import PostgresStore
import RemoteSink

/// Checks both servers, the permissions, the tables and the queue. Consumes and stores nothing.
enum Check {
    static func run(_ address: BrokerAddress, _ broker: Broker, _ database: PostgresAddress) -> CheckResult {
        let stored: String
        switch DatabaseCheck.run(database, [ReadingStatement.insert, RefusedStatement.insert, MachineStatement.insert]) {
        case .ok(let text): stored = text
        case .later(let text): return .later("the database: " + text)
        case .fatal(let text): return .fatal("the database: " + text)
        }
        do throws(BrokerFault) {
            try broker.connect()
            // One message may be delivered; closing the connection requeues it.
            try broker.consume(Gateway.queue, prefetch: 1)
            broker.close()
            return .ok(
                "the broker at \(address.host):\(address.port) lets `\(address.user)` consume from the queue `\(Gateway.queue)`; \(stored)")
        } catch {
            return error.isAway ? .later("the broker: " + error.text) : .fatal("the broker: " + error.text)
        }
    }
}
